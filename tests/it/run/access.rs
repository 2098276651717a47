//! Who decides about a call: rules, flags, people; in call order, before anything runs.

use super::fake::{calls, echo, says};
use super::scene::Scene;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use loopls::definition::Effect::{Irreversible, Write};
use loopls::run::StopReason;
use loopls::run::access::Answer::{self, Deny, ForRun, Once};
use loopls::run::access::{Approver, Question};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

const WORDS: &[&str] = &["asked", "allow", "deny", "completed"];

fn scene(tables: &str, batches: &[&[&str]]) -> Scene {
    let batch = |names: &&[&str]| {
        use super::fake::{part, parts};
        use loopls::run::model::{ReplyPart, ReplyStop};
        let calls = (0..)
            .zip(names.iter())
            .map(|(key, name)| part(key, None, Some(name), ""));
        parts(calls.chain([ReplyPart::Stop(ReplyStop::ToolUse)]))
    };
    Scene::new(tables, batches.iter().map(batch).chain([says("done")])).tools([
        echo("get"),
        echo("put").effect(Write),
        echo("pay").effect(Irreversible),
    ])
}

#[tokio::test]
async fn rules_and_effects_decide_and_a_denial_is_a_result() {
    let tables = "[access]\ndeny = [\"g*\"]\nallow = [\"pu?\"]";
    let ran = scene(tables, &[&["get", "put"]]).run().await;
    assert_eq!(
        ran.lines_of(WORDS),
        [
            "deny 1 by rule `g*`",
            "allow 2 by rule `pu?`",
            "completed 1 get: error: denied: `g*` of the loop's access rules forbids `get`",
            "completed 2 put: {}",
        ]
    );
    assert_eq!(ran.stop(), StopReason::Answer);
}

/// Roo-Code#11210.
#[tokio::test]
async fn every_call_of_a_batch_is_asked_about_in_call_order_before_any_runs() {
    let ran = scene("", &[&["put", "get", "put"]])
        .answers(0, [Deny, Once])
        .run()
        .await;
    assert_eq!(
        ran.lines_of(WORDS),
        [
            "asked 1 put (write): act {}",
            "deny 1 by person",
            "allow 2 by effect",
            "asked 3 put (write): act {}",
            "allow 3 by person",
            "completed 1 put: error: denied: this call of `put` was not approved",
            "completed 2 get: {}",
            "completed 3 put: {}",
        ]
    );
}

#[tokio::test]
async fn an_answer_for_the_run_covers_later_calls_also_of_the_same_batch() {
    let ran = scene("", &[&["put", "put"], &["put"]])
        .answers(0, [ForRun])
        .run()
        .await;
    let decided = ran.lines_of(&["asked", "allow", "deny"]);
    let expected = [
        "asked 1 put (write): act {}",
        "allow 1 by person",
        "allow 2 by person",
        "allow 3 by person",
    ];
    assert_eq!(decided, expected);
}

#[tokio::test]
async fn an_irreversible_call_is_asked_about_each_time() {
    let tables = "[access]\nallow = [\"pay\"]";
    let mut scene = scene(tables, &[&["pay", "pay"]]).answers(0, [ForRun, Deny]);
    scene.yes = true;
    let ran = scene.run().await;
    assert_eq!(
        ran.lines_of(&["asked", "allow", "deny"]),
        [
            "asked 1 pay (irreversible): act {}",
            "allow 1 by person",
            "asked 2 pay (irreversible): act {}",
            "deny 2 by person",
        ]
    );
}

#[tokio::test]
async fn flags_answer_for_what_they_name_and_never_against_deny() {
    let run = |tables: &'static str,
               yes: bool,
               allow: &'static [&'static str],
               names: [&'static str; 1]| async move {
        let mut scene = scene(tables, &[&names]).answers(0, [Answer::Deny]);
        scene.yes = yes;
        scene.allow = allow.iter().map(|name| (*name).into()).collect();
        scene.run().await.lines_of(&["allow", "deny"]).join("")
    };
    assert_eq!(run("", true, &[], ["put"]).await, "allow 1 by flag");
    assert_eq!(run("", true, &[], ["pay"]).await, "deny 1 by person");
    assert_eq!(run("", false, &["pay"], ["pay"]).await, "allow 1 by flag");
    assert_eq!(run("", false, &["p*"], ["pay"]).await, "deny 1 by person");
    assert_eq!(run("", true, &["put"], ["get"]).await, "allow 1 by effect");
    let ask = "[access]\nask = [\"*et\"]";
    assert_eq!(run(ask, true, &[], ["get"]).await, "deny 1 by person `*et`");
    assert_eq!(
        run(ask, false, &["get"], ["get"]).await,
        "allow 1 by flag `*et`"
    );
    let deny = "[access]\ndeny = [\"put\"]";
    assert_eq!(
        run(deny, true, &["put"], ["put"]).await,
        "deny 1 by rule `put`"
    );
}

