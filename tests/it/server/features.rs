//! Hovers, lenses and code actions.

use crate::support::Client;
use serde_json::{Value, json};

const URI: &str = "untitled:order-desk";

const TEXT: &str = "\
name = \"order-desk\"
prompt = \"Is order 1042 shipped?\"
initial_mode = \"answer\"

[model]
provider = \"scripted\"
name = \"rehearsal\"

[limits]
calls = 7

[[modes]]
name = \"answer\"

[modes.limits]
iterations = 3

[[modes]]
name = \"check\"
";

async fn open(capabilities: Value) -> Client {
    let mut client = Client::start(capabilities).await;
    client.open(URI, 1, TEXT).await;
    assert_eq!(client.diagnostics(URI, 1).await, [] as [Value; 0]);
    client
}

async fn close(mut client: Client) {
    client.close(URI).await;
    client.cleared(URI).await;
    client.finish().await;
}

#[tokio::test]
async fn a_modes_hover_shows_its_limits_and_covers_the_cursor() {
    let markdown = json!({ "textDocument": { "hover": { "contentFormat": ["markdown"] } } });
    for (capabilities, kind) in [(markdown, "markdown"), (json!({}), "plaintext")] {
        let mut client = open(capabilities).await;
        let hover = client.hover(URI, 12, 10).await;
        assert_eq!(hover["contents"]["kind"], kind);
        let text = hover["contents"]["value"].as_str().unwrap();
        for part in ["iterations", "3", "calls", "7", "parallel", "8"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert_eq!(
            hover["range"],
            json!({ "start": { "line": 12, "character": 7 }, "end": { "line": 12, "character": 15 } })
        );
        close(client).await;
    }
}

#[tokio::test]
async fn a_hover_past_the_end_is_no_error() {
    let mut client = open(json!({})).await;
    client.hover(URI, 4_000_000, 4_000_000).await;
    client.hover(URI, 0, 4_000_000).await;
    close(client).await;
}

#[tokio::test]
async fn each_lens_runs_its_own_mode_also_after_lines_were_put_above() {
    let mut client = open(json!({})).await;
    let params = json!({ "textDocument": { "uri": URI } });
    let runs = |lenses: &Value| -> Vec<(u64, Value)> {
        let lenses = lenses.as_array().unwrap().iter();
        let runs = lenses.filter(|lens| lens["command"]["command"] == "loopls.run");
        runs.map(|lens| {
            let line = lens["range"]["start"]["line"].as_u64().unwrap();
            (line, lens["command"]["arguments"][0].clone())
        })
        .collect()
    };
    let before = runs(&client.call("textDocument/codeLens", params.clone()).await);
    let modes: Vec<_> = before
        .iter()
        .map(|(_, argument)| &argument["mode"])
        .collect();
    assert!(
        modes.contains(&&json!("answer")) && modes.contains(&&json!("check")),
        "{before:?}"
    );
    assert!(before.iter().all(|(_, argument)| argument["uri"] == URI));
    client
        .replace(URI, 2, &format!("# one\n# two\n{TEXT}"))
        .await;
    client.diagnostics(URI, 2).await;
    let after = runs(&client.call("textDocument/codeLens", params).await);
    for ((line_before, argument_before), (line_after, argument_after)) in before.iter().zip(&after)
    {
        assert_eq!(argument_before, argument_after);
        // What stands over the loop itself may stay at the top.
        assert!(
            *line_after == line_before + 2 || *line_before == 0,
            "{before:?} {after:?}"
        );
    }
    close(client).await;
}

#[tokio::test]
async fn the_commands_of_lenses_are_the_servers_own() {
    let mut client = open(json!({})).await;
    let params = json!({ "textDocument": { "uri": URI } });
    let lenses = client.call("textDocument/codeLens", params).await;
    let commands = &client.server["capabilities"]["executeCommandProvider"]["commands"];
    let commands = commands.as_array().unwrap();
    for lens in lenses.as_array().unwrap() {
        assert!(commands.contains(&lens["command"]["command"]), "{lens}");
    }
    close(client).await;
}

#[tokio::test]
async fn runs_are_offered_as_code_actions_when_asked_for() {
    let literals = json!({
        "textDocument": {
            "codeAction": {
                "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } }
            }
        }
    });
    for (capabilities, literal) in [(literals, true), (json!({}), false)] {
        let mut client = open(capabilities).await;
        let position = json!({ "line": 18, "character": 3 });
        let params = |context: Value| {
            json!({
                "textDocument": { "uri": URI },
                "range": { "start": position, "end": position },
                "context": context,
            })
        };
        let asked = params(json!({ "diagnostics": [], "triggerKind": 1 }));
        let actions = client.call("textDocument/codeAction", asked).await;
        let actions = actions.as_array().unwrap();
        assert!(!actions.is_empty());
        let modes: Vec<_> = actions
            .iter()
            .map(|action| match literal {
                true => {
                    assert_eq!(action["kind"], "loopls.run");
                    &action["command"]["arguments"][0]["mode"]
                }
                false => &action["arguments"][0]["mode"],
            })
            .collect();
        assert!(modes.contains(&&json!("check")), "{actions:#?}");
        let moving = params(json!({ "diagnostics": [], "triggerKind": 2 }));
        assert_eq!(
            client.call("textDocument/codeAction", moving).await,
            json!([])
        );
        let saving = params(json!({ "diagnostics": [], "only": ["source.fixAll"] }));
        assert_eq!(
            client.call("textDocument/codeAction", saving).await,
            json!([])
        );
        close(client).await;
    }
}
