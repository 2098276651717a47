//! A run that happened, as a test that needs no model and runs no tool.

use super::recorded::{RecordedRun, Step};
use super::{StopReason, model::Call};
use crate::syntax::render;
use serde_json::Value;
use std::fmt::Write;

impl RecordedRun {
    /// The `[[tests]]` entry, with line breaks `\n`, that says the run again: the model's replies as its script, the
    /// results of tools given, and what came of it expected. One line a reply or result, whatever they hold.
    pub fn as_test(&self, name: &str) -> String {
        let mut entry = format!("[[tests]]\nname = {}\n", string(name));
        // Writing to a string does not fail.
        let _ = writeln!(entry, "prompt = {}", string(&self.prompt));
        if !self.mode.is_empty() {
            let _ = writeln!(entry, "mode = {}", string(&self.mode));
        }
        let replies = self.steps.iter().map(reply);
        let _ = writeln!(entry, "script = {}", lines(replies));
        let calls = self.steps.iter().flat_map(|step| &step.calls);
        let results: Vec<String> = calls
            .filter_map(|call| {
                let (text, is_error) = call.result.as_ref()?;
                let mut result = format!("tool = {}", string(&call.tool));
                // What TOML cannot say is left out: any input then fits.
                if let Some(input) = input(&call.input) {
                    let _ = write!(result, ", input = {input}");
                }
                let _ = write!(result, ", result = {}", string(text));
                if *is_error {
                    result.push_str(", error = true");
                }
                Some(result)
            })
            .collect();
        if !results.is_empty() {
            let _ = writeln!(entry, "results = {}", lines(results.into_iter()));
        }
        let expected = match &self.end {
            Some(end) if end.stop == StopReason::Answer => {
                let answer = end.answer.as_deref().unwrap_or_default();
                format!("answer = {}", string(answer))
            }
            Some(end) => format!("stop = {}", string(end.stop.as_str())),
            None => format!("stop = {}", string(StopReason::Failed.as_str())),
        };
        let _ = writeln!(entry, "expect = {{ {expected} }}");
        entry
    }
}

fn reply(step: &Step) -> String {
    let mut parts = Vec::new();
    if !step.reply.text.is_empty() {
        parts.push(format!("text = {}", string(&step.reply.text)));
    }
    if !step.reply.calls.is_empty() {
        let calls: Vec<String> = step.reply.calls.iter().map(call).collect();
        parts.push(format!("calls = [{}]", calls.join(", ")));
    }
    let usual = match step.reply.calls.is_empty() {
        true => "end_turn",
        false => "tool_use",
    };
    if !step.stop_reason.is_empty() && step.stop_reason != usual {
        parts.push(format!("stop_reason = {}", string(&step.stop_reason)));
    }
    if parts.is_empty() {
        // A reply of nothing is one all the same.
        parts.push("text = \"\"".into());
    }
    parts.join(", ")
}

fn call(call: &Call) -> String {
    let parsed = serde_json::from_str(&call.input).ok();
    let input = parsed.as_ref().and_then(input);
    // What is no table goes out as the model wrote it.
    let input = input.unwrap_or_else(|| string(&call.input));
    format!("{{ tool = {}, input = {input} }}", string(&call.tool))
}

/// An input as a table; `None` for what is none, or what a table would not say whole: TOML has no null.
fn input(input: &Value) -> Option<String> {
    (input.is_object() && !has_null(input)).then(|| value(input))?
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        _ => false,
    }
}

/// `value` on one line.
fn value(json: &Value) -> Option<String> {
    Some(match json {
        Value::String(text) => string(text),
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(value).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Object(members) if members.is_empty() => "{}".into(),
        Value::Object(members) => {
            let members: Option<Vec<String>> = members
                .iter()
                .map(|(key, item)| Some(format!("{} = {}", render::key(key), value(item)?)))
                .collect();
            format!("{{ {} }}", members?.join(", "))
        }
        other => render::value(other)?,
    })
}

