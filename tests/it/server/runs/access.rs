//! Questions of the access policy.

use super::Desk;
use serde_json::{Value, json};
use std::time::Duration;

/// Two calls of a tool that must be asked about, one after the other.
fn writing(effect: &str) -> String {
    format!(
        r#"
name = "clerk"
prompt = "File it."

[model]
provider = "scripted"
name = "rehearsal"
script = [
    {{ calls = [{{ tool = "file", input = {{}} }}] }},
    {{ calls = [{{ tool = "file", input = {{}} }}] }},
    {{ text = "Done." }},
]

[[tools]]
name = "file"
description = "Files it."
effect = "{effect}"
command = ["sh", "-c", "echo filed >> filed"]
"#
    )
}

/// How often the tool ran.
fn filed(desk: &Desk) -> usize {
    let text = std::fs::read_to_string(desk.path.join("filed")).unwrap_or_default();
    text.lines().count()
}

/// Answers the next question with a title; returns what it offered and said.
async fn answer(desk: &mut Desk, title: Value) -> (Vec<String>, String) {
    let (id, params) = desk.client.question("window/showMessageRequest").await;
    let answer = match title {
        Value::Null => Value::Null,
        title => json!({ "title": title }),
    };
    desk.client.answer(id, answer).await;
    let actions = params["actions"].as_array().unwrap().iter();
    let titles = actions.map(|action| action["title"].as_str().unwrap().to_owned());
    (
        titles.collect(),
        params["message"].as_str().unwrap().to_owned(),
    )
}

