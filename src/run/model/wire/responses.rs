//! OpenAI's Responses API.
//!
//! Nothing is stored at the provider (`store: false`): what the model thought comes back encrypted and goes out again with
//! the history, without the ids under which nothing is kept.

use super::{
    Decoder, Parameters, SseEvent, Wire, json_of, reported, results_with_ids, usable_ids, verbatim,
};
use crate::definition::Effort;
use crate::definition::provider::Provider;
use crate::run::Usage;
use crate::run::model::{
    AnswerForm, Message, ModelError, ModelRequest, Reply, ReplyPart, ReplyStop, Verbatim, Wanted,
};
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicBool, Ordering};

/// The protocol for one model.
#[derive(Debug)]
pub struct Responses {
    parameters: Parameters,
    provider: &'static Provider,
    /// Whether what was thought is asked for. Models that do not think refuse to be asked.
    wants_thought: AtomicBool,
}

impl Responses {
    /// For a model of `provider`.
    pub fn new(provider: &'static Provider, parameters: Parameters) -> Self {
        Self {
            parameters,
            provider,
            wants_thought: AtomicBool::new(true),
        }
    }

    /// Who wrote what goes back.
    fn origin(&self) -> String {
        self.parameters.origin("openai-responses")
    }
}

impl Wire for Responses {
    fn request(&self, request: &ModelRequest) -> (String, Value) {
        let mut body = json!({
            "model": self.parameters.model,
            "input": input(request, &self.origin()),
            "stream": true,
            "store": false,
        });
        let mut set = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                body[key] = value;
            }
        };
        let wants_thought = self.wants_thought.load(Ordering::Relaxed);
        set(
            "include",
            wants_thought.then(|| json!(["reasoning.encrypted_content"])),
        );
        let system = Some(&*request.system).filter(|system| !system.is_empty());
        set("instructions", system.map(Value::from));
        let tools = request.tools.iter().map(|tool| {
            json!({
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.input_schema,
                // The default is `true`, which takes far fewer schemas.
                "strict": false,
            })
        });
        let tools: Vec<Value> = tools.collect();
        set("tools", (!tools.is_empty()).then(|| tools.into()));
        match &request.wanted {
            Wanted::Any => {}
            Wanted::Calls => set("tool_choice", Some("required".into())),
            Wanted::Json(form) => set("text", Some(json!({ "format": format(form) }))),
        }
        let effort = request
            .effort
            .map(|effort| self.provider.sent_effort(effort));
        let effort = effort.map(Effort::as_str);
        set(
            "reasoning",
            effort.map(|effort| json!({ "effort": effort })),
        );
        set("temperature", self.parameters.temperature.map(Value::from));
        set("top_p", self.parameters.top_p.map(Value::from));
        let cap = self.parameters.max_tokens;
        set("max_output_tokens", cap.map(Value::from));
        ("/responses".into(), body)
    }

    fn authorization(&self, key: &str) -> (&'static str, String) {
        ("authorization", format!("Bearer {key}"))
    }

    fn goes_without(&self, parameter: &str) -> bool {
        // Which models think is in no name for certain, so the first refusal tells.
        parameter == "include" && self.wants_thought.swap(false, Ordering::Relaxed)
    }

    fn where_not_served(&self) -> &'static str {
        " (a server that speaks chat completions only is `provider = \"openai-compatible\"`)"
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(ResponseDecoder {
            origin: self.origin(),
            ..ResponseDecoder::default()
        })
    }
}

fn format(form: &AnswerForm) -> Value {
    let mut format = json!({ "type": "json_schema", "name": form.name, "schema": form.schema });
    if !form.description.is_empty() {
        format["description"] = form.description.as_str().into();
    }
    if let Some(strict) = form.strict {
        format["strict"] = strict.into();
    }
    format
}

