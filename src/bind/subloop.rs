//! Tools that hand work to another loop.

use super::input::InputSchema;
use super::shown::command_line;
use super::{Bound, CallContext, InputProblem, Outcome, PreparedCall, Tool, ToolInfo};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::sync::Arc;

/// Runs the loops below one call. Whoever runs turns implements it.
pub trait Subloop: Send + Sync {
    /// Runs a fresh turn of `child` with `message` and returns its answer; a turn that does not end in one is an error
    /// with the reason.
    fn run(
        &self,
        child: Arc<Bound>,
        message: String,
        context: CallContext,
    ) -> BoxFuture<'static, Outcome>;
}

/// The input of every tool that hands work on.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "message": {
                "type": "string",
                "description": "What is to be done, with everything that is needed for it: nothing else of this conversation is known there.",
            },
        },
        "required": ["message"],
        "additionalProperties": false,
    })
}

/// A tool that hands work to `child`; `None` is a loop too far down to be run.
pub(super) fn tool(
    info: ToolInfo,
    schema: Arc<InputSchema>,
    child: Option<Arc<Bound>>,
) -> Arc<dyn Tool> {
    Arc::new(SubloopTool {
        info,
        schema,
        child,
    })
}

struct SubloopTool {
    info: ToolInfo,
    schema: Arc<InputSchema>,
    child: Option<Arc<Bound>>,
}

impl Tool for SubloopTool {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    fn subloop(&self) -> Option<&Arc<Bound>> {
        self.child.as_ref()
    }

    fn is_slow_to_prepare(&self, bytes: usize) -> bool {
        self.schema.is_slow(bytes)
    }

    fn prepare(&self, input: &Value) -> Result<Box<dyn PreparedCall>, InputProblem> {
        self.schema.check(input)?;
        let message = input["message"].as_str().unwrap_or_default();
        if message.trim().is_empty() {
            return Err(InputProblem("input.message is blank".into()));
        }
        let child = self.child.clone().ok_or_else(|| {
            InputProblem(
                "loops hand work on at most two levels below the one that was started, and this would be a third"
                    .into(),
            )
        })?;
        Ok(Box::new(PreparedSubloop {
            child,
            message: message.to_owned(),
        }))
    }
}

struct PreparedSubloop {
    child: Arc<Bound>,
    message: String,
}

impl PreparedCall for PreparedSubloop {
    fn shown(&self) -> String {
        let name = self.child.accepted.definition().name.text();
        command_line(["loop", name].into_iter(), Some(&self.message))
    }

    fn run(self: Box<Self>, context: CallContext) -> BoxFuture<'static, Outcome> {
        let subloops = context.subloops.clone();
        subloops.run(self.child, self.message, context)
    }
}
