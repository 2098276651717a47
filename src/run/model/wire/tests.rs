//! Streams as providers send them, the odd ones too, and what is understood of each.

mod answers;
mod back;
mod responses;

use super::*;
use crate::definition::Effort;
use crate::definition::provider::provider;
use crate::run::model::{Call, Reply, ToolDefinition, Wanted};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

fn wire(name: &str) -> Box<dyn Wire> {
    let parameters = Parameters {
        model: "m".into(),
        ..Parameters::default()
    };
    wire_of(provider(name).expect("a provider"), parameters)
}

/// The reply to a stream of these events: text, calls, usage and stop on one line; or the error.
fn read(name: &str, events: &[Value]) -> String {
    let mut decoder = wire(name).decoder();
    let mut parts = Vec::new();
    for event in events {
        let data = event
            .as_str()
            .map_or_else(|| event.to_string(), str::to_owned);
        match decoder.event(&SseEvent {
            event: String::new(),
            data,
        }) {
            Ok(more) => parts.extend(more),
            Err(error) => return format!("{error} (retryable: {})", error.retryable),
        }
    }
    parts.extend(decoder.end());
    let mut text = String::new();
    let mut calls: BTreeMap<u64, (String, String, String)> = BTreeMap::new();
    let (mut usage, mut stop) = (None, None);
    for part in parts {
        match part {
            ReplyPart::Text(more) => text.push_str(&more),
            ReplyPart::Thinking(more) => text.push_str(&format!("({more})")),
            ReplyPart::Call {
                key,
                id,
                tool,
                input,
            } => {
                let call = calls.entry(key).or_default();
                if call.0.is_empty() {
                    call.0 = id.unwrap_or_default();
                }
                if call.1.is_empty() {
                    call.1 = tool.unwrap_or_default();
                }
                call.2.push_str(&input);
            }
            ReplyPart::Verbatim(_) => {}
            ReplyPart::Usage(tokens) => usage = Some(tokens),
            ReplyPart::Stop(reason) => stop = Some(reason.as_str()),
        }
    }
    let calls: Vec<String> = calls
        .into_values()
        .map(|(id, tool, input)| format!("{tool}#{id}{input}"))
        .collect();
    let usage = usage.map_or(String::new(), |usage: crate::run::Usage| {
        format!(" [{}+{}]", usage.input, usage.output)
    });
    format!(
        "{text} {} {}{usage}",
        calls.join(" "),
        stop.unwrap_or("cut off")
    )
    .trim()
    .to_owned()
}

fn delta(delta: Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": delta }] })
}