fn input(request: &ModelRequest, origin: &str) -> Vec<Value> {
    let mut input = Vec::new();
    for (message, ids) in request.history.iter().zip(usable_ids(&request.history)) {
        match &**message {
            Message::User(text) => input.push(json!({ "role": "user", "content": text })),
            Message::Assistant(reply) => {
                let items = own_items(reply, &ids, origin);
                input.extend(items.unwrap_or_else(|| plain_items(reply, &ids)));
            }
            Message::Results(results) => {
                input.extend(results_with_ids(results, &ids).map(|(id, result)| {
                    json!({ "type": "function_call_output", "call_id": id, "output": result.text })
                }));
            }
        }
    }
    input
}

fn plain_items(reply: &Reply, ids: &[String]) -> Vec<Value> {
    let text = Some(&reply.text).filter(|text| !text.is_empty());
    let text = text.map(|text| json!({ "role": "assistant", "content": text }));
    let calls = reply.calls.iter().zip(ids).map(|(call, id)| {
        // Blank input counts as `{}`; what else is no JSON is what the model said.
        let input = if call.input.trim().is_empty() {
            "{}"
        } else {
            &call.input
        };
        json!({ "type": "function_call", "call_id": id, "name": call.tool, "arguments": input })
    });
    text.into_iter().chain(calls).collect()
}

/// `reply` in the items that it came in: what was thought stands before what came of it.
fn own_items(reply: &Reply, ids: &[String], origin: &str) -> Option<Vec<Value>> {
    let mut items = verbatim(reply, origin)?.as_array()?.clone();
    let calls = items
        .iter_mut()
        .filter(|item| item["type"] == "function_call");
    let mut ids = ids.iter();
    for call in calls {
        // Results answer by the ids that they are sent with.
        call["call_id"] = ids.next()?.as_str().into();
        let input = call["arguments"].as_str().unwrap_or_default();
        if input.trim().is_empty() {
            call["arguments"] = "{}".into();
        }
    }
    ids.next().is_none().then_some(items)
}

#[derive(Debug, Default)]
struct ResponseDecoder {
    origin: String,
    /// The items so far.
    items: Vec<Item>,
    /// Calls so far, which is the key of the next one.
    calls: u64,
    refused: bool,
    stop: Option<ReplyStop>,
}

/// An item of the output while it arrives.
#[derive(Debug)]
struct Item {
    /// Its place in the output, which stays the same in all its events; ids do not with every server.
    index: Option<u64>,
    id: String,
    /// The key of a call.
    call: Option<u64>,
    call_id: String,
    /// What came of its text or its arguments.
    streamed: String,
    /// The item itself, once it is whole.
    whole: Option<Map<String, Value>>,
}

impl Decoder for ResponseDecoder {
    fn event(&mut self, event: &SseEvent) -> Result<Vec<ReplyPart>, ModelError> {
        if event.data.trim() == "[DONE]" {
            return Ok(Vec::new());
        }
        let data = json_of(event)?;
        // Servers that do not stream send the response itself.
        if data["object"] == "response" {
            return self.finish(&data);
        }
        let delta = data["delta"].as_str().unwrap_or_default();
        match data["type"].as_str().unwrap_or(&event.event) {
            "response.output_item.added" => Ok(self.begin(&data)),
            "response.output_item.done" => Ok(self.whole(place(&data), &data["item"])),
            "response.output_text.delta" => Ok(self.text(&data, delta)),
            "response.refusal.delta" => {
                self.refused = true;
                Ok(self.text(&data, delta))
            }
            "response.function_call_arguments.delta" => Ok(self.arguments(&data, delta)),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                Ok(thinking(delta))
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.finish(&data["response"])
            }
            // The error itself, or one that holds it.
            "error" => Err(failed(
                [&data["error"], &data]
                    .into_iter()
                    .find(|error| error["message"].is_string())
                    .unwrap_or(&data),
            )),
            "" if !data["error"].is_null() => Err(failed(&data["error"])),
            // What began and ended in between, and what comes to the protocol later.
            _ => Ok(Vec::new()),
        }
    }

    fn end(&mut self) -> Vec<ReplyPart> {
        let stop = self.stop.map(|stop| match stop {
            ReplyStop::EndTurn if self.refused => ReplyStop::Refusal,
            ReplyStop::EndTurn if self.calls > 0 => ReplyStop::ToolUse,
            stop => stop,
        });
        let stop = stop.map(ReplyPart::Stop);
        self.verbatim().into_iter().chain(stop).collect()
    }
}

