//! Tools of MCP servers: a small server of our own, as a process and at an address.

mod address;
mod odd;

use super::*;

const SERVER: &str = include_str!("../../data/mcp/server.sh");

/// A folder with the server in it.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("server.sh"), SERVER).unwrap();
    folder
}

/// An entry of this name with the server, and more lines.
fn entry(name: &str, mcp: &str, more: &str) -> String {
    format!(
        "[[tools]]\nname = \"{name}\"\nmcp = {{ command = [\"sh\", \"server.sh\"]{mcp} }}\n{more}\n"
    )
}

async fn bind_in(folder: &TempDir, tools: &str) -> Result<Bound, BindError> {
    let mut bindings = bindings(folder.path());
    let key = ("THE_KEY".into(), "a-long-secret".into());
    bindings.environment.push(key);
    finished(bind_with(&format!("{HEADER}{tools}"), bindings)).await
}

/// What is bound of one server with these `more` lines in its entry, and its folder.
async fn served(more: &str) -> (TempDir, Bound) {
    let folder = folder();
    let bound = bind_in(&folder, &entry("s", "", more)).await.unwrap();
    (folder, bound)
}

/// Why these tools cannot be bound.
async fn refused(folder: &TempDir, tools: &str) -> BindError {
    bind_in(folder, tools).await.err().unwrap()
}

fn notices(bound: &Bound) -> Vec<&str> {
    let notices = bound.notices.iter();
    notices.map(|notice| &*notice.message).collect()
}

fn names(bound: &Bound) -> Vec<&str> {
    let tools = bound.modes[0].tools.iter();
    tools.map(|tool| &*tool.info().name).collect()
}

fn tool_called<'a>(bound: &'a Bound, name: &str) -> &'a Arc<dyn Tool> {
    let mut tools = bound.modes[0].tools.iter();
    tools.find(|tool| tool.info().name == name).unwrap()
}

async fn call(bound: &Bound, name: &str, input: Value) -> Outcome {
    let call = tool_called(bound, name).prepare(&input).unwrap();
    finished(call.run(context(&CancellationToken::new()))).await
}

/// The processes that the server was so far.
fn pids(folder: &TempDir) -> Vec<Pid> {
    let text = fs::read_to_string(folder.path().join("pids")).unwrap_or_default();
    let numbers = text.lines().map(|line| line.parse().unwrap());
    numbers
        .map(|number| Pid::from_raw(number).unwrap())
        .collect()
}

/// The processes of the server that are there still.
fn left(folder: &TempDir) -> Vec<Pid> {
    let mut pids = pids(folder);
    pids.retain(|pid| !is_gone(*pid));
    pids
}

#[tokio::test]
async fn the_tools_of_a_server_become_tools_of_the_loop() {
    let folder = folder();
    let more = "effect = \"irreversible\"\n[tools.effects]\necho = \"read\"\nx_fail = \"write\"\n";
    let bound = bind_in(&folder, &entry("s", ", prefix = \"x_\"", more))
        .await
        .unwrap();
    assert_eq!(names(&bound), ["x_echo", "x_fail", "x_slow", "x_die"]);
    let effects: Vec<_> = bound.modes[0]
        .tools
        .iter()
        .map(|tool| tool.info().effect.as_str())
        .collect();
    assert_eq!(effects, ["read", "write", "irreversible", "irreversible"]);
    let info = tool_called(&bound, "x_echo").info();
    assert_eq!((&*info.definition, &*info.description), ("s", "Says it."));
    assert_eq!(info.input_schema["properties"]["n"]["type"], "integer");

    let hello = fs::read_to_string(folder.path().join("hello")).unwrap();
    let hello: Value = serde_json::from_str(&hello).unwrap();
    assert_eq!(hello["params"]["clientInfo"]["name"], "loopls");
    assert_eq!(
        hello["params"]["capabilities"],
        json!({}),
        "neither roots nor sampling"
    );

    let echo = tool_called(&bound, "x_echo");
    let problem = echo.prepare(&json!({ "n": "x" })).err().unwrap();
    assert_eq!(problem.0, "input.n: \"x\" is not of type \"integer\"");
    let prepared = echo.prepare(&json!({ "n": 1 })).unwrap();
    assert_eq!(prepared.shown(), "s echo <<< '{\"n\":1}'");
    let outcome = call(&bound, "x_echo", json!({ "n": 1 })).await;
    assert_eq!((text(&outcome), outcome.is_error), ("{'n':1}", false));
    let outcome = call(&bound, "x_fail", json!({})).await;
    assert_eq!(
        (text(&outcome), outcome.is_error),
        ("error: no such luck", true)
    );
}

#[tokio::test]
async fn equal_servers_are_one_and_all_end_with_what_was_bound() {
    let folder = folder();
    let tools = [
        entry("a", "", "produces = [\"echo\"]"),
        entry("b", "", "produces = [\" slow \", \"die\"]"),
        entry("c", ", prefix = \"x_\"", "produces = [\"x_echo\"]"),
    ];
    let bound = bind_in(&folder, &tools.concat()).await.unwrap();
    assert_eq!(names(&bound), ["echo", "slow", "die", "x_echo"]);
    let pids = pids(&folder);
    assert_eq!(pids.len(), 2);
    drop(bound);
    for pid in pids {
        eventually(|| is_gone(pid).then_some(())).await;
    }
    assert!(
        folder.path().join("ended").exists(),
        "it could end in good order"
    );
}

