//! Runs from the editor.

use crate::support::{Client, command_params, file_uri, folder};
use serde_json::{Value, json};
use std::path::PathBuf;

mod access;
mod plain;
mod results;
mod subloops;
mod tests;
mod tokens;
mod trust;

/// A client that draws runs, in a folder of its own with a definition open.
struct Desk {
    client: Client,
    uri: String,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Desk {
    /// With a client that draws runs, to a server that trusts.
    async fn open(definition: &str) -> Self {
        let capabilities = json!({ "experimental": { "loopls": { "runEvents": true } } });
        Self::open_with(definition, capabilities, json!({ "trust": "trusted" })).await
    }

    async fn open_with(definition: &str, capabilities: Value, options: Value) -> Self {
        Self::open_beside(&[], definition, capabilities, options).await
    }

    /// The same with other files in the folder.
    async fn open_beside(
        files: &[(&str, &str)],
        definition: &str,
        capabilities: Value,
        options: Value,
    ) -> Self {
        let (folder, path) = folder(files);
        let uri = file_uri(&path.join("desk.loop.toml"));
        let mut client = Client::connect();
        client.introduce(capabilities, options).await;
        client.open(&uri, 1, definition).await;
        client.diagnostics(&uri, 1).await;
        Self {
            client,
            uri,
            path,
            _folder: folder,
        }
    }

    /// Starts a run; returns its id.
    async fn run(&mut self, mut argument: Value) -> String {
        argument["uri"] = self.uri.clone().into();
        let started = self.client.command("loopls.run", argument).await;
        started["run"].as_str().unwrap().to_owned()
    }

    /// The next event of a run.
    async fn event(&mut self, run: &str) -> Value {
        let mut message = self
            .client
            .take(|message| {
                message["method"] == "loopls/runEvent" && message["params"]["run"] == run
            })
            .await;
        message["params"].take()
    }

    /// The events of a run up to its end, whose numbers must count from `first`.
    async fn events_from(&mut self, run: &str, first: u64) -> Vec<Value> {
        let mut events = Vec::new();
        loop {
            let mut params = self.event(run).await;
            assert_eq!(params["seq"], first + events.len() as u64, "{params}");
            events.push(params["event"].take());
            if events.last().unwrap()["type"] == "run_ended" {
                return events;
            }
        }
    }

    /// All events of a run.
    async fn events(&mut self, run: &str) -> Vec<Value> {
        self.events_from(run, 0).await
    }

    /// Waits for the event of this type; returns how many came up to it.
    async fn until(&mut self, run: &str, kind: &str) -> u64 {
        loop {
            let params = self.event(run).await;
            if params["event"]["type"] == kind {
                return params["seq"].as_u64().unwrap() + 1;
            }
        }
    }

    async fn close(mut self) {
        self.client.close(&self.uri).await;
        self.client.cleared(&self.uri).await;
        self.client.finish().await;
    }
}

fn types(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .map(|it| it["type"].as_str().unwrap())
        .collect()
}

/// Looks up an order with a fixed reply, then answers.
const LOOKUP: &str = r#"
name = "order-desk"
prompt = "Is order 1042 shipped?"

[model]
provider = "scripted"
name = "rehearsal"
script = [
    { text = "Let me look.", calls = [{ tool = "lookup", input = { id = 1042 } }] },
    { text = "Yes, on Monday." },
]

[[tools]]
name = "lookup"
description = "Looks an order up."
effect = "read"
reply = { shipped = "Monday" }
[tools.input.properties.id]
type = "integer"
description = "The order's number."
"#;

/// Calls a command that waits until a file named `latch` is there, and leaves its process id in `pid`.
const WAITING: &str = r#"
name = "patience"
prompt = "Wait."
drain_timeout = "100ms"

[model]
provider = "scripted"
name = "rehearsal"
script = [{ calls = [{ tool = "wait", input = {} }] }, { text = "Done." }]

[[tools]]
name = "wait"
description = "Waits for the latch."
effect = "read"
command = ["sh", "-c", "echo $$ > pid; sleep 600 & echo $! > background; echo waiting; while [ ! -e latch ]; do sleep 0.02; done; kill $!; echo released"]
"#;

/// Whether a process is there that is no zombie.
fn is_running(path: &std::path::Path) -> bool {
    let Ok(pid) = std::fs::read_to_string(path) else {
        return false;
    };
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    let state = stat.rsplit(')').next().unwrap().trim_start().chars().next();
    !matches!(state, None | Some('Z' | 'X'))
}

/// Waits until the process whose id is in the file is gone.
pub async fn process_gone(path: &std::path::Path) {
    for _ in 0..3_000 {
        if !is_running(path) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("the process of {} is left", path.display());
}

/// Waits until the processes that `WAITING` started are gone.
async fn all_gone(path: &std::path::Path) {
    process_gone(&path.join("pid")).await;
    process_gone(&path.join("background")).await;
}

#[tokio::test]
async fn a_run_is_answered_first_and_then_told_event_by_event() {
    let mut desk = Desk::open(LOOKUP).await;
    let argument = json!({ "uri": desk.uri, "run": "mine" });
    let id = desk
        .client
        .request(
            "workspace/executeCommand",
            command_params("loopls.run", argument),
        )
        .await;
    let first = desk.client.take(|_| true).await;
    assert_eq!(first["id"], id, "{first}");
    assert_eq!(first["result"]["run"], "mine");
    let events = desk.events("mine").await;
    assert_eq!(
        types(&events),
        [
            "run_started",
            "step_started",
            "text_delta",
            "tool_started",
            "access_decided",
            "tool_completed",
            "step_completed",
            "step_started",
            "text_delta",
            "step_completed",
            "run_ended",
        ]
    );
    assert_eq!(events[0]["uri"], desk.uri);
    assert_eq!(events[0]["prompt"], "Is order 1042 shipped?");
    let last = events.last().unwrap();
    assert_eq!(last["stop"], "answer");
    assert_eq!(last["answer"], "Yes, on Monday.");
    desk.close().await;
}

#[tokio::test]
async fn what_the_editor_shows_is_run_saved_or_not() {
    let mut desk = Desk::open(LOOKUP).await;
    let text = LOOKUP.replace("Yes, on Monday.", "No.");
    desk.client.replace(&desk.uri, 2, &text).await;
    let run = desk.run(json!({ "prompt": "And 1043?" })).await;
    let events = desk.events(&run).await;
    assert_eq!(events[0]["prompt"], "And 1043?");
    assert_eq!(events.last().unwrap()["answer"], "No.");
    desk.client.diagnostics(&desk.uri, 2).await;
    desk.close().await;
}

#[tokio::test]
async fn what_cannot_start_ends_with_the_reason_and_its_place() {
    let faulty = LOOKUP.replace("effect = \"read\"", "effect = \"red\"");
    let unbindable = LOOKUP.replace(
        "reply = { shipped = \"Monday\" }",
        "command = [\"no-such-program-here\"]",
    );
    let without_prompt = LOOKUP.replace("prompt = ", "# prompt = ");
    for (definition, argument, reason) in [
        (faulty.as_str(), json!({}), "desk.loop.toml:16:10: "),
        (&unbindable, json!({}), "desk.loop.toml:17:"),
        (&without_prompt, json!({}), "no_prompt"),
        (
            LOOKUP,
            json!({ "mode": "nobody" }),
            "there is no mode `nobody`",
        ),
    ] {
        let mut desk = Desk::open(definition).await;
        let run = desk.run(argument).await;
        let events = desk.events(&run).await;
        assert_eq!(types(&events), ["run_ended"]);
        assert_eq!(events[0]["stop"], "failed");
        let said = events[0]["reason"].as_str().unwrap();
        assert!(said.starts_with(reason), "{said}");
        desk.close().await;
    }
}

#[tokio::test]
async fn a_request_that_makes_no_sense_is_refused() {
    let mut desk = Desk::open(LOOKUP).await;
    for argument in [
        json!({ "uri": "file:///tmp/elsewhere.loop.toml" }),
        json!({ "uri": desk.uri, "after": "nobody" }),
        json!({ "mode": "no uri" }),
        json!({ "uri": 3 }),
    ] {
        let params = command_params("loopls.run", argument);
        let code = desk
            .client
            .error_code("workspace/executeCommand", params)
            .await;
        assert_eq!(code, -32602);
    }
    desk.close().await;
}

#[tokio::test]
async fn a_next_turn_follows_on_a_run() {
    let mut desk = Desk::open(LOOKUP).await;
    let first = desk.run(json!({})).await;
    desk.events(&first).await;
    let second = desk.run(json!({ "after": first, "prompt": "Sure?" })).await;
    let events = desk.events(&second).await;
    assert_eq!(events.last().unwrap()["stop"], "answer");
    assert_eq!(
        events.last().unwrap()["iterations"],
        1,
        "counters begin anew"
    );
    desk.close().await;
}

#[tokio::test]
async fn two_runs_at_once_keep_their_events_apart() {
    let mut desk = Desk::open(WAITING).await;
    let one = desk.run(json!({ "prompt": "one" })).await;
    let two = desk.run(json!({ "prompt": "two" })).await;
    let first_of_one = desk.until(&one, "tool_output").await;
    let first_of_two = desk.until(&two, "tool_output").await;
    // The second is cancelled; the first goes on, and ends with its answer.
    assert_eq!(
        desk.client
            .command("loopls.cancel", json!({ "run": two }))
            .await,
        true
    );
    let ended = desk.events_from(&two, first_of_two).await;
    assert_eq!(ended.last().unwrap()["stop"], "cancelled");
    std::fs::write(desk.path.join("latch"), "").unwrap();
    let ended = desk.events_from(&one, first_of_one).await;
    assert_eq!(ended.last().unwrap()["answer"], "Done.");
    all_gone(&desk.path).await;
    desk.close().await;
}

#[tokio::test]
async fn hovers_and_edits_go_on_while_a_run_does() {
    let mut desk = Desk::open(WAITING).await;
    let run = desk.run(json!({})).await;
    let seen = desk.until(&run, "tool_output").await;
    assert_ne!(
        desk.client.hover(&desk.uri.clone(), 1, 2).await,
        Value::Null
    );
    desk.client.replace(&desk.uri, 2, "nam = 1").await;
    assert_ne!(
        desk.client.diagnostics(&desk.uri, 2).await,
        [] as [Value; 0]
    );
    std::fs::write(desk.path.join("latch"), "").unwrap();
    let ended = desk.events_from(&run, seen).await;
    assert_eq!(ended.last().unwrap()["stop"], "answer");
    desk.close().await;
}

#[tokio::test]
async fn a_cancelled_run_leaves_no_process() {
    let mut desk = Desk::open(WAITING).await;
    let run = desk.run(json!({})).await;
    let seen = desk.until(&run, "tool_output").await;
    assert!(is_running(&desk.path.join("background")));
    assert_eq!(
        desk.client
            .command("loopls.cancel", json!({ "run": run }))
            .await,
        true
    );
    let ended = desk.events_from(&run, seen).await;
    assert_eq!(ended.last().unwrap()["stop"], "cancelled");
    all_gone(&desk.path).await;
    desk.close().await;
}

#[tokio::test]
async fn what_is_not_in_flight_cannot_be_cancelled() {
    let mut desk = Desk::open(LOOKUP).await;
    assert_eq!(
        desk.client
            .command("loopls.cancel", json!({ "run": "nobody" }))
            .await,
        false
    );
    let token = json!({ "token": "nobody's" });
    desk.client
        .notify("window/workDoneProgress/cancel", token)
        .await;
    desk.client
        .notify("$/cancelRequest", json!({ "id": 4_711 }))
        .await;
    let run = desk.run(json!({})).await;
    assert_eq!(desk.events(&run).await.last().unwrap()["stop"], "answer");
    assert_eq!(
        desk.client
            .command("loopls.cancel", json!({ "run": run }))
            .await,
        false
    );
    desk.close().await;
}

#[tokio::test]
async fn one_id_names_one_run_in_flight() {
    let mut desk = Desk::open(WAITING).await;
    desk.run(json!({ "run": "mine" })).await;
    let params = command_params("loopls.run", json!({ "uri": desk.uri, "run": "mine" }));
    assert_eq!(
        desk.client
            .error_code("workspace/executeCommand", params)
            .await,
        -32602
    );
    let seen = desk.until("mine", "tool_output").await;
    std::fs::write(desk.path.join("latch"), "").unwrap();
    desk.events_from("mine", seen).await;
    desk.run(json!({ "run": "mine" })).await;
    desk.events("mine").await;
    desk.close().await;
}

#[tokio::test]
async fn leaving_ends_what_runs() {
    let mut desk = Desk::open(WAITING).await;
    let run = desk.run(json!({})).await;
    desk.until(&run, "tool_output").await;
    desk.client.call("shutdown", Value::Null).await;
    desk.client.notify("exit", Value::Null).await;
    desk.client.end().await;
    all_gone(&desk.path).await;
    // The run may still have said that it was cancelled.
    desk.client
        .allow("loopls/runEvent")
        .expect_nothing_left()
        .await;
}

/// Prints more than a slow client may leave unread, and then a little.
const LOUD: &str = r#"
name = "loud"
prompt = "Go."

[model]
provider = "scripted"
name = "rehearsal"
script = [
    { calls = [{ tool = "loud" }] },
    { calls = [{ tool = "quiet" }] },
    { text = "Done.", delay = "100ms" },
]

[[tools]]
name = "loud"
description = "Prints 4 MB once the latch is there."
effect = "read"
command = ["sh", "-c", "while [ ! -e latch ]; do sleep 0.02; done; head -c 4000000 /dev/zero | tr '\\0' x"]

[[tools]]
name = "quiet"
description = "Prints a line."
effect = "read"
command = ["sh", "-c", "echo a line; sleep 0.2; touch over"]
"#;

#[tokio::test]
async fn a_slow_client_loses_chunks_and_nothing_else_and_is_told() {
    let mut desk = Desk::open(LOUD).await;
    let run = desk.run(json!({})).await;
    let slowly = desk.client.stop_reading().await;
    std::fs::write(desk.path.join("latch"), "").unwrap();
    while !desk.path.join("over").exists() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    drop(slowly);
    let events = desk.events(&run).await;
    let dropped: Vec<_> = events.iter().filter(|it| it["type"] == "dropped").collect();
    assert!(!dropped.is_empty());
    assert!(dropped.iter().all(|it| it["chunks"].as_u64() > Some(0)));
    let printed = events.iter().filter(|it| it["type"] == "tool_output");
    assert!(printed.into_iter().all(|it| it["text"] != "a line\n"));
    let mut others = types(&events);
    others.retain(|kind| !["dropped", "tool_output", "text_delta"].contains(kind));
    let call = [
        "tool_started",
        "access_decided",
        "tool_completed",
        "step_completed",
    ];
    let mut expected = vec!["run_started", "step_started"];
    expected.extend(call);
    expected.push("step_started");
    expected.extend(call);
    expected.extend(["step_started", "step_completed", "run_ended"]);
    assert_eq!(others, expected);
    desk.close().await;
}

#[tokio::test]
async fn many_chunks_are_merged_and_none_is_lost() {
    let noisy = WAITING.replace(
        "echo waiting",
        "i=0; while [ $i -lt 2000 ]; do echo $i; i=$((i+1)); done; touch latch",
    );
    let mut desk = Desk::open(&noisy).await;
    let run = desk.run(json!({})).await;
    let events = desk.events(&run).await;
    let chunks: Vec<_> = events
        .iter()
        .filter(|it| it["type"] == "tool_output")
        .collect();
    let text: String = chunks
        .iter()
        .map(|it| it["text"].as_str().unwrap())
        .collect();
    let expected: String = (0..2_000).map(|n| format!("{n}\n")).collect();
    assert_eq!(text, expected + "released\n");
    assert!(chunks.len() < 500, "{} chunks", chunks.len());
    desk.close().await;
}
