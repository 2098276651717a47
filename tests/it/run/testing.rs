//! Tests of a definition: what is given, what runs, and what is said when something else comes than expected.

use super::fake::{FakeTool, echo, tool};
use super::scene::bound;
use super::subloops::handing;
use loopls::bind::{Outcome, Tool};
use loopls::definition::Effect;
use loopls::run::{Event, StopReason, TestContext, TestError, TestOutcome, is_live, run_test};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

const TOP: &str = r#"
name = "desk"
prompt = "go"

[model]
provider = "scripted"
name = "m"
"#;

/// What came of a test.
struct Ran {
    outcome: TestOutcome,
    /// The tools that really ran.
    ran: Vec<String>,
    /// Its place of each miss, and what is said.
    misses: Vec<String>,
}

/// A tool that notes that it ran.
fn noted(name: &str, effect: Effect, ran: &Arc<Mutex<Vec<String>>>) -> FakeTool {
    let ran = ran.clone();
    let own = name.to_owned();
    let noting = tool(name, move |_, _| {
        ran.lock().unwrap().push(own.clone());
        std::future::ready(Outcome::text("really"))
    });
    noting.effect(effect)
}

async fn run(text: &str, allow: &[&str]) -> Ran {
    let ran: Arc<Mutex<Vec<String>>> = Arc::default();
    let tools = vec![
        echo("echo"),
        noted("get", Effect::Read, &ran),
        noted("put", Effect::Write, &ran),
        noted("pay", Effect::Irreversible, &ran),
    ];
    run_with(text, tools, &ran, allow).await
}

async fn run_with(
    text: &str,
    tools: Vec<FakeTool>,
    ran: &Arc<Mutex<Vec<String>>>,
    allow: &[&str],
) -> Ran {
    let text = format!("{TOP}{text}");
    let tools = tools.into_iter();
    let tools = tools.map(|tool| Arc::new(tool) as Arc<dyn Tool>);
    let bound = bound(&text, tools.collect());
    let context = TestContext {
        run: "run-1".into(),
        uri: "file:///test.loop.toml".into(),
        allow: allow.iter().map(|name| (*name).into()).collect(),
        live: false,
        events: Arc::new(|_| {}),
        cancel: CancellationToken::new(),
    };
    let outcome = run_test(&bound, "t", context).await.unwrap();
    let misses = outcome.misses.iter();
    let misses = misses
        .map(|miss| {
            let place = miss.span.of(&text).lines().next().unwrap_or_default();
            format!("{place}: {}", miss.message)
        })
        .collect();
    let ran = ran.lock().unwrap().clone();
    Ran {
        outcome,
        ran,
        misses,
    }
}

/// What is said of a run that echoes twice, gets a given error, and answers "Sent on Monday."
async fn said(expect: &str) -> Vec<String> {
    let test = format!(
        r#"
[[tests]]
name = "t"
script = [
    {{ calls = [{{ tool = "echo", input = {{ n = 1 }} }}, {{ tool = "get", input = "no JSON" }}] }},
    {{ calls = [{{ tool = "echo", input = '{{"n":2}}' }}, {{ tool = "get" }}] }},
    {{ text = "Sent on Monday." }},
]
results = [{{ tool = "get", result = "gone", error = true }}]
expect = {{ {expect} }}
"#
    );
    run(&test, &[]).await.misses
}

