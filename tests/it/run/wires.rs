//! The program itself against each provider's protocol as a fake of ours speaks it, well and badly.

use super::providers::{Ran, run, run_with, status, stream_of};
use serde_json::{Value, json};

const PROVIDERS: [&str; 5] = [
    "anthropic",
    "openai",
    "gemini",
    "ollama",
    "openai-compatible",
];

/// A reply in the protocol of `provider`: what it says, the calls of these tools, the provider's word for why it ended.
fn reply(provider: &str, text: &str, calls: &[&str], end: &str) -> String {
    let ids = ["one", "two"];
    match provider {
        "anthropic" => {
            let mut events = vec![
                json!({ "type": "message_start", "message": { "usage": { "input_tokens": 7, "output_tokens": 1 } } }),
            ];
            let mut index = 0;
            let mut block = |block: Value, delta: Value| {
                events.extend([
                    json!({ "type": "content_block_start", "index": index, "content_block": block }),
                    json!({ "type": "content_block_delta", "index": index, "delta": delta }),
                    json!({ "type": "content_block_stop", "index": index }),
                ]);
                index += 1;
            };
            if !text.is_empty() {
                block(
                    json!({ "type": "text", "text": "" }),
                    json!({ "type": "text_delta", "text": text }),
                );
            }
            for (id, tool) in ids.iter().zip(calls) {
                block(
                    json!({ "type": "tool_use", "id": id, "name": tool, "input": {} }),
                    json!({ "type": "input_json_delta", "partial_json": "{\"x\":1}" }),
                );
            }
            events.push(
                json!({ "type": "message_delta", "delta": { "stop_reason": end }, "usage": { "output_tokens": 3 } }),
            );
            stream_of(&events).replace("data: [DONE]\n\n", "")
        }
        "gemini" => {
            let text = (!text.is_empty()).then(|| json!({ "text": text }));
            let calls = calls
                .iter()
                .map(|tool| json!({ "functionCall": { "name": tool, "args": { "x": 1 } } }));
            let parts: Vec<Value> = text.into_iter().chain(calls).collect();
            let usage = json!({ "promptTokenCount": 7, "candidatesTokenCount": 2, "thoughtsTokenCount": 1 });
            let events = [
                json!({ "candidates": [{ "content": { "parts": parts } }] }),
                json!({ "candidates": [{ "finishReason": end }], "usageMetadata": usage }),
            ];
            stream_of(&events).replace("data: [DONE]\n\n", "")
        }
        "openai" => {
            let mut events = Vec::new();
            let mut index = 0;
            let mut item = |item: Value, kind: &str, delta: &str| {
                events.extend([
                    json!({ "type": "response.output_item.added", "output_index": index, "item": item }),
                    json!({ "type": kind, "output_index": index, "delta": delta }),
                ]);
                index += 1;
            };
            if !text.is_empty() {
                let message = json!({ "type": "message", "id": "msg", "content": [] });
                item(message, "response.output_text.delta", text);
            }
            for (id, tool) in ids.iter().zip(calls) {
                item(
                    json!({ "type": "function_call", "id": "fc", "call_id": id, "name": tool, "arguments": "" }),
                    "response.function_call_arguments.delta",
                    "{\"x\":1}",
                );
            }
            let status = if end == "completed" {
                "completed"
            } else {
                "incomplete"
            };
            events.push(json!({
                "type": format!("response.{status}"),
                "response": {
                    "object": "response",
                    "status": status,
                    "incomplete_details": { "reason": end },
                    "output": [],
                    "usage": { "input_tokens": 7, "output_tokens": 3 },
                },
            }));
            stream_of(&events).replace("data: [DONE]\n\n", "")
        }
        _ => {
            let calls: Vec<Value> = (0..)
                .zip(ids.iter().zip(calls))
                .map(|(index, (id, tool))| json!({ "index": index, "id": id, "function": { "name": tool, "arguments": "{\"x\":1}" } }))
                .collect();
            let delta = match calls.is_empty() {
                true => json!({ "content": text }),
                false => json!({ "content": text, "tool_calls": calls }),
            };
            stream_of(&[
                json!({ "choices": [{ "delta": delta }] }),
                json!({ "choices": [{ "delta": {}, "finish_reason": end }] }),
                json!({ "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 3 } }),
            ])
        }
    }
}

/// The provider's word for an end.
fn word<'a>(provider: &str, [anthropic, openai, gemini, others]: [&'a str; 4]) -> &'a str {
    match provider {
        "anthropic" => anthropic,
        "openai" => openai,
        "gemini" => gemini,
        _ => others,
    }
}

const ANSWER: [&str; 4] = ["end_turn", "completed", "STOP", "stop"];
const CALLS: [&str; 4] = ["tool_use", "completed", "STOP", "tool_calls"];
const CUT: [&str; 4] = ["max_tokens", "max_output_tokens", "MAX_TOKENS", "length"];
const REFUSAL: [&str; 4] = ["refusal", "content_filter", "SAFETY", "content_filter"];