/// The place in the output and the id of the item that an event is about.
fn place(data: &Value) -> (Option<u64>, &str) {
    let id = data["item_id"].as_str().or(data["item"]["id"].as_str());
    (data["output_index"].as_u64(), id.unwrap_or_default())
}

fn thinking(text: &str) -> Vec<ReplyPart> {
    let text = Some(text).filter(|text| !text.is_empty());
    text.map(|text| ReplyPart::Thinking(text.into()))
        .into_iter()
        .collect()
}

/// The error that ended a response.
fn failed(error: &Value) -> ModelError {
    let code = error["code"].as_str().or(error["type"].as_str());
    let retryable = matches!(
        code.unwrap_or_default(),
        "server_error" | "rate_limit_exceeded" | "server_is_overloaded" | "slow_down"
    );
    reported(error, retryable)
}

impl ResponseDecoder {
    /// The newest item at a place.
    fn at(&mut self, (index, id): (Option<u64>, &str)) -> Option<&mut Item> {
        self.items.iter_mut().rfind(|item| match index {
            Some(_) => item.index == index,
            None => item.id == id,
        })
    }

    fn begin(&mut self, data: &Value) -> Vec<ReplyPart> {
        let (place, item) = (place(data), &data["item"]);
        let call_id = item["call_id"].as_str().unwrap_or_default();
        // An item that is told twice began once; another call at one place is another.
        if self.at(place).is_some_and(|known| known.call_id == call_id) {
            return Vec::new();
        }
        self.add(place, item)
    }

    fn add(&mut self, (index, id): (Option<u64>, &str), item: &Value) -> Vec<ReplyPart> {
        let text = |key: &str| item[key].as_str().unwrap_or_default().to_owned();
        let mut parts = Vec::new();
        let mut call = None;
        if item["type"] == "function_call" {
            call = Some(self.calls);
            parts.push(ReplyPart::Call {
                key: self.calls,
                id: Some(text("call_id")).filter(|id| !id.is_empty()),
                tool: Some(text("name")).filter(|name| !name.is_empty()),
                input: String::new(),
            });
            self.calls += 1;
        } else if item["type"] == "message" && self.items.iter().any(Item::has_text) {
            // Messages are as apart as paragraphs.
            parts.push(ReplyPart::Text("\n\n".into()));
        }
        self.items.push(Item {
            index,
            id: id.to_owned(),
            call,
            call_id: text("call_id"),
            streamed: String::new(),
            whole: None,
        });
        parts
    }

    fn text(&mut self, data: &Value, delta: &str) -> Vec<ReplyPart> {
        if let Some(item) = self.at(place(data)) {
            item.streamed.push_str(delta);
        }
        let delta = Some(delta).filter(|delta| !delta.is_empty());
        delta
            .map(|delta| ReplyPart::Text(delta.into()))
            .into_iter()
            .collect()
    }

    fn arguments(&mut self, data: &Value, delta: &str) -> Vec<ReplyPart> {
        // Arguments of a call that did not begin come with the whole item.
        let Some(item) = self.at(place(data)) else {
            return Vec::new();
        };
        item.streamed.push_str(delta);
        item.call
            .filter(|_| !delta.is_empty())
            .map(|key| more_input(key, delta))
            .into_iter()
            .collect()
    }