/// qwen-code#11272.
#[tokio::test]
async fn a_cancelled_call_leaves_the_server_usable() {
    let (folder, bound) = served("").await;
    let cancel = CancellationToken::new();
    let slow = tool_called(&bound, "slow").prepare(&json!({})).unwrap();
    let run = tokio::spawn(slow.run(context(&cancel)));
    eventually(|| folder.path().join("slow").exists().then_some(())).await;
    cancel.cancel();
    assert_eq!(text(&finished(run).await.unwrap()), "error: [cancelled]");
    eventually(|| folder.path().join("cancelled").exists().then_some(())).await;
    assert_eq!(text(&call(&bound, "echo", json!({})).await), "{}");
}

/// modelcontextprotocol/python-sdk#1577.
#[tokio::test]
async fn a_server_that_ends_during_a_call_is_an_error_at_once() {
    let (folder, bound) = served("env = { KEY = \"${THE_KEY}\" }").await;
    for _ in 0..2 {
        let outcome = call(&bound, "die", json!({})).await;
        assert_eq!(
            text(&outcome),
            "error: the server did not answer: it ended (exit status 7; it said: the key is [THE_KEY])"
        );
    }
    assert!(is_gone(pids(&folder)[0]));
}

#[tokio::test]
async fn a_server_that_cannot_be_used_is_told_and_leaves_nothing() {
    let folder = folder();
    let failing = |script: &str| {
        format!("[[tools]]\nname = \"s\"\nmcp = {{ command = [\"sh\", \"-c\", '''{script}'''] }}\n")
    };
    for (tools, place, expected) in [
        (
            failing("echo $$ >> pids; echo one >&2; echo cannot start >&2; exit 3"),
            "mcp",
            "it ended; exit status 3; it said: cannot start",
        ),
        (
            failing("echo $$ >> pids; echo; echo Usage: server PATH; echo more"),
            "mcp",
            "it ended; exit status 0; it printed no message but: Usage: server PATH",
        ),
        (
            entry("s", "", "cwd = \"nowhere\""),
            "mcp",
            "/nowhere does not exist",
        ),
        (
            entry("s", "", "produces = [\"other\"]"),
            "\"other\"",
            "tool `s`: the server offers no tool `other`; it offers `echo`, `fail`, `slow`, `die`",
        ),
        (
            format!(
                "{}{}",
                entry("s", "", ""),
                tool("true", "").replace("\"t\"", "\"echo\"")
            ),
            "[[tools]]",
            "two tools are named `echo`",
        ),
        (
            format!(
                "{}{}",
                entry("s", "", ""),
                tool("true", "").replace("\"sh\"", "\"no-such-program\"")
            ),
            "\"no-such-program\"",
            "tool `t`: there is no program `no-such-program` on PATH",
        ),
    ] {
        let error = refused(&folder, &tools).await;
        let text = format!("{HEADER}{tools}");
        assert!(error.to_string().ends_with(expected), "{error}");
        let span = error.span().unwrap();
        assert!(span.of(&text).starts_with(place), "{}", span.of(&text));
        assert_eq!(left(&folder), []);
    }
}

#[tokio::test]
async fn a_loop_below_shares_the_server_and_what_it_leaves_out_is_told_above() {
    let folder = folder();
    let more = r#"env = { MORE = '{"name":"none"},' }"#;
    let own = entry("s", "", more);
    let below =
        format!("name = \"below\"\nmodel = {{ provider = \"scripted\", name = \"m\" }}\n{own}");
    fs::write(folder.path().join("below.loop.toml"), &below).unwrap();
    let hands_on = "[[tools]]\nname = \"t\"\ndescription = \"d\"\nloop = \"below.loop.toml\"\n";
    let bound = bind_in(&folder, &format!("{own}{hands_on}")).await.unwrap();
    assert_eq!(names(&bound), ["echo", "fail", "slow", "die", "t"]);
    assert_eq!(pids(&folder).len(), 1);
    assert_eq!(
        notices(&bound),
        [
            "tool `s`: `none` is left out: it has no input schema",
            "below.loop.toml: tool `s`: `none` is left out: it has no input schema",
        ]
    );
    let child = tool_called(&bound, "t").subloop().unwrap().clone();
    assert_eq!(
        text(&call(&child, "echo", json!({ "n": 3 })).await),
        "{'n':3}"
    );
    finished(bound.end()).await;
    assert!(is_gone(pids(&folder)[0]));
    let after = call(&child, "echo", json!({})).await;
    assert!(text(&after).starts_with("error: the server did not answer: "));
}

#[tokio::test]
async fn how_far_a_call_is_is_shown_while_it_runs() {
    let (folder, bound) = served("env = { TELLS = \"1\" }").await;
    let told = Arc::new(Mutex::new(String::new()));
    let into = told.clone();
    let context = CallContext {
        output: Arc::new(move |_, bytes| {
            let text = String::from_utf8_lossy(bytes);
            into.lock().unwrap().push_str(&text);
        }),
        ..context(&CancellationToken::new())
    };
    let call = tool_called(&bound, "echo")
        .prepare(&json!({ "n": 1 }))
        .unwrap();
    let expected = "half (1/2)\nprogress: 3.5\n";
    let heard = eventually(|| (*told.lock().unwrap() == expected).then_some(()));
    let heard = async {
        heard.await;
        fs::write(folder.path().join("heard"), "").unwrap();
    };
    let (outcome, ()) = tokio::join!(finished(call.run(context)), heard);
    assert_eq!(text(&outcome), "{'n':1}");
}