fn stop(ran: &Ran) -> (String, i32) {
    let stop = ran.ended()["stop"].as_str().unwrap_or_default().to_owned();
    (stop, ran.output.status.code().unwrap_or(-1))
}

#[tokio::test]
async fn two_calls_at_once_their_results_and_what_it_cost() {
    for provider in PROVIDERS {
        let answers = vec![
            reply(provider, "", &["one", "two"], word(provider, CALLS)),
            reply(provider, "Done.", &[], word(provider, ANSWER)),
        ];
        let ran = run(provider, answers).await;
        let ended = ran.ended();
        assert_eq!(ended["answer"], "Done.", "{provider}: {ended}");
        assert_eq!(ended["usage"]["input"], 14, "{provider}");
        assert_eq!(ended["usage"]["output"], 6, "{provider}");
        assert_eq!(ended["calls"], 2, "{provider}");
        // Both results go back, in call order, in one request.
        let body = ran.asked[1].body.to_string();
        let places = ["first", "second"].map(|result| body.find(result));
        assert!(
            places[0].is_some() && places[0] < places[1],
            "{provider}: {body}"
        );
    }
}

/// The `max_tokens` of mastra#15718.
#[tokio::test]
async fn a_reply_that_is_cut_runs_nothing_and_one_that_refuses_is_no_answer() {
    for provider in PROVIDERS {
        for calls in [&[][..], &["one"]] {
            let answer = reply(provider, "It", calls, word(provider, CUT));
            let ran = run(provider, vec![answer]).await;
            assert_eq!(stop(&ran), ("max_tokens".into(), 4), "{provider}");
            assert_eq!(ran.ended()["calls"], 0, "{provider}");
        }
        let answer = reply(provider, "I", &[], word(provider, REFUSAL));
        let ran = run(provider, vec![answer]).await;
        assert_eq!(stop(&ran), ("refusal".into(), 4), "{provider}");
    }
}

