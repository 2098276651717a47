//! Anthropic's Messages API.

use super::{
    Decoder, Parameters, SseEvent, Wire, input_object, json_of, reported, results_with_ids,
    usable_ids, verbatim,
};
use crate::definition::provider::Provider;
use crate::run::Usage;
use crate::run::model::{
    Message, ModelError, ModelRequest, Reply, ReplyPart, ReplyStop, Verbatim, Wanted,
};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The version of the API that this client speaks.
const VERSION: &[(&str, &str)] = &[("anthropic-version", "2023-06-01")];

/// The protocol for one model.
#[derive(Debug)]
pub struct Anthropic {
    parameters: Parameters,
    provider: &'static Provider,
}

impl Anthropic {
    /// For a model of `provider`.
    pub fn new(provider: &'static Provider, parameters: Parameters) -> Self {
        Self {
            parameters,
            provider,
        }
    }
}

impl Wire for Anthropic {
    fn request(&self, request: &ModelRequest) -> (String, Value) {
        let demanded = self
            .provider
            .demanded_max_tokens
            .as_ref()
            .map(|fact| fact.value);
        let mut body = json!({
            "model": self.parameters.model,
            "max_tokens": self.parameters.max_tokens.or(demanded),
            "messages": messages(request, &self.origin()),
            "stream": true,
        });
        let mut set = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                body[key] = value;
            }
        };
        set(
            "system",
            Some(&*request.system)
                .filter(|system| !system.is_empty())
                .map(Value::from),
        );
        let tools = request.tools.iter().map(|tool| {
            json!({ "name": tool.name, "description": tool.description, "input_schema": tool.input_schema })
        });
        set(
            "tools",
            Some(tools.collect::<Vec<_>>())
                .filter(|tools| !tools.is_empty())
                .map(Value::from),
        );
        let mut output = Map::new();
        if let Some(effort) = request.effort {
            let effort = self.provider.sent_effort(effort);
            output.insert("effort".into(), effort.as_str().into());
        }
        if let Wanted::Json(form) = &request.wanted {
            let format = json!({ "type": "json_schema", "schema": form.schema });
            output.insert("format".into(), format);
        }
        set(
            "output_config",
            (!output.is_empty()).then(|| Value::from(output)),
        );
        let must_call = matches!(request.wanted, Wanted::Calls);
        set("tool_choice", must_call.then(|| json!({ "type": "any" })));
        set("temperature", self.parameters.temperature.map(Value::from));
        set("top_p", self.parameters.top_p.map(Value::from));
        let stop = Some(self.parameters.stop.clone()).filter(|stop| !stop.is_empty());
        set("stop_sequences", stop.map(Value::from));
        ("/v1/messages".into(), body)
    }

    fn authorization(&self, key: &str) -> (&'static str, String) {
        ("x-api-key", key.to_owned())
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        VERSION
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(MessageDecoder {
            origin: self.origin(),
            ..MessageDecoder::default()
        })
    }
}

impl Anthropic {
    /// Who signs what it thinks.
    fn origin(&self) -> String {
        self.parameters.origin("anthropic")
    }
}

fn messages(request: &ModelRequest, origin: &str) -> Vec<Value> {
    let mut messages = Vec::new();
    for (message, ids) in request.history.iter().zip(usable_ids(&request.history)) {
        let (role, content) = match &**message {
            Message::User(text) => ("user", vec![json!({ "type": "text", "text": text })]),
            Message::Assistant(reply) => {
                let blocks = signed_blocks(reply, &ids, origin);
                (
                    "assistant",
                    blocks.unwrap_or_else(|| plain_blocks(reply, &ids)),
                )
            }
            Message::Results(results) => {
                let results = results_with_ids(results, &ids).map(|(id, result)| {
                    json!({
                        "type": "tool_result",
                        "tool_use_id": id,
                        "content": result.text,
                        "is_error": result.is_error,
                    })
                });
                ("user", results.collect())
            }
        };
        if !content.is_empty() {
            messages.push(json!({ "role": role, "content": content }));
        }
    }
    messages
}

