//! Loops that hand work to loops: what a turn below shares with those above it, and what is its own.

use super::fake::{FakePerson, FakeTool, calls, echo, endless, parts, says, tokens, tool};
use super::scene::{Ran, Scene, bound};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use loopls::bind::{Bound, Outcome, Tool};
use loopls::definition::Effect::{self, Irreversible, Write};
use loopls::run::access::Answer::{self, Deny, ForRun, Once};
use loopls::run::access::{Approver, Question};
use loopls::run::model::{ReplyPart, ReplyStop};
use loopls::run::{Event, StopReason};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A loop whose model says `script`.
fn child<const N: usize>(tables: &str, script: &str, tools: [FakeTool; N]) -> Bound {
    let text = format!(
        "name = \"child\"\n[model]\nprovider = \"scripted\"\nname = \"m\"\nscript = [{script}]\n{tables}\n"
    );
    bound(
        &text,
        tools.map(|tool| Arc::new(tool) as Arc<dyn Tool>).into(),
    )
}

/// A loop that calls its tool once and answers.
fn calling<const N: usize>(tables: &str, name: &str, tools: [FakeTool; N]) -> Bound {
    let script = format!("{{ calls = [{{ tool = '{name}' }}] }}, {{ text = 'did' }}");
    child(tables, &script, tools)
}

/// A tool that hands its `message` to `child`.
pub fn handing(name: &str, child: Bound) -> FakeTool {
    let child = Arc::new(child);
    let below = child.clone();
    let handing = tool(name, move |input, context| {
        let message = input["message"].as_str().unwrap_or("go").to_owned();
        context
            .subloops
            .clone()
            .run(child.clone(), message, context)
    });
    handing.below(below)
}

fn scene(tables: &str, tool: FakeTool) -> Scene {
    let name = tool.info.name.clone();
    Scene::new(tables, [calls([(&*name, "")]), says("done")]).tools([tool])
}