#[tokio::test]
async fn the_words_of_an_error_are_the_providers_own() {
    for provider in PROVIDERS {
        let error = match provider {
            "anthropic" => {
                json!({ "type": "error", "error": { "type": "invalid_request_error", "message": "no such model" } })
            }
            "gemini" => {
                json!([{ "error": { "code": 404, "message": "no such model", "status": "NOT_FOUND" } }])
            }
            _ => json!({ "error": { "message": "no such model", "type": "api_error" } }),
        };
        let ran = run(
            provider,
            vec![status("404 Not Found", "", &error.to_string())],
        )
        .await;
        let reason = ran.ended()["reason"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let expected = "answered 404 Not Found: no such model";
        assert!(reason.ends_with(expected), "{provider}: {reason}");
        // What is no JSON may be anything, and is not repeated.
        let page = status("404 Not Found", "", "<html>key-in-a-page</html>");
        let ran = run(provider, vec![page]).await;
        let reason = ran.ended()["reason"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let hint = match provider {
            "openai" => {
                " (a server that speaks chat completions only is `provider = \"openai-compatible\"`)"
            }
            _ => "",
        };
        let expected = format!("answered 404 Not Found{hint}");
        assert!(reason.ends_with(&expected), "{reason}");
    }
}

/// A stream of these bytes behind its head.
fn raw(events: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{events}"
    )
}

#[tokio::test]
async fn a_frame_that_is_malformed_fails_the_run_and_nothing_else() {
    let no_json = "the provider sent an event that is no JSON";
    let cut_off = "the stream ended before the reply did";
    for provider in PROVIDERS {
        for (events, expected) in [
            ("data: {\n\n", no_json),
            ("data: {\"choices\": [\n\n", no_json),
            ("data: <html>\n\n", no_json),
            ("data: {}{}\n\n", no_json),
            // JSON of another kind than the protocol's is passed over, and then nothing was said.
            (
                "data: []\n\ndata: 1\n\ndata: \"x\"\n\ndata: null\n\n",
                cut_off,
            ),
            (
                "data: {\"choices\":\"x\",\"candidates\":{},\"type\":1,\"usage\":[],\"usageMetadata\":\"\"}\n\n",
                cut_off,
            ),
            (
                "data: {\"choices\":[{\"delta\":[],\"finish_reason\":7}],\"candidates\":[{\"content\":[],\"finishReason\":{}}]}\n\n",
                cut_off,
            ),
            (
                "data: {\"type\":\"response.output_item.done\",\"output_index\":-1,\"item\":[]}\n\ndata: {\"type\":\"response.function_call_arguments.delta\",\"delta\":{}}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"new\",\"output\":[7,{\"type\":\"message\",\"content\":\"\"}]}}\n\n",
                cut_off,
            ),
            (
                "data: {\"type\":\"content_block_start\",\"index\":-1,\"content_block\":[]}\n\ndata: {\"type\":\"content_block_delta\",\"index\":9,\"delta\":\"x\"}\n\n",
                cut_off,
            ),
            ("event: ping\n\n: only a comment\n\n", cut_off),
            ("", cut_off),
        ] {
            let ran = run(provider, vec![raw(events)]).await;
            let ended = ran.ended();
            assert_eq!(ended["stop"], "failed", "{provider} {events}: {ended}");
            assert_eq!(ended["reason"], expected, "{provider} {events}");
            assert_eq!(ran.output.status.code(), Some(5), "{provider}");
        }
    }
}

/// mistral-vibe#794, llmgateway#2334, liter-llm#152.
#[tokio::test]
async fn a_frame_that_is_odd_is_understood() {
    for provider in PROVIDERS {
        let plain = reply(provider, "Done – é.", &[], word(provider, ANSWER));
        let (head, events) = plain.split_once("\r\n\r\n").expect("a head");
        for events in [
            events.replace('\n', "\r\n"),
            events.replace('\n', "\r"),
            format!("\u{feff}{events}"),
            events.replace("data: ", "data:"),
            events.replace(
                "data: ",
                ": keep-alive\n\nevent: x\nid: 7\nretry: 1\ndata: ",
            ),
            events.trim_end().to_owned(),
        ] {
            let ran = run(provider, vec![format!("{head}\r\n\r\n{events}")]).await;
            assert_eq!(ran.ended()["answer"], "Done – é.", "{provider}: {events:?}");
        }
    }
}

/// ShishirPatil/gorilla#1148: a model that does not think refuses to be asked for what it thought, and is asked without.
#[tokio::test]
async fn a_model_that_does_not_think_is_asked_again_without() {
    let refusal = json!({ "error": {
        "message": "Encrypted content is not supported with this model.",
        "type": "invalid_request_error",
        "param": "include",
        "code": null,
    } });
    let refusal = status("400 Bad Request", "", &refusal.to_string());
    let ran = run(
        "openai",
        vec![
            refusal.clone(),
            reply("openai", "", &["one"], word("openai", CALLS)),
            reply("openai", "Done.", &[], word("openai", ANSWER)),
        ],
    )
    .await;
    assert_eq!(ran.ended()["answer"], "Done.", "{}", ran.ended());
    let asked: Vec<_> = ran
        .asked
        .iter()
        .map(|asked| asked.body.get("include").is_some())
        .collect();
    assert_eq!(asked, [true, false, false]);
    // Once it was left out, refusing it is an error like others.
    let ran = run("openai", vec![refusal.clone(), refusal]).await;
    let reason = ran.ended()["reason"].to_string();
    assert!(
        reason.contains("answered 400 Bad Request: Encrypted content"),
        "{reason}"
    );
}

/// A key that is used, and printed by a tool as it is, in Base64 and in pieces, is in nothing that is shown, written or sent
/// but the header that it is for.
#[cfg(unix)]
#[tokio::test]
async fn a_key_is_nowhere_but_in_its_header() {
    const KEY: &str = "key-that-nobody-sees";
    // Of the key in Base64, wherever in three bytes it begins, the middle.
    const PARTS: [&str; 4] = [
        KEY,
        "V5LXRoYXQtbm9ib2R5LXNlZX",
        "tleS10aGF0LW5vYm9keS1zZW",
        "rZXktdGhhdC1ub2JvZHktc2Vl",
    ];
    let tables = r#"
[[tools]]
name = "leak"
effect = "read"
command = ["sh", "-c", 'echo "$KEY"; echo "$KEY" >&2; for b in "" x xx; do printf "%s%s" "$b" "$KEY" | base64; done; printf "${KEY%%-n*}"; sleep 0.2; echo "-n${KEY#*-n}"']
env = { KEY = "${DESK_KEY}" }

[[middlewares]]
kind = "log"
file = "calls.jsonl"
"#;
    for provider in PROVIDERS {
        let answers = vec![
            reply(provider, "", &["leak"], word(provider, CALLS)),
            reply(
                provider,
                &format!("It is {KEY}."),
                &[],
                word(provider, ANSWER),
            ),
        ];
        let ran = run_with(provider, answers, tables).await;
        let answer = &ran.ended()["answer"];
        assert_eq!(answer, "It is [DESK_KEY].", "{provider}");
        let [out, err] =
            [&ran.output.stdout, &ran.output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        let sent: Vec<_> = ran
            .asked
            .iter()
            .map(|asked| asked.body.to_string())
            .collect();
        let everything = format!("{out}{err}{}{}", ran.left, sent.join(""));
        for part in PARTS {
            assert!(
                !everything.contains(part),
                "{provider}: {part} in {everything}"
            );
        }
        // It was printed, and it was logged that it was called.
        assert!(
            sent[1].matches("[DESK_KEY]").count() >= 5,
            "{provider}: {}",
            sent[1]
        );
        assert!(ran.left.contains("\"tool\":\"leak\""), "{}", ran.left);
    }
}