/// `text` in double quotes, on one line.
fn string(text: &str) -> String {
    // JSON's escapes are TOML's too; TOML escapes one character more.
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

fn lines(items: impl Iterator<Item = String>) -> String {
    let mut lines = String::from("[\n");
    for item in items {
        let _ = writeln!(lines, "    {{ {item} }},");
    }
    lines.push(']');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::model::Reply;
    use crate::run::recorded::{End, RecordedCall};
    use crate::syntax::{Table, parse};
    use serde_json::json;

    fn step(text: &str, input: &str, result: Option<(&str, bool)>) -> Step {
        let call = |input: &str| Call {
            id: "1".into(),
            tool: "look".into(),
            input: input.into(),
        };
        let ran = RecordedCall {
            number: 1,
            tool: "look".into(),
            input: serde_json::from_str(input).unwrap_or_default(),
            result: result.map(|(text, is_error)| (text.into(), is_error)),
        };
        Step {
            stop_reason: if input.is_empty() {
                "end_turn"
            } else {
                "tool_use"
            }
            .into(),
            reply: Reply {
                text: text.into(),
                calls: Some(input)
                    .filter(|it| !it.is_empty())
                    .map(call)
                    .into_iter()
                    .collect(),
                ..Reply::default()
            },
            calls: Some(ran).filter(|_| result.is_some()).into_iter().collect(),
            ..Step::default()
        }
    }

    fn run(steps: Vec<Step>, stop: StopReason, answer: Option<&str>) -> RecordedRun {
        RecordedRun {
            run: "r".into(),
            uri: String::new(),
            test: None,
            after: None,
            mode: String::new(),
            prompt: "Is it\nthere?".into(),
            steps,
            end: Some(End {
                stop,
                reason: None,
                answer: answer.map(str::to_owned),
            }),
        }
    }

    #[test]
    fn an_entry_holds_prompt_replies_results_and_answer() {
        let steps = vec![
            step(
                "I look.",
                r#"{"id":1,"a b":["x"]}"#,
                Some(("two\nlines", false)),
            ),
            step("Yes.", "", None),
        ];
        let entry = run(steps, StopReason::Answer, Some("Yes.")).as_test("it is there");
        assert_eq!(
            entry,
            r#"[[tests]]
name = "it is there"
prompt = "Is it\nthere?"
script = [
    { text = "I look.", calls = [{ tool = "look", input = { id = 1, "a b" = ["x"] } }] },
    { text = "Yes." },
]
results = [
    { tool = "look", input = { id = 1, "a b" = ["x"] }, result = "two\nlines" },
]
expect = { answer = "Yes." }
"#
        );
    }

    #[test]
    fn what_toml_cannot_say_goes_out_as_it_was_written() {
        for (input, written, given) in [
            (r#"{"a":null}"#, json!(r#"{"a":null}"#), None),
            ("[1]", json!("[1]"), None),
            ("not json", json!("not json"), None),
            ("{}", json!({}), Some(json!({}))),
        ] {
            let steps = vec![step("", input, Some(("error: no \u{7f}", true)))];
            let mut run = run(steps, StopReason::Limit, None);
            run.mode = "é".into();
            let entry = run.as_test("x");
            let (tree, errors) = parse(&entry);
            assert_eq!(errors, [], "{entry}");
            let test = &Table::build(&tree).0.to_json()["tests"][0];
            assert_eq!(test["script"][0]["calls"][0]["input"], written, "{entry}");
            let result = &test["results"][0];
            assert_eq!(result.get("input"), given.as_ref(), "{entry}");
            assert_eq!(result["result"], "error: no \u{7f}");
            assert_eq!(result["error"], true);
            assert_eq!(test["expect"], json!({ "stop": "limit" }));
            assert_eq!(test["mode"], "é");
        }
    }
}