#[tokio::test]
async fn a_loop_answers_like_a_tool() {
    let script = "{ text = 'looking', calls = [{ tool = 'get', input = { n = 1 } }, { tool = 'none' }], \
                  usage = { input = 5, output = 2 } }, \
                  { text = 'found', usage = { input = 1, output = 1 } }";
    let replies = [
        parts([
            super::fake::part(1, Some("a"), Some("research"), r#"{"message":"find"}"#),
            tokens(10, 20),
            ReplyPart::Stop(ReplyStop::ToolUse),
        ]),
        says("done"),
    ];
    let research = handing("research", child("", script, [echo("get")]));
    let scene = Scene::new("[limits]\niterations = 1\ncalls = 1", replies).tools([research]);
    let ran = scene.run().await;
    assert_eq!(
        ran.lines_of(&["output", "completed", "ended"]),
        [
            "output 1 stdout: looking",
            "output 1 stdout: \n",
            "output 1 stderr: ▶ get {\"n\":1}\n",
            "output 1 stderr: ▶ none {}\n",
            "output 1 stderr: ✗ none error: there is no tool `none`; the tools are get\n",
            "output 1 stderr: ✓ get\n",
            "output 1 stdout: found",
            "output 1 stdout: \n",
            "completed 1 research: found",
            // Iterations and calls are each loop's own.
            "ended answer after 1/1: done",
        ]
    );
    let Event::RunEnded { usage, .. } = ran.turn.ended else {
        panic!("{:?}", ran.turn.ended);
    };
    assert_eq!((usage.input, usage.output), (16, 23), "of both loops");
}

#[tokio::test]
async fn a_loop_that_does_not_answer_is_an_error_with_the_reason() {
    for (tables, script, expected) in [
        (
            "[limits]\ncalls = 1",
            "{ calls = [{ tool = 'get' }, { tool = 'get' }] }",
            "tool limit reached: 1/25 iterations, 2/1 calls",
        ),
        ("", "{ error = 'no route' }", "no route"),
        (
            "",
            "{ text = 'no', stop_reason = 'refusal' }",
            "the model refused",
        ),
        (
            "",
            "{ text = 'an', stop_reason = 'max_tokens' }",
            "the reply was cut: it reached the model's maximum of tokens",
        ),
    ] {
        let research = handing("research", child(tables, script, [echo("get")]));
        let ran = scene("", research).run().await;
        let expected = format!("a research: error: the loop `child` did not answer: {expected}");
        assert_eq!(ran.results(), [expected]);
        assert_eq!(ran.stop(), StopReason::Answer);
    }
}

#[tokio::test]
async fn a_loop_without_a_client_for_its_model_is_an_error() {
    let text = "name = \"child\"\n[model]\nprovider = \"scripted\"\nname = \"m\"\n";
    let other = text.replace("scripted", "openai-compatible");
    let other = other.replace("\"m\"", "\"m\"\nbase_url = \"http://localhost:1\"");
    let ran = scene("", handing("research", bound(&other, vec![])))
        .run()
        .await;
    let results = ran.results();
    assert!(
        results[0].starts_with("a research: error: the loop `child` "),
        "{results:?}"
    );
}

/// What becomes of one call of `put` in a loop below.
async fn decided(above: &str, below: &str, effect: Effect, flags: &[&str]) -> String {
    let put = echo("put").effect(effect);
    let mut scene = scene(above, handing("research", calling(below, "put", [put])));
    for flag in flags {
        match *flag {
            "--yes" => scene.yes = true,
            name => scene.allow.push(name.into()),
        }
    }
    let (scene, person) = scene.asking(0, [Deny]);
    let ran = scene.run().await;
    let asked = !person.questions.lock().unwrap().is_empty();
    let lines = ran.lines_of(&["output 1 stderr: ✓", "output 1 stderr: ✗"]);
    let [line] = &lines[..] else {
        panic!("{lines:?}");
    };
    match (line.contains('✓'), asked) {
        (true, _) => "allowed".into(),
        (false, true) => "asked".into(),
        (false, false) => "denied".into(),
    }
}

#[tokio::test]
async fn what_the_loop_above_denies_or_asks_about_holds_below() {
    for (above, below, effect, flags, expected) in [
        ("", "", Write, &[][..], "asked"),
        ("", "[access]\nallow = ['put']", Write, &[], "allowed"),
        ("[access]\nallow = ['*']", "", Write, &[], "asked"),
        (
            "[access]\ndeny = ['p*']",
            "[access]\nallow = ['put']",
            Write,
            &["--yes", "research/put"],
            "denied",
        ),
        (
            "[access]\nask = ['put']",
            "[access]\nallow = ['put']",
            Write,
            &[],
            "asked",
        ),
        ("[access]\nask = ['put']", "", Effect::Read, &[], "asked"),
        ("", "", Write, &["--yes"], "allowed"),
        ("", "", Irreversible, &["--yes"], "asked"),
        // A name from the command line is a path below the root.
        ("", "", Irreversible, &["research/put"], "allowed"),
        ("", "", Irreversible, &["put"], "asked"),
        ("", "", Irreversible, &["search/put"], "asked"),
    ] {
        assert_eq!(
            decided(above, below, effect, flags).await,
            expected,
            "{above} / {below} / {effect:?} / {flags:?}"
        );
    }
}

#[tokio::test]
async fn a_question_below_names_its_path_and_belongs_to_the_call_above() {
    let inner = calling("", "put", [echo("put").effect(Write)]);
    let middle = calling("", "inner", [handing("inner", inner)]);
    let (scene, person) = scene("", handing("outer", middle)).asking(0, [Once]);
    let ran = scene.run().await;
    assert_eq!(
        ran.lines_of(&["asked", "allow", "deny", "completed"]),
        [
            "allow 1 by effect",
            "asked 1 outer/inner/put (write): act {}",
            "allow 1 by person",
            "completed 1 outer: did",
        ]
    );
    let questions = person.questions.lock().unwrap();
    let [question] = &questions[..] else {
        panic!("{questions:?}");
    };
    assert_eq!(
        (
            &*question.run,
            question.call,
            &*question.tool,
            &*question.shown
        ),
        ("run-1", 1, "outer/inner/put", "act {}")
    );
}

#[tokio::test]
async fn what_is_allowed_for_the_run_is_allowed_in_later_loops_of_the_same_path() {
    for (effect, answers, expected) in [
        (Write, [ForRun, Deny, Deny], &["one/put", "two/put"][..]),
        (
            Irreversible,
            [ForRun, Once, Once],
            &["one/put", "one/put", "two/put"],
        ),
    ] {
        let put = || calling("", "put", [echo("put").effect(effect)]);
        let replies = [
            calls([("one", "")]),
            calls([("one", "")]),
            calls([("two", "")]),
            says("done"),
        ];
        let scene = Scene::new("", replies).tools([handing("one", put()), handing("two", put())]);
        let (scene, person) = scene.asking(0, answers);
        scene.run().await;
        let questions = person.questions.lock().unwrap();
        let tools: Vec<_> = questions.iter().map(|asked| asked.tool.as_str()).collect();
        assert_eq!(tools, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn one_question_of_a_run_is_open_at_a_time() {
    /// Notices when it is asked beside another question.
    #[derive(Default)]
    struct Alone(AtomicUsize);
    impl Approver for Alone {
        fn ask(&self, _question: Question) -> BoxFuture<'_, Answer> {
            async {
                assert_eq!(
                    self.0.fetch_add(1, Ordering::SeqCst),
                    0,
                    "asked beside another"
                );
                tokio::time::sleep(Duration::from_secs(1)).await;
                self.0.fetch_sub(1, Ordering::SeqCst);
                Once
            }
            .boxed()
        }
    }
    let put = || calling("", "put", [echo("put").effect(Write)]);
    let both = calls([("one", ""), ("two", "")]);
    let mut scene =
        Scene::new("", [both, says("done")]).tools([handing("one", put()), handing("two", put())]);
    scene.person = Arc::new(Alone::default());
    let ran = scene.run().await;
    assert_eq!(ran.results(), ["a one: did", "b two: did"]);
    let asked = ran.lines_of(&[
        "asked 1 one/put",
        "asked 2 two/put",
        "allow 1 by p",
        "allow 2 by p",
    ]);
    assert_eq!(asked.len(), 4);
}

fn limit_name(ran: &Ran) -> String {
    match &ran.turn.ended {
        Event::RunEnded {
            limit: Some(limit), ..
        } => format!("{} {}/{}", limit.name, limit.reached, limit.max),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn tokens_of_the_root_count_for_the_tree_and_end_it() {
    let script =
        "{ calls = [{ tool = 'get' }], usage = { input = 40, output = 20 } }, { text = 'did' }";
    for (tables, expected) in [
        ("[limits]\ntokens = 60", Err("tokens 70/60")),
        ("[limits]\ntokens = 70", Ok("a research: did")),
    ] {
        let inner = handing("inner", child("", script, [echo("get")]));
        let research = handing("research", calling("", "inner", [inner]));
        let first = parts([
            super::fake::part(1, Some("a"), Some("research"), ""),
            tokens(5, 5),
            ReplyPart::Stop(ReplyStop::ToolUse),
        ]);
        let ran = Scene::new(tables, [first, says("done")])
            .tools([research])
            .run()
            .await;
        match expected {
            Ok(result) => assert_eq!(ran.results(), [result]),
            Err(limit) => {
                assert_eq!(limit_name(&ran), limit);
                assert_eq!(ran.lines_of(&["output 1 stderr: ✓ get"]), [""; 0]);
            }
        }
    }
}

#[tokio::test]
async fn a_loop_below_has_a_budget_of_its_own_too() {
    let script = "{ calls = [{ tool = 'get' }], usage = { input = 40, output = 20 } }";
    let research = handing(
        "research",
        child("[limits]\ntokens = 50", script, [echo("get")]),
    );
    let ran = scene("[limits]\ntokens = 100", research).run().await;
    assert_eq!(
        ran.results(),
        ["a research: error: the loop `child` did not answer: token limit reached: 60/50 tokens"]
    );
    assert_eq!(ran.stop(), StopReason::Answer);
}

#[tokio::test(start_paused = true)]
async fn time_of_the_root_ends_the_tree() {
    let ended = Arc::new(AtomicUsize::new(0));
    let seen = ended.clone();
    let get = tool("get", move |_, context| {
        let seen = seen.clone();
        async move {
            context.cancel.cancelled().await;
            seen.fetch_add(1, Ordering::SeqCst);
            Outcome::text("late")
        }
    });
    let research = handing("research", calling("", "get", [get]));
    let ran = scene("[limits]\ntime = '2s'", research).run().await;
    assert_eq!(limit_name(&ran), "time 2000/2000");
    assert_eq!(
        ended.load(Ordering::SeqCst),
        1,
        "the call below was told to end"
    );
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_person_below_counts_towards_no_time_above() {
    let put = || calling("[limits]\ntime = '2s'", "put", [echo("put").effect(Write)]);
    let research = handing("research", put()).timeout(2_000);
    let scene = scene("[limits]\ntime = '2s'", research).answers(60_000, [Once]);
    let ran = scene.run().await;
    assert_eq!(ran.results(), ["a research: did"]);
    assert_eq!(ran.stop(), StopReason::Answer);

    // The time that a loop below takes by itself does.
    let slow = || {
        tool("put", |_, _| async {
            tokio::time::sleep(Duration::from_secs(3)).await;
            Outcome::text("late")
        })
        .effect(Write)
    };
    let research = handing("research", calling("", "put", [slow()])).timeout(2_000);
    let ran = self::scene("", research)
        .answers(60_000, [Once])
        .run()
        .await;
    assert_eq!(
        ran.results(),
        ["a research: error: timed out after 2s; `put` in it may have taken effect"]
    );
}

#[tokio::test(start_paused = true)]
async fn cancel_ends_the_tree() {
    let inner = calling("", "never", [endless("never")]);
    let middle = calling("", "inner", [handing("inner", inner)]);
    let scene = scene("", handing("outer", middle)).cancel_at("output 1 stderr: ▶ inner {}\n");
    let ran = scene.run().await;
    assert_eq!(ran.results(), ["a outer: error: cancelled"]);
    assert_eq!(ran.ended(), "ended cancelled after 1/1");
}

#[tokio::test(start_paused = true)]
async fn what_a_loop_below_changed_before_it_was_ended_is_told() {
    let inner = || {
        let script =
            "{ calls = [{ tool = 'put' }, { tool = 'get' }] }, { calls = [{ tool = 'never' }] }";
        let tools = [echo("put").effect(Write), echo("get"), endless("never")];
        child("[access]\nallow = ['*']", script, tools)
    };
    let allow = "[access]\nallow = ['*']\n";
    // However it ended, and also from two levels down, where it never got to say so.
    let research = handing("research", inner()).timeout(2_000);
    assert_eq!(
        scene("", research).run().await.results(),
        ["a research: error: timed out after 2s; `put` in it may have taken effect"]
    );
    let middle = calling(allow, "inner", [handing("inner", inner())]);
    let cancelled = scene("", handing("outer", middle)).cancel_at("output 1 stderr: ▶ inner {}\n");
    assert_eq!(
        cancelled.run().await.results(),
        ["a outer: error: cancelled"],
        "before anything was begun"
    );
    let middle = calling(allow, "inner", [handing("inner", inner())]);
    let outer = handing("outer", middle).timeout(2_000);
    assert_eq!(
        scene("", outer).run().await.results(),
        ["a outer: error: timed out after 2s; `inner/put` in it may have taken effect"]
    );
    let limited = child(
        "[access]\nallow = ['*']\n[limits]\niterations = 1",
        "{ calls = [{ tool = 'put' }] }, { calls = [{ tool = 'put' }] }",
        [echo("put").effect(Write)],
    );
    assert_eq!(
        scene("", handing("research", limited))
            .run()
            .await
            .results(),
        [
            "a research: error: the loop `child` did not answer: tool limit reached: 2/1 iterations, 2/100 calls; \
          `put` in it may have taken effect"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_question_below_is_void_when_the_run_is_cancelled() {
    let put = calling("", "put", [echo("put").effect(Write)]);
    let mut scene = scene("", handing("outer", put)).cancel_at("asked 1 outer/put (write): act {}");
    let person = Arc::new(FakePerson::default());
    scene.person = person.clone();
    let ran = scene.run().await;
    assert_eq!(ran.ended(), "ended cancelled after 1/1");
    assert_eq!(ran.lines_of(&["allow 1 by person", "deny"]), [""; 0]);
    assert_eq!(person.questions.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_run_has_at_most_64_loops_below_it() {
    let replies = (0..65).map(|_| calls([("research", "")]));
    let research = handing("research", child("", "{ text = 'did' }", []));
    let tables = "[limits]\niterations = 100";
    let ran = Scene::new(tables, replies.chain([says("done")]))
        .tools([research])
        .run()
        .await;
    let completed = ran.lines_of(&["completed"]);
    assert_eq!(completed[63], "completed 64 research: did");
    assert_eq!(
        completed[64],
        "completed 65 research: error: the loop `child` was not run: a run has at most 64 sub-loops"
    );
}
