//! The Responses API: its streams, the odd ones too, and what goes back.

use super::back::{history, other_model, reply};
use super::*;

fn added(index: u64, item: Value) -> Value {
    json!({ "type": "response.output_item.added", "output_index": index, "item": item })
}

fn done(index: u64, item: Value) -> Value {
    json!({ "type": "response.output_item.done", "output_index": index, "item": item })
}

fn function(id: &str, call_id: &str, name: &str, arguments: &str) -> Value {
    json!({ "type": "function_call", "id": id, "call_id": call_id, "name": name, "arguments": arguments })
}

fn message(text: &str) -> Value {
    json!({ "type": "message", "id": "msg", "role": "assistant", "status": "completed",
        "content": [{ "type": "output_text", "text": text, "annotations": [] }] })
}

fn arguments(index: u64, id: &str, delta: &str) -> Value {
    json!({ "type": "response.function_call_arguments.delta", "output_index": index, "item_id": id, "delta": delta })
}

fn text(delta: &str) -> Value {
    json!({ "type": "response.output_text.delta", "output_index": 0, "item_id": "msg", "content_index": 0, "delta": delta })
}

fn completed(output: Value) -> Value {
    json!({
        "type": "response.completed",
        "response": {
            "object": "response",
            "status": "completed",
            "output": output,
            "usage": {
                "input_tokens": 5,
                "input_tokens_details": { "cached_tokens": 2 },
                "output_tokens": 4,
                "output_tokens_details": { "reasoning_tokens": 1 },
            },
        },
    })
}

fn incomplete(reason: &str) -> Value {
    json!({
        "type": "response.incomplete",
        "response": { "object": "response", "status": "incomplete", "incomplete_details": { "reason": reason } },
    })
}

fn without_index(mut event: Value) -> Value {
    event
        .as_object_mut()
        .expect("an event")
        .remove("output_index");
    event
}

