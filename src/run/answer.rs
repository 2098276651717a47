//! A structured answer (`[output]`): the provider holds it to the schema where it can, else the model answers through a
//! call of the reserved tool. Either way it is checked here.

use super::model::{AnswerForm, Reply, ToolDefinition, Wanted};
use crate::definition::{Definition, RESERVED_TOOL_NAME};
use serde_json::Value;
use std::sync::Arc;

/// What the answer of a loop with `[output]` has to be.
pub(super) struct AnswerContract {
    validator: jsonschema::Validator,
    form: Arc<AnswerForm>,
    /// Whether the provider sees to it.
    is_native: bool,
}

impl AnswerContract {
    /// The contract of `definition`, if it has one; `is_native` where the provider sees to it.
    ///
    /// # Errors
    ///
    /// The schema is none.
    pub fn of(definition: &Definition, is_native: bool) -> Result<Option<Self>, String> {
        let Some(output) = definition.output.get() else {
            return Ok(None);
        };
        let schema = output
            .schema
            .get()
            .map_or(Value::Null, |node| node.to_json());
        let validator = jsonschema::draft202012::new(&schema)
            .map_err(|error| format!("the schema of [output] cannot be used: {error}"))?;
        Ok(Some(Self {
            validator,
            form: Arc::new(AnswerForm {
                name: output.name.text().to_owned(),
                description: output.description.text().to_owned(),
                strict: output.strict.get().copied(),
                schema,
            }),
            is_native,
        }))
    }

    /// What replies may be.
    pub fn wanted(&self) -> Wanted {
        match self.is_native {
            true => Wanted::Json(self.form.clone()),
            false => Wanted::Calls,
        }
    }

    /// The reserved tool, where it is offered beside the mode's own.
    pub fn tool(&self) -> Option<ToolDefinition> {
        let description = match self.form.description.as_str() {
            "" => "Give the final answer of the task by calling this tool, once and alone.",
            description => description,
        };
        (!self.is_native).then(|| ToolDefinition {
            name: RESERVED_TOOL_NAME.to_owned(),
            description: description.to_owned(),
            input_schema: self.form.schema.clone(),
        })
    }

    /// The answer as compact JSON, or `None` where `reply` only calls other tools. A call of the reserved tool is an answer
    /// also where it was not offered: the script of a test is written for any provider.
    ///
    /// # Errors
    ///
    /// Why the reply can neither be the answer nor go on.
    pub fn read(&self, reply: &Reply) -> Result<Option<String>, String> {
        let is_answer = |tool: &str| tool.trim() == RESERVED_TOOL_NAME;
        let text = match reply.calls.as_slice() {
            [] if self.is_native => &reply.text,
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
        let answer: Value = serde_json::from_str(text)
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