#[tokio::test]
async fn a_question_names_the_call_and_deny_stands_first() {
    let mut desk = Desk::open(&writing("write")).await;
    let run = desk.run(json!({ "run": "mine" })).await;
    let (titles, message) = answer(&mut desk, json!("Allow once")).await;
    assert_eq!(titles, ["Deny", "Allow once", "Allow file for this run"]);
    for part in ["mine", "call 1", "file", "write", "echo filed"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    let (_, message) = answer(&mut desk, json!("Deny")).await;
    assert!(message.contains("call 2"), "{message}");
    let events = desk.events(&run).await;
    assert_eq!(events.last().unwrap()["stop"], "answer");
    assert_eq!(filed(&desk), 1);
    desk.close().await;
}

#[tokio::test]
async fn allowed_for_the_run_is_asked_once() {
    let mut desk = Desk::open(&writing("write")).await;
    let run = desk.run(json!({})).await;
    answer(&mut desk, json!("Allow file for this run")).await;
    desk.events(&run).await;
    assert_eq!(filed(&desk), 2);
    desk.close().await;
}

#[tokio::test]
async fn what_cannot_be_undone_is_asked_each_time() {
    let mut desk = Desk::open(&writing("irreversible")).await;
    let run = desk.run(json!({})).await;
    let (titles, _) = answer(&mut desk, json!("Allow once")).await;
    assert_eq!(titles, ["Deny", "Allow once"]);
    // A title that was not offered is none.
    answer(&mut desk, json!("Allow file for this run")).await;
    desk.events(&run).await;
    assert_eq!(filed(&desk), 1);
    desk.close().await;
}

#[tokio::test]
async fn no_answer_an_error_and_an_unknown_title_are_denials() {
    for title in [Value::Null, json!("Whatever")] {
        let mut desk = Desk::open(&writing("write")).await;
        let run = desk.run(json!({})).await;
        answer(&mut desk, title).await;
        let (id, _) = desk.client.question("window/showMessageRequest").await;
        let error = json!({ "code": -32601, "message": "no such method", "data": [], "extra": 1 });
        desk.client
            .send(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
            .await;
        desk.events(&run).await;
        assert_eq!(filed(&desk), 0);
        desk.close().await;
    }
}

#[tokio::test]
async fn who_thinks_for_ten_minutes_has_denied() {
    let own = json!({ "experimental": { "loopls": { "runEvents": true, "approvals": true } } });
    let message = json!({ "experimental": { "loopls": { "runEvents": true } } });
    for (capabilities, asks_by_message) in [(own, false), (message, true)] {
        let trusted = json!({ "trust": "trusted" });
        let mut desk = Desk::open_with(&writing("write"), capabilities, trusted).await;
        let run = desk.run(json!({})).await;
        for _ in 0..2 {
            let mut asked = None;
            match asks_by_message {
                true => asked = Some(desk.client.question("window/showMessageRequest").await.0),
                false => drop(desk.until(&run, "access_asked").await),
            }
            tokio::time::pause();
            tokio::time::advance(Duration::from_secs(601)).await;
            tokio::time::resume();
            let mut decided = desk.event(&run).await["event"].take();
            while decided["type"] != "access_decided" {
                decided = desk.event(&run).await["event"].take();
            }
            assert_eq!(decided["decision"], "deny");
            if let Some(id) = asked {
                // Too late.
                desk.client
                    .answer(id, json!({ "title": "Allow once" }))
                    .await;
            }
        }
        while desk.event(&run).await["event"]["type"] != "run_ended" {}
        assert_eq!(filed(&desk), 0);
        desk.close().await;
    }
}

#[tokio::test]
async fn each_run_gets_the_answer_to_its_own_question() {
    let mut desk = Desk::open(&writing("write")).await;
    for run in ["one", "two"] {
        desk.run(json!({ "run": run })).await;
    }
    let mut ids = Vec::new();
    for _ in 0..2 {
        let (id, params) = desk.client.question("window/showMessageRequest").await;
        let message = params["message"].as_str().unwrap().to_owned();
        ids.push((message.contains("one"), id));
    }
    // The second is answered first.
    for (is_one, id) in ids.into_iter().rev() {
        let title = if is_one {
            "Allow file for this run"
        } else {
            "Deny"
        };
        desk.client.answer(id, json!({ "title": title })).await;
    }
    answer(&mut desk, json!("Deny")).await;
    let decisions = |events: &[Value]| -> Vec<Value> {
        let decided = events.iter().filter(|it| it["type"] == "access_decided");
        decided.map(|it| it["decision"].clone()).collect()
    };
    assert_eq!(decisions(&desk.events("one").await), ["allow", "allow"]);
    assert_eq!(decisions(&desk.events("two").await), ["deny", "deny"]);
    assert_eq!(filed(&desk), 2);
    desk.close().await;
}

#[tokio::test]
async fn a_client_that_asks_by_itself_decides_by_command() {
    let capabilities =
        json!({ "experimental": { "loopls": { "runEvents": true, "approvals": true } } });
    let mut desk = Desk::open_with(
        &writing("write"),
        capabilities,
        json!({ "trust": "trusted" }),
    )
    .await;
    let run = desk.run(json!({})).await;
    desk.until(&run, "access_asked").await;
    let decide =
        |call: u64, decision: &str| json!({ "run": run, "call": call, "decision": decision });
    assert_eq!(
        desk.client
            .command("loopls.decide", decide(2, "allow"))
            .await,
        false
    );
    assert_eq!(
        desk.client
            .command("loopls.decide", decide(1, "allow"))
            .await,
        true
    );
    assert_eq!(
        desk.client
            .command("loopls.decide", decide(1, "deny"))
            .await,
        false
    );
    let seen = desk.until(&run, "access_asked").await;
    assert_eq!(
        desk.client
            .command("loopls.decide", decide(2, "deny"))
            .await,
        true
    );
    desk.events_from(&run, seen).await;
    assert_eq!(filed(&desk), 1);
    desk.close().await;
}

#[tokio::test]
async fn a_run_can_be_cancelled_while_a_person_thinks() {
    let mut desk = Desk::open(&writing("write")).await;
    let run = desk.run(json!({})).await;
    let (id, _) = desk.client.question("window/showMessageRequest").await;
    desk.client
        .command("loopls.cancel", json!({ "run": run }))
        .await;
    let events = desk.events(&run).await;
    assert_eq!(events.last().unwrap()["stop"], "cancelled");
    // Too late.
    desk.client
        .answer(id, json!({ "title": "Allow once" }))
        .await;
    desk.client.hover(&desk.uri.clone(), 0, 0).await;
    assert_eq!(filed(&desk), 0);
    desk.close().await;
}