#[test]
fn streams() {
    let two = || {
        vec![
            added(0, function("fc_1", "a", "f", "")),
            added(1, function("fc_2", "b", "g", "")),
            arguments(1, "fc_2", "{\"y\""),
            arguments(0, "fc_1", "{\"x\":1}"),
            arguments(1, "fc_2", ":2}"),
            json!({ "type": "response.function_call_arguments.done", "output_index": 0, "item_id": "fc_1", "arguments": "{\"x\":1}" }),
            done(0, function("fc_1", "a", "f", "{\"x\":1}")),
            done(1, function("fc_2", "b", "g", "{\"y\":2}")),
            completed(json!([
                function("fc_1", "a", "f", "{\"x\":1}"),
                function("fc_2", "b", "g", "{\"y\":2}"),
            ])),
        ]
    };
    let cases: Vec<(&str, Vec<Value>, &str)> = vec![
        (
            "text, and events that are not known",
            vec![
                json!({ "type": "response.created", "response": { "object": "response", "status": "in_progress" } }),
                added(0, json!({ "type": "message", "id": "msg", "content": [] })),
                json!({ "type": "response.content_part.added", "output_index": 0, "part": { "type": "output_text", "text": "" } }),
                text("Hel"),
                text("lo"),
                json!({ "type": "response.output_text.done", "output_index": 0, "text": "Hello" }),
                done(0, message("Hello")),
                json!({ "type": "response.new_in_2030" }),
                completed(json!([message("Hello")])),
                json!("[DONE]"),
            ],
            "Hello  end_turn [5+4]",
        ),
        (
            "two calls whose parts alternate",
            two(),
            "f#a{\"x\":1} g#b{\"y\":2} tool_use [5+4]",
        ),
        (
            "two calls without places, by their ids",
            two().into_iter().map(without_index).collect(),
            "f#a{\"x\":1} g#b{\"y\":2} tool_use [5+4]",
        ),
        (
            "ids that are others in each event",
            vec![
                added(0, function("x", "a", "f", "")),
                arguments(0, "y", "{}"),
                done(0, function("z", "a", "f", "{}")),
                completed(json!([])),
            ],
            "f#a{} tool_use [5+4]",
        ),
        (
            "two calls with one id",
            vec![
                added(0, function("x", "a", "f", "")),
                added(1, function("x", "a", "f", "")),
                arguments(0, "x", "{}"),
                arguments(1, "x", "{\"x\":1}"),
                completed(json!([])),
            ],
            "f#a{} f#a{\"x\":1} tool_use [5+4]",
        ),
        (
            "another call at a place that was there",
            vec![
                added(0, function("x", "a", "f", "")),
                done(0, function("x", "a", "f", "{}")),
                added(0, function("y", "b", "f", "")),
                done(0, function("y", "b", "f", "{\"x\":1}")),
                completed(json!([])),
            ],
            "f#a{} f#b{\"x\":1} tool_use [5+4]",
        ),
        (
            "a call and a text that come whole",
            vec![
                done(0, message("Hello")),
                done(1, function("x", "a", "f", "{}")),
                completed(json!([])),
            ],
            "Hello f#a{} tool_use [5+4]",
        ),
        (
            "arguments that begin in pieces and end whole",
            vec![
                added(0, function("x", "a", "f", "")),
                arguments(0, "x", "{\"x\""),
                done(0, function("x", "a", "f", "{\"x\":1}")),
                completed(json!([])),
            ],
            "f#a{\"x\":1} tool_use [5+4]",
        ),
        (
            "a server that only tells the end",
            vec![completed(json!([
                message("Hello"),
                function("x", "a", "f", "{}")
            ]))],
            "Hello f#a{} tool_use [5+4]",
        ),
        (
            "a server that does not stream",
            vec![
                json!({ "object": "response", "status": "completed", "error": null, "output": [message("Hello")] }),
            ],
            "Hello  end_turn",
        ),
        (
            "two messages",
            vec![
                done(0, message("First.")),
                done(1, message("Then.")),
                completed(json!([])),
            ],
            "First.\n\nThen.  end_turn [5+4]",
        ),
        (
            "thinking",
            vec![
                json!({ "type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "hm" }),
                json!({ "type": "response.reasoning_text.delta", "output_index": 0, "delta": "m" }),
                done(1, message("x")),
                completed(json!([])),
            ],
            "(hm)(m)x  end_turn [5+4]",
        ),
        (
            "a reply that is cut",
            vec![
                added(0, json!({ "type": "message", "id": "msg" })),
                text("Hel"),
                incomplete("max_output_tokens"),
            ],
            "Hel  max_tokens",
        ),
        (
            "a reply that is cut in a call",
            vec![
                added(0, function("x", "a", "f", "")),
                arguments(0, "x", "{\"x"),
                incomplete("max_output_tokens"),
            ],
            "f#a{\"x max_tokens",
        ),
        ("a filter", vec![incomplete("content_filter")], "refusal"),
        (
            "a refusal in words",
            vec![
                added(0, json!({ "type": "message", "id": "msg" })),
                json!({ "type": "response.refusal.delta", "output_index": 0, "delta": "No." }),
                completed(json!([])),
            ],
            "No.  refusal [5+4]",
        ),
        (
            "a refusal that comes whole",
            vec![
                done(
                    0,
                    json!({ "type": "message", "content": [{ "type": "refusal", "refusal": "No." }] }),
                ),
                completed(json!([])),
            ],
            "No.  refusal [5+4]",
        ),
        (
            "the stream ends",
            vec![
                added(0, json!({ "type": "message" })),
                text("x"),
                done(0, message("x")),
            ],
            "x  cut off",
        ),
        (
            "a reply that goes on elsewhere",
            vec![json!({ "object": "response", "status": "queued", "output": [] })],
            "cut off",
        ),
        (
            "a response that failed",
            vec![
                json!({ "type": "response.failed", "response": { "status": "failed", "error": { "code": "server_error", "message": "try later" } } }),
            ],
            "the provider reports an error: try later (retryable: true)",
        ),
        (
            "an error in the stream",
            vec![
                text("x"),
                json!({ "type": "error", "code": "rate_limit_exceeded", "message": "slow down" }),
            ],
            "the provider reports an error: slow down (retryable: true)",
        ),
        (
            "an error that holds it",
            vec![
                json!({ "type": "error", "error": { "type": "invalid_request_error", "code": null, "message": "no" } }),
            ],
            "the provider reports an error: no (retryable: false)",
        ),
        (
            "an error of a server before it",
            vec![json!({ "error": { "message": "overloaded", "type": "server_error" } })],
            "the provider reports an error: overloaded (retryable: true)",
        ),
        (
            "what is no JSON",
            vec![json!("{")],
            "the provider sent an event that is no JSON (retryable: false)",
        ),
    ];
    for (what, events, expected) in cases {
        assert_eq!(read("openai", &events), expected, "{what}");
    }
}

#[test]
fn a_request() {
    let (path, body) = wire("openai").request(&request());
    assert_eq!(path, "/responses");
    let call = |id: &str, arguments: &str| json!({ "type": "function_call", "call_id": id, "name": "f", "arguments": arguments });
    let result = |id: &str, output: &str| json!({ "type": "function_call_output", "call_id": id, "output": output });
    assert_eq!(
        body,
        json!({
            "model": "m",
            "input": [
                { "role": "user", "content": "Go." },
                call("same", "{\"x\":1}"),
                call("call_1", "{}"),
                result("same", "one"),
                result("call_1", "error: two"),
                { "role": "assistant", "content": "Done." },
            ],
            "stream": true,
            "store": false,
            "include": ["reasoning.encrypted_content"],
            "instructions": "Be kind.",
            "tools": [{
                "type": "function",
                "name": "f",
                "description": "Does f.",
                "parameters": { "type": "object", "properties": {} },
                "strict": false,
            }],
            "reasoning": { "effort": "high" },
        })
    );
}

#[test]
fn parameters_and_which_protocol_takes_them() {
    let wire = |stop: &[&str]| {
        let parameters = Parameters {
            model: "m".into(),
            temperature: Some(0.5),
            top_p: Some(0.25),
            max_tokens: Some(9),
            stop: stop.iter().map(|&stop| stop.to_owned()).collect(),
        };
        wire_of(provider("openai").expect("a provider"), parameters)
    };
    let (_, body) = wire(&[]).request(&ModelRequest::default());
    assert_eq!(body["temperature"], 0.5);
    assert_eq!(body["top_p"], 0.25);
    assert_eq!(body["max_output_tokens"], 9);
    // Stop sequences are known to chat completions alone.
    let (path, body) = wire(&["END"]).request(&ModelRequest::default());
    assert_eq!(path, "/chat/completions");
    assert_eq!(body["stop"], json!(["END"]));
    assert_eq!(body["max_completion_tokens"], 9);
}

#[test]
fn what_a_model_refuses_is_left_out_once() {
    let wire = wire("openai");
    assert!(!wire.goes_without("tools"));
    assert!(wire.goes_without("include"));
    let (_, body) = wire.request(&request());
    assert_eq!(body.get("include"), None);
    assert!(!wire.goes_without("include"));
}

#[test]
fn what_was_thought_goes_back_before_what_came_of_it_and_without_ids() {
    let thought = |id: &str, encrypted: Option<&str>| json!({ "type": "reasoning", "id": id, "summary": [], "encrypted_content": encrypted });
    let mut said = message("Let me see.");
    said["phase"] = "commentary".into();
    let events = [
        added(0, thought("rs_1", None)),
        done(0, thought("rs_1", Some("b3BhcXVl"))),
        done(1, said),
        done(2, thought("rs_2", None)),
        done(3, function("fc_1", "same", "f", "{\"x\":1}")),
        done(4, function("fc_2", "same", "f", "")),
        done(5, thought("rs_3", Some("bG9zdA=="))),
        completed(json!([])),
    ];
    let request = history(reply("openai", &events));
    let (_, body) = wire("openai").request(&request);
    let call = |id: &str, arguments: &str| json!({ "type": "function_call", "call_id": id, "name": "f", "arguments": arguments });
    assert_eq!(
        body["input"].as_array().expect("items")[1..5],
        [
            json!({ "type": "reasoning", "summary": [], "encrypted_content": "b3BhcXVl" }),
            json!({
                "type": "message",
                "role": "assistant",
                "content": [{ "type": "output_text", "text": "Let me see.", "annotations": [] }],
                "phase": "commentary",
            }),
            call("same", "{\"x\":1}"),
            call("call_1", "{}"),
        ]
    );
    assert_eq!(body["input"][6]["call_id"], "call_1");
    // Nobody else can read it.
    let (_, body) = wire("openai").request(&other_model(request));
    assert_eq!(
        body["input"][1],
        json!({ "role": "assistant", "content": "Let me see." })
    );
    assert!(!body.to_string().contains("b3BhcXVl"));
}

#[test]
fn a_reply_without_thinking_is_its_text_and_its_calls() {
    let events = [
        done(0, json!({ "type": "reasoning", "id": "rs", "summary": [] })),
        done(1, function("fc_1", "a", "f", "{}")),
        completed(json!([])),
    ];
    assert_eq!(reply("openai", &events).verbatim, None);
}
