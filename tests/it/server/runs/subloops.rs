//! Runs of loops that hand work to loops.

use super::{Desk, types};
use serde_json::{Value, json};

const DESK: &str = r#"
name = "desk"
prompt = "Touch it."
delegates = ["toucher"]

[model]
provider = "scripted"
name = "rehearsal"
script = [{ calls = [{ tool = "toucher", input = { message = "Touch." } }] }, { text = "Done." }]
"#;

const TOUCHER: &str = r#"
name = "toucher"
description = "Touches."

[model]
provider = "scripted"
name = "rehearsal"
script = [{ calls = [{ tool = "touch", input = {} }] }, { text = "Touched." }]

[[tools]]
name = "touch"
description = "Touches a file."
command = ["touch", "touched"]
"#;

async fn open(trust: Value) -> Desk {
    let loopls = json!({ "runEvents": true, "approvals": true });
    let capabilities = json!({ "experimental": { "loopls": loopls } });
    let options = json!({ "trust": trust });
    Desk::open_beside(
        &[("toucher.loop.toml", TOUCHER)],
        DESK,
        capabilities,
        options,
    )
    .await
}

#[tokio::test]
async fn what_loops_below_reach_is_asked_about_too() {
    let mut desk = open(json!("ask")).await;
    let run = desk.run(json!({})).await;
    let (id, params) = desk.client.question("window/showMessageRequest").await;
    let message = params["message"].as_str().unwrap();
    assert!(message.contains("program `touch`"), "{message}");
    desk.client.answer(id, json!({ "title": "No" })).await;
    let events = desk.events(&run).await;
    assert_eq!(events[0]["reason"], "not_trusted");
    desk.close().await;
}

#[tokio::test]
async fn a_question_below_is_decided_by_the_number_of_the_call_above() {
    for (decision, touched) in [("allow", true), ("deny", false)] {
        let mut desk = open(json!("trusted")).await;
        let run = desk.run(json!({})).await;
        let seen = desk.until(&run, "access_asked").await;
        let argument = json!({ "run": run, "call": 1, "decision": decision });
        assert_eq!(desk.client.command("loopls.decide", argument).await, true);
        let events = desk.events_from(&run, seen).await;
        assert_eq!(events[0]["decision"], decision);
        assert!(types(&events).contains(&"tool_output"));
        assert_eq!(events.last().unwrap()["answer"], "Done.");
        assert_eq!(desk.path.join("touched").exists(), touched);
        desk.close().await;
    }
}
