//! Google's Gemini API.

use super::{Decoder, Parameters, SseEvent, Wire, input_object, json_of, reported, verbatim};
use crate::definition::Effort;
use crate::definition::provider::Provider;
use crate::run::Usage;
use crate::run::model::{
    Message, ModelError, ModelRequest, Reply, ReplyPart, ReplyStop, Verbatim, Wanted,
};
use serde_json::{Map, Value, json};

/// The protocol for one model.
#[derive(Debug)]
pub struct Gemini {
    parameters: Parameters,
    provider: &'static Provider,
}

impl Gemini {
    /// For a model of `provider`.
    pub fn new(provider: &'static Provider, parameters: Parameters) -> Self {
        Self {
            parameters,
            provider,
        }
    }
}

impl Wire for Gemini {
    fn request(&self, request: &ModelRequest) -> (String, Value) {
        let mut generation = Map::new();
        let mut set = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                generation.insert(key.into(), value);
            }
        };
        set("temperature", self.parameters.temperature.map(Value::from));
        set("topP", self.parameters.top_p.map(Value::from));
        set(
            "maxOutputTokens",
            self.parameters.max_tokens.map(Value::from),
        );
        let stop = Some(self.parameters.stop.clone()).filter(|stop| !stop.is_empty());
        set("stopSequences", stop.map(Value::from));
        let effort = request
            .effort
            .map(|effort| self.provider.sent_effort(effort));
        set(
            "thinkingConfig",
            effort
                .map(Effort::as_str)
                .map(|effort| json!({ "thinkingLevel": effort })),
        );
        if let Wanted::Json(form) = &request.wanted {
            set("responseMimeType", Some("application/json".into()));
            set("responseJsonSchema", Some(form.schema.clone()));
        }
        let mut body = json!({ "contents": contents(request, &self.origin()) });
        if matches!(request.wanted, Wanted::Calls) {
            body["toolConfig"] = json!({ "functionCallingConfig": { "mode": "ANY" } });
        }
        if !generation.is_empty() {
            body["generationConfig"] = generation.into();
        }
        if !request.system.is_empty() {
            body["systemInstruction"] = json!({ "parts": [{ "text": &*request.system }] });
        }
        let tools: Vec<Value> = request
            .tools
            .iter()
            .map(|tool| {
                json!({
                    "name": tool.name,
                    "description": tool.description,
                    // The other field, `parameters`, takes far less of JSON Schema.
                    "parametersJsonSchema": tool.input_schema,
                })
            })
            .collect();
        if !tools.is_empty() {
            body["tools"] = json!([{ "functionDeclarations": tools }]);
        }
        let model = &self.parameters.model;
        let model = if model.contains('/') {
            model.clone()
        } else {
            format!("models/{model}")
        };
        (
            format!("/v1beta/{model}:streamGenerateContent?alt=sse"),
            body,
        )
    }

    fn authorization(&self, key: &str) -> (&'static str, String) {
        ("x-goog-api-key", key.to_owned())
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(ContentDecoder {
            origin: self.origin(),
            ..ContentDecoder::default()
        })
    }
}

impl Gemini {
    /// Who signs what it thinks.
    fn origin(&self) -> String {
        self.parameters.origin("gemini")
    }
}

fn contents(request: &ModelRequest, origin: &str) -> Vec<Value> {
    let mut contents = Vec::new();
    // The ids of the calls of the last reply, where it has some.
    let mut ids: Vec<Value> = Vec::new();
    for message in request.history.iter() {
        let (role, parts) = match &**message {
            Message::User(text) => ("user", vec![json!({ "text": text })]),
            Message::Assistant(reply) => {
                let signed = verbatim(reply, origin).and_then(Value::as_array).cloned();
                let parts = signed.unwrap_or_else(|| plain_parts(reply));
                let calls = parts.iter().filter_map(|part| part.get("functionCall"));
                ids = calls.map(|call| call["id"].clone()).collect();
                ("model", parts)
            }
            Message::Results(results) => {
                let results = results.iter().enumerate().map(|(index, result)| {
                    let key = if result.is_error { "error" } else { "output" };
                    let mut response =
                        json!({ "name": result.tool, "response": { key: result.text } });
                    if let Some(id @ Value::String(_)) = ids.get(index) {
                        response["id"] = id.clone();
                    }
                    json!({ "functionResponse": response })
                });
                ("user", results.collect())
            }
        };
        if !parts.is_empty() {
            contents.push(json!({ "role": role, "parts": parts }));
        }
    }
    contents
}