fn plain_blocks(reply: &Reply, ids: &[String]) -> Vec<Value> {
    // A block of blank text is refused.
    let text = Some(&reply.text).filter(|text| !text.trim().is_empty());
    let text = text.map(|text| json!({ "type": "text", "text": text }));
    let calls = reply.calls.iter().zip(ids).map(|(call, id)| {
        json!({ "type": "tool_use", "id": id, "name": call.tool, "input": input_object(&call.input) })
    });
    text.into_iter().chain(calls).collect()
}

/// `reply` in the blocks that it came in: what was thought stands where it stood, signed.
fn signed_blocks(reply: &Reply, ids: &[String], origin: &str) -> Option<Vec<Value>> {
    let mut blocks = verbatim(reply, origin)?.as_array()?.clone();
    let calls = blocks
        .iter_mut()
        .filter(|block| block["type"] == "tool_use");
    let mut ids = ids.iter();
    for call in calls {
        // Results answer by the ids that they are sent with.
        call["id"] = ids.next()?.as_str().into();
    }
    ids.next().is_none().then_some(blocks)
}

#[derive(Debug, Default)]
struct MessageDecoder {
    origin: String,
    /// The blocks so far, as they go back.
    blocks: Vec<Block>,
    /// The newest call at each index of a content block.
    keys: HashMap<u64, u64>,
    next_key: u64,
    /// Input that a block came with, used where no more follows.
    initial: HashMap<u64, String>,
    usage: Usage,
    stop: Option<ReplyStop>,
}

impl Decoder for MessageDecoder {
    fn event(&mut self, event: &SseEvent) -> Result<Vec<ReplyPart>, ModelError> {
        if event.data.trim().is_empty() {
            return Ok(Vec::new());
        }
        let data = json_of(event)?;
        let index = data["index"].as_u64().unwrap_or(0);
        match data["type"].as_str().unwrap_or(&event.event) {
            "error" => {
                let kind = data["error"]["type"].as_str().unwrap_or_default();
                let retryable = matches!(
                    kind,
                    "overloaded_error" | "api_error" | "rate_limit_error" | "timeout_error"
                );
                Err(reported(&data["error"], retryable))
            }
            "message_start" => Ok(self.count(&data["message"]["usage"])),
            "content_block_start" => {
                self.blocks.push(Block::new(index, &data["content_block"]));
                Ok(self.begin(index, &data["content_block"]))
            }
            "content_block_delta" => {
                let mut blocks = self.blocks.iter_mut();
                if let Some(block) = blocks.rfind(|block| block.index == index) {
                    block.add(&data["delta"]);
                }
                Ok(self.delta(index, &data["delta"]))
            }
            "content_block_stop" => Ok(self.end_block(index)),
            "message_delta" => {
                if let Some(reason) = data["delta"]["stop_reason"].as_str() {
                    self.stop = Some(match reason {
                        "max_tokens" | "model_context_window_exceeded" => ReplyStop::MaxTokens,
                        "refusal" => ReplyStop::Refusal,
                        "tool_use" => ReplyStop::ToolUse,
                        "pause_turn" => ReplyStop::Paused,
                        _ => ReplyStop::EndTurn,
                    });
                }
                Ok(self.count(&data["usage"]))
            }
            // `ping`, `message_stop`, and what comes to the protocol later.
            _ => Ok(Vec::new()),
        }
    }

    fn end(&mut self) -> Vec<ReplyPart> {
        let says_more = self.blocks.iter().any(Block::says_more);
        let verbatim = says_more.then(|| {
            let blocks = self.blocks.drain(..);
            ReplyPart::Verbatim(Verbatim {
                origin: std::mem::take(&mut self.origin),
                content: blocks.filter_map(Block::finish).collect(),
            })
        });
        let stop = self.stop.map(ReplyPart::Stop);
        verbatim.into_iter().chain(stop).collect()
    }
}

/// A block of a reply while it arrives.
#[derive(Debug)]
struct Block {
    index: u64,
    fields: Map<String, Value>,
    /// The input of a call, as text.
    input: String,
}