    /// Takes `item`, which is whole, and returns what of it did not come before.
    fn whole(&mut self, place: (Option<u64>, &str), item: &Value) -> Vec<ReplyPart> {
        let Some(fields) = item.as_object() else {
            return Vec::new();
        };
        let call_id = item["call_id"].as_str().unwrap_or_default();
        let mut parts = Vec::new();
        if self.at(place).is_none_or(|known| known.call_id != call_id) {
            parts.extend(self.add(place, item));
        }
        let full = match item["type"].as_str() {
            Some("function_call") => item["arguments"].as_str().unwrap_or_default().to_owned(),
            Some("message") => {
                let contents = item["content"].as_array().into_iter().flatten();
                let texts = contents.map(|content| {
                    self.refused |= content["refusal"].is_string();
                    let text = content["text"].as_str().or(content["refusal"].as_str());
                    text.unwrap_or_default()
                });
                texts.collect()
            }
            _ => String::new(),
        };
        if let Some(known) = self.at(place) {
            known.whole = Some(fields.clone());
            let rest = full.strip_prefix(known.streamed.as_str()).unwrap_or("");
            known.streamed.push_str(rest);
            if !rest.is_empty() {
                parts.push(match known.call {
                    Some(key) => more_input(key, rest),
                    None => ReplyPart::Text(rest.into()),
                });
            }
        }
        parts
    }

    /// Takes the response at its end.
    fn finish(&mut self, response: &Value) -> Result<Vec<ReplyPart>, ModelError> {
        let status = response["status"].as_str().unwrap_or("completed");
        if let "failed" | "cancelled" = status {
            return Err(failed(&response["error"]));
        }
        let mut parts = Vec::new();
        // Where nothing was streamed all is here.
        if self.items.is_empty() {
            for (index, item) in (0..).zip(response["output"].as_array().into_iter().flatten()) {
                let id = item["id"].as_str().unwrap_or_default();
                parts.extend(self.whole((Some(index), id), item));
            }
        }
        self.stop = match status {
            "completed" => Some(ReplyStop::EndTurn),
            "incomplete" => Some(match response["incomplete_details"]["reason"].as_str() {
                Some("content_filter") => ReplyStop::Refusal,
                _ => ReplyStop::MaxTokens,
            }),
            _ => None,
        };
        let usage = &response["usage"];
        if usage.is_object() {
            parts.push(ReplyPart::Usage(Usage {
                input: usage["input_tokens"].as_u64().unwrap_or(0),
                output: usage["output_tokens"].as_u64().unwrap_or(0),
                cached: usage["input_tokens_details"]["cached_tokens"].as_u64(),
                reasoning: usage["output_tokens_details"]["reasoning_tokens"].as_u64(),
            }));
        }
        Ok(parts)
    }

    /// The items as they go back, if they say more than text and calls.
    fn verbatim(&mut self) -> Option<ReplyPart> {
        let items = std::mem::take(&mut self.items).into_iter();
        let mut items: Vec<Value> = items.filter_map(Item::sent_back).collect();
        // What was thought is refused without what came of it.
        while items.last().is_some_and(|item| item["type"] == "reasoning") {
            items.pop();
        }
        let says_more = |item: &Value| item["type"] == "reasoning" || item["phase"].is_string();
        items.iter().any(says_more).then(|| {
            ReplyPart::Verbatim(Verbatim {
                origin: std::mem::take(&mut self.origin),
                content: items.into(),
            })
        })
    }
}

fn more_input(key: u64, input: &str) -> ReplyPart {
    ReplyPart::Call {
        key,
        id: None,
        tool: None,
        input: input.into(),
    }
}

impl Item {
    fn has_text(&self) -> bool {
        self.call.is_none() && !self.streamed.is_empty()
    }

    /// The item without the id under which nothing is kept; `None` for one that is not whole, or that is known under its
    /// id only.
    fn sent_back(self) -> Option<Value> {
        let mut fields = self.whole?;
        fields.remove("id");
        fields.remove("status");
        let keeps = match fields["type"].as_str()? {
            "reasoning" => fields
                .get("encrypted_content")
                .is_some_and(Value::is_string),
            "message" | "function_call" => true,
            _ => false,
        };
        keeps.then(|| fields.into())
    }
}
