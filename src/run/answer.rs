//! A structured answer: `[output]` makes the model answer through a call of the reserved tool.

use super::model::{Reply, ToolDefinition};
use crate::definition::{Definition, RESERVED_TOOL_NAME};
use serde_json::Value;

/// What the answer of a loop with `[output]` has to be.
pub(super) struct AnswerContract {
    validator: jsonschema::Validator,
    /// The reserved tool, offered beside the mode's own.
    pub tool: ToolDefinition,
}

impl AnswerContract {
    /// The contract of `definition`, if it has one.
    ///
    /// # Errors
    ///
    /// The schema is none.
    pub fn of(definition: &Definition) -> Result<Option<Self>, String> {
        let Some(output) = definition.output.get() else {
            return Ok(None);
        };
        let schema = output
            .schema
            .get()
            .map_or(Value::Null, |node| node.to_json());
        let validator = jsonschema::draft202012::new(&schema)
            .map_err(|error| format!("the schema of [output] cannot be used: {error}"))?;
        let description = match output.description.text() {
            "" => {
                "Give the final answer of the task by calling this tool, once and alone.".to_owned()
            }
            description => description.to_owned(),
        };
        Ok(Some(Self {
            validator,
            tool: ToolDefinition {
                name: RESERVED_TOOL_NAME.to_owned(),
                description,
                input_schema: schema,
            },
        }))
    }

    /// The answer as compact JSON, or `None` where `reply` only calls other tools.
    ///
    /// # Errors
    ///
    /// Why the reply can neither be the answer nor go on.
    pub fn read(&self, reply: &Reply) -> Result<Option<String>, String> {
        let is_answer = |tool: &str| tool.trim() == RESERVED_TOOL_NAME;
        let input = match reply.calls.as_slice() {
            [] => {
                return Err(format!(
                    "the model replied with text, and the loop's [output] demands a call of `{RESERVED_TOOL_NAME}`"
                ));
            }
            [call] if is_answer(&call.tool) => &call.input,
            calls if calls.iter().any(|call| is_answer(&call.tool)) => {
                return Err(format!(
                    "the model called `{RESERVED_TOOL_NAME}` beside other tools"
                ));
            }
            _ => return Ok(None),
        };
        let answer: Value = serde_json::from_str(input)
            .map_err(|error| format!("the answer is not JSON: {error}"))?;
        match self.validator.validate(&answer) {
            Ok(()) => Ok(Some(answer.to_string())),
            Err(error) => {
                let path = error.instance_path().to_string();
                let place = if path.is_empty() { "the answer" } else { &path };
                Err(format!(
                    "the answer does not fit the schema of [output]: {place}: {error}"
                ))
            }
        }
    }
}