#[tokio::test]
async fn a_call_with_wrong_input_is_not_asked_about() {
    let scene = Scene::new("", [calls([("put", "{\"misfit\":1}")]), says("done")]);
    let ran = scene.tools([echo("put").effect(Write)]).run().await;
    assert_eq!(
        ran.lines_of(WORDS),
        ["completed 1 put: error: the input does not fit: /misfit"]
    );
}

#[tokio::test]
async fn a_question_names_run_call_and_what_will_happen() {
    let scene = Scene::new("", [calls([("put", "{\"a\":1}")]), says("done")]);
    let scene = scene.tools([echo("put").effect(Write)]);
    let (scene, person) = scene.asking(0, [Once]);
    scene.run().await;
    let questions = person.questions.lock().unwrap();
    let question = &questions[0];
    assert_eq!(
        (question.run.as_str(), question.call, question.tool.as_str()),
        ("run-1", 1, "put")
    );
    assert_eq!(
        (question.effect, question.shown.as_str()),
        (Write, "act {\"a\":1}")
    );
}

/// codex#11112.
#[tokio::test]
async fn what_was_allowed_is_what_runs() {
    let batch = calls([
        ("put", "{\"a\":1}"),
        ("put", "{\"a\":2}"),
        ("put", "{\"a\":3}"),
    ]);
    let scene = Scene::new("", [batch, says("done")]).tools([echo("put").effect(Write)]);
    let (scene, person) = scene.asking(0, [Deny, Once, Deny]);
    let ran = scene.run().await;
    assert_eq!(person.questions.lock().unwrap()[1].shown, "act {\"a\":2}");
    assert_eq!(
        ran.results(),
        [
            "a put: error: denied: this call of `put` was not approved",
            "b put: {\"a\":2}",
            "c put: error: denied: this call of `put` was not approved",
        ]
    );
}

/// Asks two people at once, and passes each answer on only when told.
struct Switchboard(Mutex<HashMap<String, oneshot::Receiver<Answer>>>);

impl Approver for Switchboard {
    fn ask(&self, question: Question) -> BoxFuture<'_, Answer> {
        let answer = self.0.lock().unwrap().remove(&question.shown).unwrap();
        async move { answer.await.unwrap() }.boxed()
    }
}

/// agent-shell#387.
#[tokio::test]
async fn two_runs_that_ask_at_once_each_get_their_own_answer() {
    let (first_answer, first) = oneshot::channel();
    let (second_answer, second) = oneshot::channel();
    let open = [
        ("act {\"a\":1}".into(), first),
        ("act {\"a\":2}".into(), second),
    ];
    let person = Arc::new(Switchboard(Mutex::new(open.into())));
    let run = |input: &str| {
        let mut scene = Scene::new("", [calls([("put", input)]), says("done")]);
        scene.person = person.clone();
        scene.tools([echo("put").effect(Write)]).run()
    };
    let (one, two) = (run("{\"a\":1}"), run("{\"a\":2}"));
    let answering = async {
        tokio::task::yield_now().await;
        second_answer.send(Once).unwrap();
        first_answer.send(Deny).unwrap();
    };
    let (one, two, ()) = tokio::join!(one, two, answering);
    assert_eq!(
        one.results(),
        ["a put: error: denied: this call of `put` was not approved"]
    );
    assert_eq!(two.results(), ["a put: {\"a\":2}"]);
}

#[tokio::test]
async fn where_asking_fails_the_call_is_denied() {
    struct Broken;
    impl Approver for Broken {
        fn ask(&self, _question: Question) -> BoxFuture<'_, Answer> {
            panic!("a bug in whoever asks")
        }
    }
    let mut scene = scene("", &[&["put", "get"]]);
    scene.person = Arc::new(Broken);
    let ran = scene.run().await;
    assert_eq!(
        ran.lines_of(&["deny", "ended"]),
        ["deny 1 by person", "ended answer after 1/2: done"]
    );
}