fn finish(reason: &str) -> Value {
    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

fn call(index: Option<u64>, id: Option<&str>, name: Option<&str>, arguments: &str) -> Value {
    let mut call = json!({ "function": { "arguments": arguments } });
    if let Some(index) = index {
        call["index"] = index.into();
    }
    if let Some(id) = id {
        call["id"] = id.into();
    }
    if let Some(name) = name {
        call["function"]["name"] = name.into();
    }
    delta(json!({ "tool_calls": [call] }))
}

/// smolagents#1958, LibreChat-AI/agents#260, openclaw#47136.
#[test]
fn chat_completions() {
    let (a, b, f) = (Some("a"), Some("b"), Some("f"));
    let cases: Vec<(&str, Vec<Value>, &str)> = vec![
        (
            "text, usage after the end, and the mark of the end",
            vec![
                delta(json!({ "role": "assistant", "content": "" })),
                delta(json!({ "content": "Hel" })),
                delta(json!({ "content": "lo" })),
                finish("stop"),
                json!({ "choices": [], "usage": { "prompt_tokens": 5, "completion_tokens": 2 } }),
                json!("[DONE]"),
            ],
            "Hello  end_turn [5+2]",
        ),
        (
            "two calls whose parts alternate",
            vec![
                call(Some(0), a, f, ""),
                call(Some(1), b, Some("g"), "{\"y\""),
                call(Some(0), None, None, "{\"x\":1}"),
                call(Some(1), None, None, ":2}"),
                finish("tool_calls"),
            ],
            "f#a{\"x\":1} g#b{\"y\":2} tool_use",
        ),
        (
            "calls without an index",
            vec![
                call(None, a, f, "{}"),
                call(None, b, f, "{\"x\""),
                call(None, None, None, ":1}"),
                finish("tool_calls"),
            ],
            "f#a{} f#b{\"x\":1} tool_use",
        ),
        (
            "calls with neither index nor id",
            vec![
                call(None, None, f, "{\"x\":1}"),
                call(None, None, f, "{\"x\":2}"),
                finish("tool_calls"),
            ],
            "f#{\"x\":1} f#{\"x\":2} tool_use",
        ),
        (
            "a new id at an index that was there",
            vec![
                call(Some(0), a, f, "{}"),
                call(Some(0), b, f, "{\"x\":1}"),
                finish("tool_calls"),
            ],
            "f#a{} f#b{\"x\":1} tool_use",
        ),
        (
            "two calls with one id",
            vec![
                call(Some(0), a, f, "{}"),
                call(Some(1), a, f, "{\"x\":1}"),
                finish("tool_calls"),
            ],
            "f#a{} f#a{\"x\":1} tool_use",
        ),
        (
            "id and name with every part",
            vec![
                call(None, a, f, "{\"x\""),
                call(None, a, f, ":1}"),
                finish("tool_calls"),
            ],
            "f#a{\"x\":1} tool_use",
        ),
        (
            "calls that begin at index 1, and a stop that does not name them",
            vec![call(Some(1), a, f, "{}"), finish("stop")],
            "f#a{} tool_use",
        ),
        (
            "a reply that is cut",
            vec![delta(json!({ "content": "Hel" })), finish("length")],
            "Hel  max_tokens",
        ),
        ("a filter", vec![finish("content_filter")], "refusal"),
        (
            "a refusal in words",
            vec![delta(json!({ "refusal": "No." })), finish("stop")],
            "No.  refusal",
        ),
        (
            "thinking",
            vec![
                delta(json!({ "reasoning_content": "hm", "content": "x" })),
                finish("stop"),
            ],
            "(hm)x  end_turn",
        ),
        (
            "the end is marked, and nothing says why",
            vec![delta(json!({ "content": "x" })), json!("[DONE]")],
            "x  end_turn",
        ),
        (
            "the stream ends",
            vec![delta(json!({ "content": "x" }))],
            "x  cut off",
        ),
        (
            "a server that does not stream",
            vec![
                json!({ "choices": [{ "message": { "content": "Hello" }, "finish_reason": "stop" }] }),
            ],
            "Hello  end_turn",
        ),
        (
            "an error in the stream",
            vec![json!({ "error": { "message": "overloaded", "code": 503 } })],
            "the provider reports an error: overloaded (retryable: true)",
        ),
        (
            "what is no JSON",
            vec![json!("{")],
            "the provider sent an event that is no JSON (retryable: false)",
        ),
    ];
    for (what, events, expected) in cases {
        assert_eq!(read("openai-compatible", &events), expected, "{what}");
    }
}

#[test]
fn messages_of_anthropic() {
    let start = json!({ "type": "message_start", "message": { "usage": { "input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 1 } } });
    let block = |index: u64, block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
    let tool = |index: u64, id: &str| {
        block(
            index,
            json!({ "type": "tool_use", "id": id, "name": "f", "input": {} }),
        )
    };
    let input = |index: u64, text: &str| json!({ "type": "content_block_delta", "index": index, "delta": { "type": "input_json_delta", "partial_json": text } });
    let end = |index: u64| json!({ "type": "content_block_stop", "index": index });
    let stop = |reason: &str| json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 9 } });
    let cases: Vec<(&str, Vec<Value>, &str)> = vec![
        (
            "text, a ping, an event that is not known",
            vec![
                start.clone(),
                json!({ "type": "ping" }),
                block(0, json!({ "type": "text", "text": "" })),
                json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "Hello" } }),
                end(0),
                json!({ "type": "new_in_2030" }),
                stop("end_turn"),
                json!({ "type": "message_stop" }),
            ],
            "Hello  end_turn [7+9]",
        ),
        (
            "two calls, one without input",
            vec![
                tool(0, "a"),
                input(0, ""),
                input(0, "{\"x\":"),
                input(0, "1}"),
                end(0),
                tool(1, "b"),
                end(1),
                stop("tool_use"),
            ],
            "f#a{\"x\":1} f#b tool_use [0+9]",
        ),
        (
            "two calls at one index",
            vec![
                tool(0, "a"),
                input(0, "{}"),
                end(0),
                tool(0, "b"),
                input(0, "{\"x\":1}"),
                end(0),
                stop("tool_use"),
            ],
            "f#a{} f#b{\"x\":1} tool_use [0+9]",
        ),
        (
            "input that comes with the block",
            vec![
                block(
                    0,
                    json!({ "type": "tool_use", "id": "a", "name": "f", "input": { "x": 1 } }),
                ),
                end(0),
                stop("tool_use"),
            ],
            "f#a{\"x\":1} tool_use [0+9]",
        ),
        (
            "a reply that is cut in a call",
            vec![tool(0, "a"), input(0, "{\"x"), stop("max_tokens")],
            "f#a{\"x max_tokens [0+9]",
        ),
        ("a refusal", vec![stop("refusal")], "refusal [0+9]"),
        (
            "the stream ends",
            vec![start, tool(0, "a")],
            "f#a cut off [7+1]",
        ),
        (
            "an overloaded provider",
            vec![
                json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } }),
            ],
            "the provider reports an error: Overloaded (retryable: true)",
        ),
    ];
    for (what, events, expected) in cases {
        assert_eq!(read("anthropic", &events), expected, "{what}");
    }
}

