//! What goes back as it came: what was thought, with its signatures.

use super::*;
use crate::run::model::Verbatim;

/// The reply that a stream of these events makes, with its calls as far as the history needs them.
pub(super) fn reply(name: &str, events: &[Value]) -> Reply {
    let mut decoder = wire(name).decoder();
    let mut parts = Vec::new();
    for event in events {
        let event = SseEvent {
            event: String::new(),
            data: event.to_string(),
        };
        parts.extend(decoder.event(&event).expect("the stream is understood"));
    }
    parts.extend(decoder.end());
    let mut reply = Reply::default();
    for part in parts {
        match part {
            ReplyPart::Text(text) => reply.text.push_str(&text),
            ReplyPart::Verbatim(verbatim) => reply.verbatim = Some(verbatim),
            ReplyPart::Call {
                id,
                tool: Some(tool),
                ..
            } => reply.calls.push(Call {
                id: id.unwrap_or_default(),
                tool,
                input: String::new(),
            }),
            _ => {}
        }
    }
    reply
}

/// The messages that are sent once the calls of `reply` have results.
pub(super) fn history(reply: Reply) -> ModelRequest {
    let results = reply.calls.iter().map(|call| CallResult {
        id: call.id.clone(),
        tool: call.tool.clone(),
        text: "ok".into(),
        is_error: false,
    });
    let results = results.collect();
    let history = [
        Message::User("Go.".into()),
        Message::Assistant(reply),
        Message::Results(results),
    ];
    ModelRequest {
        history: Arc::new(history.into_iter().map(Arc::new).collect()),
        ..ModelRequest::default()
    }
}

pub(super) fn other_model(mut request: ModelRequest) -> ModelRequest {
    let history = request.history.iter().map(|message| match &**message {
        Message::Assistant(reply) => {
            let mut reply = reply.clone();
            reply.verbatim = reply.verbatim.map(|verbatim| Verbatim {
                origin: "another/m".into(),
                ..verbatim
            });
            Arc::new(Message::Assistant(reply))
        }
        _ => message.clone(),
    });
    request.history = Arc::new(history.collect());
    request
}

#[test]
fn anthropic_gets_its_blocks_of_thinking_where_they_stood() {
    let block = |index: u64, block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
    let delta = |index: u64, delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let tool = |id: &str| json!({ "type": "tool_use", "id": id, "name": "f", "input": {} });
    let events = [
        block(
            0,
            json!({ "type": "thinking", "thinking": "", "signature": "" }),
        ),
        delta(
            0,
            json!({ "type": "thinking_delta", "thinking": "Let me " }),
        ),
        delta(0, json!({ "type": "thinking_delta", "thinking": "see." })),
        delta(0, json!({ "type": "signature_delta", "signature": "c2ln" })),
        block(1, json!({ "type": "text", "text": "" })),
        block(
            2,
            json!({ "type": "redacted_thinking", "data": "b3BhcXVl" }),
        ),
        block(3, tool("same")),
        delta(
            3,
            json!({ "type": "input_json_delta", "partial_json": "{\"x\":" }),
        ),
        delta(
            3,
            json!({ "type": "input_json_delta", "partial_json": "1}" }),
        ),
        block(4, tool("same")),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
    ];
    let request = history(reply("anthropic", &events));
    let (_, body) = wire("anthropic").request(&request);
    assert_eq!(
        body["messages"][1]["content"],
        json!([
            { "type": "thinking", "thinking": "Let me see.", "signature": "c2ln" },
            { "type": "redacted_thinking", "data": "b3BhcXVl" },
            { "type": "tool_use", "id": "same", "name": "f", "input": { "x": 1 } },
            { "type": "tool_use", "id": "call_1", "name": "f", "input": {} },
        ])
    );
    assert_eq!(body["messages"][2]["content"][1]["tool_use_id"], "call_1");
    // Nobody else can read it.
    let (_, body) = wire("anthropic").request(&other_model(request));
    let content = body["messages"][1]["content"].as_array().unwrap();
    assert!(
        content.iter().all(|block| block["type"] == "tool_use"),
        "{content:?}"
    );
}

#[test]
fn anthropic_says_that_a_reply_pauses() {
    let events = [
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "One" } }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "pause_turn" } }),
    ];
    assert_eq!(read("anthropic", &events), "One  paused");
}

#[test]
fn gemini_gets_its_signatures_on_the_parts_that_they_came_on() {
    let parts = |parts: Value| json!({ "candidates": [{ "content": { "parts": parts } }] });
    let events = [
        parts(json!([{ "text": "hm", "thought": true }])),
        parts(json!([{ "text": "Let " }])),
        parts(json!([{ "text": "me see." }])),
        parts(json!([
            { "functionCall": { "name": "f", "args": { "x": 1 }, "id": "one" }, "thoughtSignature": "c2ln" },
            { "functionCall": { "name": "f", "args": {}, "id": "two" } },
        ])),
        parts(json!([{ "text": "", "thoughtSignature": "ZW5k" }])),
        json!({ "candidates": [{ "finishReason": "STOP" }] }),
    ];
    let request = history(reply("gemini", &events));
    let (_, body) = wire("gemini").request(&request);
    assert_eq!(
        body["contents"][1]["parts"],
        json!([
            { "text": "Let me see." },
            { "functionCall": { "name": "f", "args": { "x": 1 }, "id": "one" }, "thoughtSignature": "c2ln" },
            { "functionCall": { "name": "f", "args": {}, "id": "two" } },
            { "text": "", "thoughtSignature": "ZW5k" },
        ])
    );
    let answered = body["contents"][2]["parts"].as_array().unwrap().iter();
    let ids: Vec<_> = answered
        .map(|part| &part["functionResponse"]["id"])
        .collect();
    assert_eq!(ids, ["one", "two"]);
    let (_, body) = wire("gemini").request(&other_model(request));
    assert_eq!(
        body["contents"][1]["parts"][1],
        json!({ "functionCall": { "name": "f", "args": {} } })
    );
}

#[test]
fn a_reply_of_gemini_that_ends_otherwise_is_not_whole() {
    for (reason, expected) in [
        (
            "MALFORMED_FUNCTION_CALL",
            "the provider reports an error: the model wrote a call that cannot be read (retryable: true)",
        ),
        (
            "OTHER",
            "the provider reports an error: the reply ended with OTHER (retryable: false)",
        ),
        ("SAFETY", "refusal"),
    ] {
        let event = json!({ "candidates": [{ "finishReason": reason }] });
        assert_eq!(read("gemini", &[event]), expected);
    }
}

#[test]
fn what_was_thought_before_calls_goes_back_over_chat_completions() {
    for key in ["reasoning_content", "reasoning"] {
        let events = [
            delta(json!({ key: "Let me " })),
            delta(json!({ key: "see." })),
            call(Some(0), Some("a"), Some("f"), "{}"),
            finish("tool_calls"),
        ];
        let request = history(reply("openai-compatible", &events));
        let (_, body) = wire("openai-compatible").request(&request);
        assert_eq!(body["messages"][1][key], "Let me see.");
        let (_, body) = wire("openai-compatible").request(&other_model(request));
        assert_eq!(body["messages"][1].get(key), None);
    }
    // A server that thought and then answered wants nothing of it again.
    let events = [
        delta(json!({ "reasoning": "hm", "content": "x" })),
        finish("stop"),
    ];
    assert_eq!(reply("openai-compatible", &events).verbatim, None);
}