impl Block {
    fn new(index: u64, value: &Value) -> Self {
        let fields = value.as_object().cloned().unwrap_or_default();
        Self {
            index,
            fields,
            input: String::new(),
        }
    }

    fn add(&mut self, delta: &Value) {
        for key in ["text", "thinking", "signature"] {
            if let Some(more) = delta[key].as_str() {
                match self.fields.get_mut(key) {
                    Some(Value::String(text)) => text.push_str(more),
                    _ => drop(self.fields.insert(key.into(), more.into())),
                }
            }
        }
        let input = delta["partial_json"].as_str();
        self.input.push_str(input.unwrap_or_default());
    }

    /// Whether it is more than text and calls.
    fn says_more(&self) -> bool {
        !matches!(self.text("type"), "text" | "tool_use")
    }

    fn text(&self, key: &str) -> &str {
        let field = self.fields.get(key);
        field.and_then(Value::as_str).unwrap_or_default()
    }

    /// The block as it goes back; `None` for one of no text, which is refused.
    fn finish(mut self) -> Option<Value> {
        if !self.input.trim().is_empty() {
            self.fields
                .insert("input".into(), input_object(&self.input));
        }
        let is_blank = self.text("type") == "text" && self.text("text").trim().is_empty();
        (!is_blank).then_some(self.fields.into())
    }
}

impl MessageDecoder {
    fn begin(&mut self, index: u64, block: &Value) -> Vec<ReplyPart> {
        match block["type"].as_str() {
            Some("tool_use") => {
                let key = self.next_key;
                self.next_key += 1;
                self.keys.insert(index, key);
                if block["input"]
                    .as_object()
                    .is_some_and(|input| !input.is_empty())
                {
                    self.initial.insert(index, block["input"].to_string());
                } else {
                    self.initial.remove(&index);
                }
                vec![ReplyPart::Call {
                    key,
                    id: block["id"].as_str().map(str::to_owned),
                    tool: block["name"].as_str().map(str::to_owned),
                    input: String::new(),
                }]
            }
            Some("text") => text(&block["text"], ReplyPart::Text),
            Some("thinking") => text(&block["thinking"], ReplyPart::Thinking),
            _ => Vec::new(),
        }
    }

    fn delta(&mut self, index: u64, delta: &Value) -> Vec<ReplyPart> {
        match delta["type"].as_str() {
            Some("text_delta") => text(&delta["text"], ReplyPart::Text),
            Some("thinking_delta") => text(&delta["thinking"], ReplyPart::Thinking),
            Some("input_json_delta") => {
                let input = delta["partial_json"].as_str().unwrap_or_default();
                match self.keys.get(&index) {
                    Some(key) if !input.is_empty() => {
                        self.initial.remove(&index);
                        vec![ReplyPart::Call {
                            key: *key,
                            id: None,
                            tool: None,
                            input: input.into(),
                        }]
                    }
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    fn end_block(&mut self, index: u64) -> Vec<ReplyPart> {
        match (self.keys.get(&index), self.initial.remove(&index)) {
            (Some(key), Some(input)) => vec![ReplyPart::Call {
                key: *key,
                id: None,
                tool: None,
                input,
            }],
            _ => Vec::new(),
        }
    }

    fn count(&mut self, usage: &Value) -> Vec<ReplyPart> {
        if !usage.is_object() {
            return Vec::new();
        }
        let tokens = |key: &str| usage[key].as_u64();
        if let Some(input) = tokens("input_tokens") {
            let cached = tokens("cache_read_input_tokens");
            self.usage.input =
                input + cached.unwrap_or(0) + tokens("cache_creation_input_tokens").unwrap_or(0);
            self.usage.cached = cached;
        }
        if let Some(output) = tokens("output_tokens") {
            self.usage.output = output;
        }
        vec![ReplyPart::Usage(self.usage)]
    }
}

fn text(value: &Value, part: fn(String) -> ReplyPart) -> Vec<ReplyPart> {
    let text = value.as_str().filter(|text| !text.is_empty());
    text.map(|text| part(text.to_owned())).into_iter().collect()
}
