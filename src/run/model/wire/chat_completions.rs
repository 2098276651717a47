//! OpenAI's chat completions, which Ollama and many other servers speak too.

use super::{
    Decoder, Parameters, SseEvent, Wire, json_of, reported, results_with_ids, usable_ids, verbatim,
};
use crate::definition::Effort;
use crate::definition::provider::Provider;
use crate::run::Usage;
use crate::run::model::{
    AnswerForm, Message, ModelError, ModelRequest, ReplyPart, ReplyStop, Verbatim, Wanted,
};
use serde_json::{Value, json};

/// The protocol for one model.
#[derive(Debug)]
pub struct ChatCompletions {
    parameters: Parameters,
    provider: &'static Provider,
    /// Stands before `/chat/completions`.
    prefix: &'static str,
}

impl ChatCompletions {
    /// For a model of `provider`.
    pub fn new(provider: &'static Provider, parameters: Parameters) -> Self {
        // Ollama has its own protocol at its address, and this one below.
        let prefix = if provider.name == "ollama" { "/v1" } else { "" };
        Self {
            parameters,
            provider,
            prefix,
        }
    }
}

impl Wire for ChatCompletions {
    fn request(&self, request: &ModelRequest) -> (String, Value) {
        let mut body = json!({
            "model": self.parameters.model,
            "messages": messages(request, &self.origin()),
            "stream": true,
            "stream_options": { "include_usage": true },
        });
        let mut set = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                body[key] = value;
            }
        };
        let tools = request.tools.iter().map(|tool| {
            json!({
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.input_schema,
                },
            })
        });
        set(
            "tools",
            Some(tools.collect::<Vec<_>>())
                .filter(|tools| !tools.is_empty())
                .map(Value::from),
        );
        match &request.wanted {
            Wanted::Any => {}
            Wanted::Calls => set("tool_choice", Some("required".into())),
            Wanted::Json(form) => set("response_format", Some(response_format(form))),
        }
        let effort = request
            .effort
            .map(|effort| self.provider.sent_effort(effort));
        set(
            "reasoning_effort",
            effort.map(Effort::as_str).map(Value::from),
        );
        set("temperature", self.parameters.temperature.map(Value::from));
        set("top_p", self.parameters.top_p.map(Value::from));
        // OpenAI's own models with reasoning refuse the older name, which other servers know alone.
        let cap = if self.provider.name == "openai" {
            "max_completion_tokens"
        } else {
            "max_tokens"
        };
        set(cap, self.parameters.max_tokens.map(Value::from));
        set(
            "stop",
            Some(self.parameters.stop.clone())
                .filter(|stop| !stop.is_empty())
                .map(Value::from),
        );
        (format!("{}/chat/completions", self.prefix), body)
    }

    fn authorization(&self, key: &str) -> (&'static str, String) {
        ("authorization", format!("Bearer {key}"))
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(ChatDecoder {
            origin: self.origin(),
            ..ChatDecoder::default()
        })
    }
}

impl ChatCompletions {
    /// Who wrote what goes back.
    fn origin(&self) -> String {
        self.parameters.origin(self.provider.name)
    }
}

fn response_format(form: &AnswerForm) -> Value {
    let mut schema = json!({ "name": form.name, "schema": form.schema });
    if !form.description.is_empty() {
        schema["description"] = form.description.as_str().into();
    }
    if let Some(strict) = form.strict {
        schema["strict"] = strict.into();
    }
    json!({ "type": "json_schema", "json_schema": schema })
}

fn messages(request: &ModelRequest, origin: &str) -> Vec<Value> {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": &*request.system }));
    }
    for (message, ids) in request.history.iter().zip(usable_ids(&request.history)) {
        match &**message {
            Message::User(text) => messages.push(json!({ "role": "user", "content": text })),
            Message::Assistant(reply) => {
                let calls = reply.calls.iter().zip(&ids).map(|(call, id)| {
                    // Blank input counts as `{}`; what else is no JSON is what the model said.
                    let input = if call.input.trim().is_empty() { "{}" } else { &call.input };
                    json!({ "id": id, "type": "function", "function": { "name": call.tool, "arguments": input } })
                });
                let calls: Vec<Value> = calls.collect();
                // Some servers fail on a content that is null or left out.
                let mut message = json!({ "role": "assistant", "content": reply.text });
                if !calls.is_empty() {
                    message["tool_calls"] = calls.into();
                    // Some models refuse to go on with calls of which they do not know why they made them.
                    let thought = verbatim(reply, origin).and_then(Value::as_object);
                    for (key, value) in thought.into_iter().flatten() {
                        message[key] = value.clone();
                    }
                }
                messages.push(message);
            }
            Message::Results(results) => {
                messages.extend(results_with_ids(results, &ids).map(|(id, result)| {
                    json!({ "role": "tool", "tool_call_id": id, "content": result.text })
                }));
            }
        }
    }
    messages
}