#[test]
fn contents_of_gemini() {
    let parts = |parts: Value| json!({ "candidates": [{ "content": { "parts": parts } }] });
    let finish = |reason: &str| json!({ "candidates": [{ "finishReason": reason }], "usageMetadata": { "promptTokenCount": 3, "candidatesTokenCount": 4, "thoughtsTokenCount": 2 } });
    let cases: Vec<(&str, Vec<Value>, &str)> = vec![
        (
            "text and a thought",
            vec![
                parts(json!([{ "text": "hm", "thought": true }, { "text": "Hello" }])),
                finish("STOP"),
            ],
            "(hm)Hello  end_turn [3+6]",
        ),
        (
            "two calls of one tool",
            vec![
                parts(
                    json!([{ "functionCall": { "name": "f", "args": { "x": 1 } } }, { "functionCall": { "name": "f" } }]),
                ),
                finish("STOP"),
            ],
            "f#{\"x\":1} f# tool_use [3+6]",
        ),
        (
            "a prompt that is blocked",
            vec![json!({ "promptFeedback": { "blockReason": "SAFETY" } })],
            "refusal",
        ),
        (
            "a reply that is cut",
            vec![parts(json!([{ "text": "Hel" }])), finish("MAX_TOKENS")],
            "Hel  max_tokens [3+6]",
        ),
        (
            "an error",
            vec![json!({ "error": { "code": 429, "message": "slow down" } })],
            "the provider reports an error: slow down (retryable: true)",
        ),
    ];
    for (what, events, expected) in cases {
        assert_eq!(read("gemini", &events), expected, "{what}");
    }
}

/// A history with two calls that share an id, one of them without input.
fn request() -> ModelRequest {
    let call = |input: &str| Call {
        id: "same".into(),
        tool: "f".into(),
        input: input.into(),
    };
    let result = |text: &str, is_error| CallResult {
        id: "same".into(),
        tool: "f".into(),
        text: text.into(),
        is_error,
    };
    let history = vec![
        Message::User("Go.".into()),
        Message::Assistant(Reply {
            text: String::new(),
            calls: vec![call("{\"x\":1}"), call("")],
            ..Reply::default()
        }),
        Message::Results(vec![result("one", false), result("error: two", true)]),
        Message::Assistant(Reply {
            text: "Done.".into(),
            ..Reply::default()
        }),
    ];
    ModelRequest {
        system: "Be kind.".into(),
        history: Arc::new(history.into_iter().map(Arc::new).collect()),
        tools: Arc::new(vec![ToolDefinition {
            name: "f".into(),
            description: "Does f.".into(),
            input_schema: json!({ "type": "object", "properties": {} }),
        }]),
        effort: Some(Effort::High),
        wanted: Wanted::Any,
    }
}

#[test]
fn requests() {
    let schema = json!({ "type": "object", "properties": {} });
    let (path, body) = wire("openai-compatible").request(&request());
    assert_eq!(path, "/chat/completions");
    let call = |id: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": "f", "arguments": arguments } });
    assert_eq!(
        body,
        json!({
            "model": "m",
            "messages": [
                { "role": "system", "content": "Be kind." },
                { "role": "user", "content": "Go." },
                { "role": "assistant", "content": "", "tool_calls": [call("same", "{\"x\":1}"), call("call_1", "{}")] },
                { "role": "tool", "tool_call_id": "same", "content": "one" },
                { "role": "tool", "tool_call_id": "call_1", "content": "error: two" },
                { "role": "assistant", "content": "Done." },
            ],
            "stream": true,
            "stream_options": { "include_usage": true },
            "tools": [{ "type": "function", "function": { "name": "f", "description": "Does f.", "parameters": schema } }],
            "reasoning_effort": "high",
        })
    );
    assert_eq!(wire("ollama").request(&request()).0, "/v1/chat/completions");

    let (path, body) = wire("anthropic").request(&request());
    assert_eq!(path, "/v1/messages");
    let text = |text: &str| json!({ "type": "text", "text": text });
    assert_eq!(
        body,
        json!({
            "model": "m",
            "max_tokens": 16_384,
            "messages": [
                { "role": "user", "content": [text("Go.")] },
                { "role": "assistant", "content": [
                    { "type": "tool_use", "id": "same", "name": "f", "input": { "x": 1 } },
                    { "type": "tool_use", "id": "call_1", "name": "f", "input": {} },
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "same", "content": "one", "is_error": false },
                    { "type": "tool_result", "tool_use_id": "call_1", "content": "error: two", "is_error": true },
                ] },
                { "role": "assistant", "content": [text("Done.")] },
            ],
            "stream": true,
            "system": "Be kind.",
            "tools": [{ "name": "f", "description": "Does f.", "input_schema": schema }],
            "output_config": { "effort": "high" },
        })
    );

    let (path, body) = wire("gemini").request(&request());
    assert_eq!(path, "/v1beta/models/m:streamGenerateContent?alt=sse");
    assert_eq!(
        body["contents"][1]["parts"],
        json!([{ "functionCall": { "name": "f", "args": { "x": 1 } } }, { "functionCall": { "name": "f", "args": {} } }])
    );
    assert_eq!(
        body["contents"][2]["parts"],
        json!([
            { "functionResponse": { "name": "f", "response": { "output": "one" } } },
            { "functionResponse": { "name": "f", "response": { "error": "error: two" } } },
        ])
    );
    assert_eq!(
        body["generationConfig"],
        json!({ "thinkingConfig": { "thinkingLevel": "high" } })
    );
}