fn plain_parts(reply: &Reply) -> Vec<Value> {
    let text = Some(&reply.text).filter(|text| !text.is_empty());
    let text = text.map(|text| json!({ "text": text }));
    let calls = reply.calls.iter().map(
        |call| json!({ "functionCall": { "name": call.tool, "args": input_object(&call.input) } }),
    );
    text.into_iter().chain(calls).collect()
}

/// The key of the signature of a part, which goes back with it.
const SIGNATURE: &str = "thoughtSignature";

#[derive(Debug, Default)]
struct ContentDecoder {
    origin: String,
    /// The parts so far, as they go back.
    parts: Vec<Value>,
    calls: u64,
    stop: Option<ReplyStop>,
}

impl Decoder for ContentDecoder {
    fn event(&mut self, event: &SseEvent) -> Result<Vec<ReplyPart>, ModelError> {
        let data = json_of(event)?;
        if let Some(error) = data.get("error") {
            let code = error["code"].as_u64().unwrap_or(0);
            return Err(reported(error, code == 429 || code >= 500));
        }
        let mut parts = Vec::new();
        if data["promptFeedback"]["blockReason"].is_string() {
            self.stop = Some(ReplyStop::Refusal);
        }
        let candidate = &data["candidates"][0];
        for part in candidate["content"]["parts"]
            .as_array()
            .into_iter()
            .flatten()
        {
            self.keep(part);
            if let Some(text) = part["text"].as_str().filter(|text| !text.is_empty()) {
                let thought = part["thought"] == true;
                parts.push(if thought {
                    ReplyPart::Thinking(text.into())
                } else {
                    ReplyPart::Text(text.into())
                });
            }
            if let Some(call) = part.get("functionCall") {
                // A call comes whole.
                parts.push(ReplyPart::Call {
                    key: self.calls,
                    id: call["id"].as_str().map(str::to_owned),
                    tool: call["name"].as_str().map(str::to_owned),
                    input: if call["args"].is_object() {
                        call["args"].to_string()
                    } else {
                        String::new()
                    },
                });
                self.calls += 1;
            }
        }
        if let Some(reason) = candidate["finishReason"].as_str() {
            self.stop = Some(match reason {
                "STOP" | "FUNCTION_CALL" if self.calls > 0 => ReplyStop::ToolUse,
                "STOP" => ReplyStop::EndTurn,
                "MAX_TOKENS" => ReplyStop::MaxTokens,
                "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => {
                    ReplyStop::Refusal
                }
                "MALFORMED_FUNCTION_CALL" => {
                    return Err(reported(
                        &json!("the model wrote a call that cannot be read"),
                        true,
                    ));
                }
                // What ended otherwise is not whole.
                reason => {
                    let problem = format!("the reply ended with {reason}");
                    return Err(reported(&json!(problem), false));
                }
            });
        }
        let usage = &data["usageMetadata"];
        if usage.is_object() {
            let thoughts = usage["thoughtsTokenCount"].as_u64();
            parts.push(ReplyPart::Usage(Usage {
                input: usage["promptTokenCount"].as_u64().unwrap_or(0),
                output: usage["candidatesTokenCount"].as_u64().unwrap_or(0) + thoughts.unwrap_or(0),
                cached: usage["cachedContentTokenCount"].as_u64(),
                reasoning: thoughts,
            }));
        }
        Ok(parts)
    }

    fn end(&mut self) -> Vec<ReplyPart> {
        let is_signed = self.parts.iter().any(|part| part.get(SIGNATURE).is_some());
        let verbatim = is_signed.then(|| {
            ReplyPart::Verbatim(Verbatim {
                origin: std::mem::take(&mut self.origin),
                content: std::mem::take(&mut self.parts).into(),
            })
        });
        let stop = self.stop.map(ReplyPart::Stop);
        verbatim.into_iter().chain(stop).collect()
    }
}

impl ContentDecoder {
    /// Keeps `part` as it goes back: a signature on the very part that it came on, text without one joined with the text
    /// before it. Thoughts without one are for people.
    fn keep(&mut self, part: &Value) {
        let is_signed = part.get(SIGNATURE).is_some();
        if is_signed || part.get("functionCall").is_some() {
            self.parts.push(part.clone());
            return;
        }
        let Some(text) = part["text"].as_str().filter(|_| part["thought"] != true) else {
            return;
        };
        let last = self.parts.last_mut();
        let open = last.filter(|last| last.get(SIGNATURE).is_none());
        match open.and_then(|last| last.get_mut("text")) {
            Some(Value::String(so_far)) => so_far.push_str(text),
            _ => self.parts.push(json!({ "text": text })),
        }
    }
}