#[derive(Debug, Default)]
struct ChatDecoder {
    origin: String,
    /// What was thought, under the name that the server has for it.
    thought: Option<(&'static str, String)>,
    calls: Vec<OpenCall>,
    stop: Option<ReplyStop>,
    /// The stream said that it is whole.
    done: bool,
    refused: bool,
}

/// A call while it arrives.
#[derive(Debug)]
struct OpenCall {
    index: Option<u64>,
    id: String,
    input: String,
}

impl Decoder for ChatDecoder {
    fn event(&mut self, event: &SseEvent) -> Result<Vec<ReplyPart>, ModelError> {
        if event.data.trim() == "[DONE]" {
            self.done = true;
            return Ok(Vec::new());
        }
        let chunk = json_of(event)?;
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            let code = error["code"].as_u64().or_else(|| chunk["code"].as_u64());
            return Err(reported(
                error,
                code.is_some_and(|code| code == 429 || code >= 500),
            ));
        }
        let mut parts = Vec::new();
        let choice = &chunk["choices"][0];
        // Servers that do not stream send the whole message.
        let delta = if choice["delta"].is_object() {
            &choice["delta"]
        } else {
            &choice["message"]
        };
        for key in ["reasoning_content", "reasoning"] {
            if let Some(text) = delta[key].as_str().filter(|text| !text.is_empty()) {
                parts.push(ReplyPart::Thinking(text.into()));
                let thought = self.thought.get_or_insert_default();
                thought.0 = key;
                thought.1.push_str(text);
                break;
            }
        }
        if let Some(text) = delta["content"].as_str().filter(|text| !text.is_empty()) {
            parts.push(ReplyPart::Text(text.into()));
        }
        if let Some(text) = delta["refusal"].as_str().filter(|text| !text.is_empty()) {
            self.refused = true;
            parts.push(ReplyPart::Text(text.into()));
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            parts.push(self.call(call));
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.stop = Some(match reason {
                "length" => ReplyStop::MaxTokens,
                "content_filter" => ReplyStop::Refusal,
                "tool_calls" | "function_call" => ReplyStop::ToolUse,
                _ => ReplyStop::EndTurn,
            });
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            parts.push(ReplyPart::Usage(Usage {
                input: usage["prompt_tokens"].as_u64().unwrap_or(0),
                output: usage["completion_tokens"].as_u64().unwrap_or(0),
                cached: usage["prompt_tokens_details"]["cached_tokens"].as_u64(),
                reasoning: usage["completion_tokens_details"]["reasoning_tokens"].as_u64(),
            }));
        }
        Ok(parts)
    }

    fn end(&mut self) -> Vec<ReplyPart> {
        let by_calls = if self.calls.is_empty() {
            ReplyStop::EndTurn
        } else {
            ReplyStop::ToolUse
        };
        let stop = match self.stop {
            Some(ReplyStop::EndTurn | ReplyStop::ToolUse) if self.refused => {
                Some(ReplyStop::Refusal)
            }
            // Some servers say `stop` after calls.
            Some(ReplyStop::EndTurn | ReplyStop::ToolUse) => Some(by_calls),
            None if self.done => Some(by_calls),
            stop => stop,
        };
        let thought = self.thought.take().filter(|_| !self.calls.is_empty());
        let verbatim = thought.map(|(key, text)| {
            ReplyPart::Verbatim(Verbatim {
                origin: std::mem::take(&mut self.origin),
                content: json!({ key: text }),
            })
        });
        let stop = stop.map(ReplyPart::Stop);
        verbatim.into_iter().chain(stop).collect()
    }
}

impl ChatDecoder {
    /// The part that `fragment` adds to a call, or begins one with.
    fn call(&mut self, fragment: &Value) -> ReplyPart {
        let index = fragment["index"].as_u64();
        let id = fragment["id"].as_str().unwrap_or_default();
        let name = fragment["function"]["name"].as_str().unwrap_or_default();
        let input = match &fragment["function"]["arguments"] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            // Some servers send the object itself.
            other => other.to_string(),
        };
        let key = match self.continued(index, id, name) {
            Some(key) => key,
            None => {
                self.calls.push(OpenCall {
                    index,
                    id: String::new(),
                    input: String::new(),
                });
                self.calls.len() - 1
            }
        };
        let call = &mut self.calls[key];
        if call.id.is_empty() {
            call.id = id.to_owned();
        }
        call.input.push_str(&input);
        ReplyPart::Call {
            key: key as u64,
            id: Some(id.to_owned()).filter(|id| !id.is_empty()),
            tool: Some(name.to_owned()).filter(|name| !name.is_empty()),
            input,
        }
    }

    /// The call that a fragment goes on with, if it begins none.
    fn continued(&self, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let other_id = |call: &OpenCall| !id.is_empty() && !call.id.is_empty() && call.id != id;
        if index.is_some() {
            let key = self.calls.iter().rposition(|call| call.index == index)?;
            // A new id at an index that was there is a new call.
            return Some(key).filter(|key| !other_id(&self.calls[*key]));
        }
        let key = self.calls.len().checked_sub(1)?;
        let last = &self.calls[key];
        // Without an index a name or an id begins a call, unless it repeats that of one whose input is not whole.
        let begins = !id.is_empty() || !name.is_empty();
        let whole = last.input.is_empty()
            || serde_json::from_str::<serde::de::IgnoredAny>(&last.input).is_ok();
        Some(key).filter(|_| !begins || !whole && !other_id(last))
    }
}
