//! What the final answer may be, as each protocol says it.

use super::*;
use crate::run::model::AnswerForm;

fn body(name: &str, wanted: Wanted) -> Value {
    let request = ModelRequest {
        wanted,
        effort: None,
        ..request()
    };
    wire(name).request(&request).1
}

#[test]
fn an_answer_that_the_provider_holds_to_a_schema() {
    let schema = json!({ "type": "object", "properties": {} });
    let form = AnswerForm {
        name: "order".into(),
        description: "An order.".into(),
        strict: Some(true),
        schema: schema.clone(),
    };
    let wanted = || Wanted::Json(Arc::new(form.clone()));
    let format = json!({
        "type": "json_schema",
        "json_schema": { "name": "order", "schema": schema, "description": "An order.", "strict": true },
    });
    for name in ["openai-compatible", "ollama"] {
        let body = body(name, wanted());
        assert_eq!(body["response_format"], format, "{name}");
        assert_eq!(body.get("tool_choice"), None, "{name}");
    }
    assert_eq!(
        body("openai", wanted())["text"],
        json!({
            "format": {
                "type": "json_schema",
                "name": "order",
                "schema": schema,
                "description": "An order.",
                "strict": true,
            },
        })
    );
    assert_eq!(
        body("anthropic", wanted())["output_config"],
        json!({ "format": { "type": "json_schema", "schema": schema } })
    );
    assert_eq!(
        body("gemini", wanted())["generationConfig"],
        json!({ "responseMimeType": "application/json", "responseJsonSchema": schema })
    );
}

#[test]
fn a_reply_that_must_call() {
    for (name, key, expected) in [
        ("openai", "tool_choice", json!("required")),
        ("ollama", "tool_choice", json!("required")),
        ("anthropic", "tool_choice", json!({ "type": "any" })),
        (
            "gemini",
            "toolConfig",
            json!({ "functionCallingConfig": { "mode": "ANY" } }),
        ),
    ] {
        assert_eq!(body(name, Wanted::Calls)[key], expected, "{name}");
        assert_eq!(body(name, Wanted::Any).get(key), None, "{name}");
    }
}