#[tokio::test]
async fn what_was_expected_is_said_where_it_stands() {
    for (expect, expected) in [
        (r#"stop = "answer""#, &[][..]),
        (r#"answer = "Sent on Monday.""#, &[]),
        (
            r#"answer = "Sent on Monday""#,
            &[r#""Sent on Monday": the answer is `Sent on Monday.`, not `Sent on Monday`"#],
        ),
        (r#"contains = "Monday", matches = "^Sent .*day""#, &[]),
        (
            r#"contains = "Tuesday", matches = "^on""#,
            &[
                r#""Tuesday": the answer is `Sent on Monday.`, which does not contain `Tuesday`"#,
                r#""^on": the answer is `Sent on Monday.`, which does not match `^on`"#,
            ],
        ),
        (r#"iterations = 2"#, &[]),
        (r#"iterations = 1"#, &["1: the run had 2 iterations, not 1"]),
        (
            r#"stop = "limit""#,
            &[r#""limit": the run ended in `answer`, not in `limit`: `Sent on Monday.`"#],
        ),
        // All calls, in order; an input that is not given is any.
        (
            r#"calls = [{ tool = "echo", input = { n = 1.0 } }, { tool = "get", input = "no JSON" }, { tool = "echo" }, { tool = "get", input = {} }]"#,
            &[],
        ),
        (
            r#"calls = [{ tool = "echo" }, { tool = "echo" }]"#,
            &[r#"{ tool = "echo" }: call 2 was `get` with "no JSON", not `echo`"#],
        ),
        (
            r#"calls = [{ tool = "echo", input = { n = 2 } }]"#,
            &[
                r#"{ tool = "echo", input = { n = 2 } }: call 1 was `echo` with {"n":1}, not `echo` with {"n":2}"#,
            ],
        ),
        (
            r#"calls = [{ tool = "echo" }, { tool = "get" }, { tool = "echo" }]"#,
            &[
                r#"[{ tool = "echo" }, { tool = "get" }, { tool = "echo" }]: call 4 was `get` with {}, and only 3 were expected"#,
            ],
        ),
        (
            r#"calls = [{ tool = "echo" }, { tool = "get" }, { tool = "echo" }, { tool = "get" }, { tool = "get" }]"#,
            &[r#"{ tool = "get" }: call 5 did not come: expected `get`"#],
        ),
        (
            r#"calls = []"#,
            &[r#"[]: call 1 was `echo` with {"n":1}, and none was expected"#],
        ),
        // Results in order, with others between them.
        (
            r#"results = [{ tool = "echo", contains = "1" }, { tool = "get", is_error = true, contains = "gone" }]"#,
            &[],
        ),
        (
            r#"results = [{ tool = "echo", contains = "2" }, { tool = "echo" }]"#,
            &[r#"{ tool = "echo" }: no further result of `echo` came"#],
        ),
        (
            r#"results = [{ tool = "get", is_error = false }, { tool = "echo", contains = "3" }]"#,
            &[
                r#"{ tool = "get", is_error = false }: the error of `get` is `error: the input is not JSON: expected ident at line 1 column 2`, and no error was expected"#,
                r#"{ tool = "echo", contains = "3" }: the result of `echo` is `{"n":1}`, which does not contain `3`"#,
            ],
        ),
    ] {
        assert_eq!(said(expect).await, expected, "{expect}");
    }
}

#[tokio::test]
async fn a_run_that_ends_otherwise_says_why_and_nothing_of_its_answer() {
    let test = r#"
[limits]
iterations = 1

[[tests]]
name = "t"
script = [{ calls = [{ tool = "echo" }] }, { calls = [{ tool = "echo" }] }]
expect = { EXPECT }
"#;
    for (expect, expected) in [
        (r#"stop = "limit", iterations = 1"#, &[][..]),
        (
            r#"contains = "x""#,
            &[
                r#"{ contains = "x" }: the run ended in `limit`, not in `answer`: tool limit reached: 2/1 iterations, 2/100 calls"#,
            ],
        ),
        (
            r#"stop = "limit", answer = "x""#,
            &[r#""x": there is no answer"#],
        ),
    ] {
        let misses = run(&test.replace("EXPECT", expect), &[]).await.misses;
        assert_eq!(misses, expected, "{expect}");
    }
}

/// A test that calls `tool` once, with `results`.
fn calling(tool: &str, results: &str, tables: &str) -> String {
    format!(
        r#"{tables}
[[tests]]
name = "t"
script = [{{ calls = [{{ tool = "{tool}" }}] }}, {{ text = "Done." }}]
results = [{results}]
expect = {{ stop = "answer" }}
"#
    )
}

#[tokio::test]
async fn a_tool_whose_result_is_given_does_not_run_and_of_the_rest_only_what_may() {
    let not_given = |tool: &str, effect: &str, more: &str| {
        format!(
            "[[tests]]: `{tool}` ({effect}) was reached without a given result and did not run; add one to the test's `results`{more}"
        )
    };
    let or_allow = |tool: &str| format!(", or allow `{tool}` by name");
    let given = |tool: &str| format!("{{ tool = \"{tool}\", result = \"given\" }}");
    for (tool, results, access, allow, ran, misses) in [
        ("get", given("get"), "", &[][..], false, vec![]),
        ("put", given("put"), "", &[], false, vec![]),
        ("pay", given("pay"), "", &[], false, vec![]),
        ("get", String::new(), "", &[], true, vec![]),
        ("put", String::new(), "", &["put"], true, vec![]),
        (
            "put",
            String::new(),
            "",
            &[],
            false,
            vec![not_given("put", "write", &or_allow("put"))],
        ),
        (
            "pay",
            String::new(),
            "",
            &["pay"],
            false,
            vec![not_given("pay", "irreversible", "")],
        ),
        // The loop's own access rules let nothing run that a test does not, and deny what they deny.
        (
            "put",
            String::new(),
            "access.allow = [\"put\"]",
            &[],
            false,
            vec![not_given("put", "write", &or_allow("put"))],
        ),
        (
            "put",
            given("put"),
            "access.ask = [\"put\"]",
            &[],
            false,
            vec![],
        ),
        (
            "put",
            String::new(),
            "access.deny = [\"put\"]",
            &["put"],
            false,
            vec![],
        ),
        // Nobody is there to be asked.
        (
            "get",
            String::new(),
            "access.ask = [\"get\"]",
            &[],
            false,
            vec![not_given("get", "read", &or_allow("get"))],
        ),
        (
            "get",
            String::new(),
            "access.ask = [\"get\"]",
            &["get"],
            true,
            vec![],
        ),
    ] {
        let tables = match access {
            "" => String::new(),
            access => format!("[{}", access.replace('.', "]\n")),
        };
        let ended = run(&calling(tool, &results, &tables), allow).await;
        let case = format!("{tool} [{results}] {access} {allow:?}");
        assert_eq!(!ended.ran.is_empty(), ran, "{case}");
        assert_eq!(ended.misses, misses, "{case}");
    }
}

#[tokio::test]
async fn the_same_holds_for_the_tools_of_loops_below_by_their_paths() {
    let script = "script = [{ calls = [{ tool = \"put\" }] }, { text = \"Done.\" }]\n";
    let scripted = TOP.replace("name = \"m\"\n", &format!("name = \"m\"\n{script}"));
    let allowing = format!("{scripted}[access]\nallow = [\"put\"]\n");
    let real = TOP.replace("\"scripted\"", "\"anthropic\"");
    let given = "{ tool = \"desk/put\", result = \"given\" }";
    let whole = "{ tool = \"desk\", result = \"given\" }";
    let not_given = "[[tests]]: `desk/put` (write) was reached without a given result and did not run; add one to the test's `results`, or allow `desk/put` by name";
    let asks = "[[tests]]: `desk` (asks a real model) was reached without a given result and did not run; add one to the test's `results`, or run the test live";
    for (child, results, allow, did_run, misses) in [
        (&scripted, "", &[][..], false, &[not_given][..]),
        (&scripted, "", &["put"], false, &[not_given]),
        (&allowing, "", &[], false, &[not_given]),
        (&scripted, given, &[], false, &[]),
        (&scripted, whole, &[], false, &[]),
        (&scripted, "", &["desk/put"], true, &[]),
        (&real, "", &[], false, &[asks]),
        (&real, whole, &[], false, &[]),
    ] {
        let ran: Arc<Mutex<Vec<String>>> = Arc::default();
        let put = Arc::new(noted("put", Effect::Write, &ran)) as Arc<dyn Tool>;
        let desk = handing("desk", bound(child, vec![put]));
        let text = calling("desk", results, "");
        let ended = run_with(&text, vec![desk], &ran, allow).await;
        let case = format!("{child} [{results}] {allow:?}");
        assert_eq!(!ended.ran.is_empty(), did_run, "{case}");
        assert_eq!(ended.misses, misses, "{case}");
    }
}

#[tokio::test]
async fn input_that_does_not_fit_gets_no_given_result() {
    let test = r#"
[[tests]]
name = "t"
script = [{ calls = [{ tool = "put", input = { misfit = 1 } }] }, { text = "Done." }]
results = [{ tool = "put", result = "given" }]
expect.results = [{ tool = "put", is_error = true, contains = "does not fit" }]
"#;
    assert_eq!(run(test, &[]).await.misses, [""; 0]);
}

#[tokio::test]
async fn a_given_result_is_json_or_text_or_an_error() {
    for (result, expected) in [
        (r#"result = "text""#, "text"),
        (r#"result = { a = [1, true] }"#, r#"{"a":[1,true]}"#),
        (r#"result = 3"#, "3"),
        (r#"result = "gone", error = true"#, "error: gone"),
        (r#"result = "error: gone", error = true"#, "error: gone"),
    ] {
        let results = format!("{{ tool = \"put\", {result} }}");
        let ran = run(&calling("put", &results, ""), &[]).await;
        let history = format!("{:?}", ran.outcome.turn.history[2]);
        assert!(
            history.contains(&format!("text: {expected:?}")),
            "{result}: {history}"
        );
    }
}

#[tokio::test]
async fn a_test_has_its_own_prompt_and_mode_and_is_named_in_the_record() {
    let text = format!(
        r#"{}
[[modes]]
name = "slow"

[[modes]]
name = "fast"

[[tests]]
name = "own"
prompt = "mine"
mode = "fast"
script = [{{ text = "x" }}]
expect = {{ answer = "x" }}

[[tests]]
name = "not"
script = [{{ text = "x" }}]
expect = {{ answer = "x" }}
"#,
        TOP.replace(
            "prompt = \"go\"",
            "prompt = \"go\"\ninitial_mode = \"slow\""
        )
    );
    let bound = bound(&text, Vec::new());
    for (name, expected) in [
        ("own", ["own", "mine", "fast"]),
        ("not", ["not", "go", "slow"]),
    ] {
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let started = seen.clone();
        let context = TestContext {
            run: "run-1".into(),
            uri: String::new(),
            allow: Vec::new(),
            live: false,
            events: Arc::new(move |record| {
                if let Event::RunStarted {
                    test, prompt, mode, ..
                } = &record.event
                {
                    let texts = [test.clone().unwrap(), prompt.clone(), mode.clone()];
                    started.lock().unwrap().extend(texts);
                }
            }),
            cancel: CancellationToken::new(),
        };
        let outcome = run_test(&bound, name, context).await.unwrap();
        assert!(outcome.passed(), "{:?}", outcome.misses);
        assert_eq!(*seen.lock().unwrap(), expected);
    }
}

#[tokio::test]
async fn what_cannot_be_tested_says_why() {
    let own = "[[tests]]\nname = \"t\"\nexpect = { contains = \"x\" }\n";
    let top = TOP.replace("prompt = \"go\"", "");
    let real = TOP.replace("\"scripted\"", "\"anthropic\"");
    for (text, name, expected) in [
        (format!("{TOP}{own}"), "u", "there is no test `u`"),
        (
            format!("{top}{own}"),
            "t",
            "there is no prompt: write `prompt` into the test or the definition",
        ),
    ] {
        let context = TestContext {
            run: String::new(),
            uri: String::new(),
            allow: Vec::new(),
            live: false,
            events: Arc::new(|record| panic!("{record:?}")),
            cancel: CancellationToken::new(),
        };
        let error: TestError = run_test(&bound(&text, Vec::new()), name, context)
            .await
            .unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    // Only a test that would ask somebody else is live.
    let script = own.replace("expect", "script = [{ text = \"x\" }]\nexpect");
    for (text, expected) in [
        (format!("{TOP}{own}"), false),
        (format!("{real}{own}"), true),
        (format!("{real}{script}"), false),
    ] {
        let bound = bound(&text, Vec::new());
        let definition = bound.accepted.definition();
        assert_eq!(
            is_live(definition, &definition.tests[0]),
            expected,
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_cancelled_test_has_not_passed() {
    let text = format!("{TOP}{}", calling("get", "", ""));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let context = TestContext {
        run: String::new(),
        uri: String::new(),
        allow: Vec::new(),
        live: false,
        events: Arc::new(|_| {}),
        cancel,
    };
    let outcome = run_test(&bound(&text, Vec::new()), "t", context)
        .await
        .unwrap();
    let Event::RunEnded { stop, .. } = outcome.turn.ended else {
        panic!()
    };
    assert_eq!(stop, StopReason::Cancelled);
    assert_eq!(
        outcome.misses[0].message,
        "the run ended in `cancelled`, not in `answer`"
    );
}
