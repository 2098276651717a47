//! Tools of a server that was not started, for a run in which their results are given.

use super::super::input::InputSchema;
use super::super::{CallContext, InputProblem, Outcome, PreparedCall, Tool, ToolInfo};
use crate::definition::{self, DEFAULT_TIMEOUT};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::sync::Arc;

/// What stands for the tools called `names` of `entry`. It takes any object: what the server takes, it alone knows.
///
/// # Errors
///
/// There is no schema of an object, which cannot be.
pub fn all(
    entry: &definition::Tool,
    prefix: &str,
    names: Vec<String>,
) -> Result<Vec<Arc<dyn Tool>>, String> {
    let schema = Arc::new(InputSchema::new(None)?);
    let stand_in = |name: String| {
        let timeout = entry.timeout.get().copied().filter(|&time| time > 0);
        let own_name = name.strip_prefix(prefix).unwrap_or(&name);
        let info = ToolInfo {
            definition: entry.name.text().to_owned(),
            description: String::new(),
            input_schema: schema.schema().clone(),
            effect: super::effect(entry, &name, own_name),
            sequential: entry.sequential.get().copied().unwrap_or_default(),
            timeout: Some(timeout.unwrap_or(DEFAULT_TIMEOUT)),
            span: entry.span,
            name,
        };
        let schema = schema.clone();
        Arc::new(StandIn { info, schema }) as Arc<dyn Tool>
    };
    Ok(names.into_iter().map(stand_in).collect())
}

struct StandIn {
    info: ToolInfo,
    schema: Arc<InputSchema>,
}

impl Tool for StandIn {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    fn prepare(&self, input: &Value) -> Result<Box<dyn PreparedCall>, InputProblem> {
        self.schema.check(input)?;
        Ok(Box::new(NotThere(self.info.name.clone())))
    }
}

/// A call of a tool whose server is not there.
struct NotThere(String);

impl PreparedCall for NotThere {
    fn shown(&self) -> String {
        "its server was not started".into()
    }

    fn run(self: Box<Self>, _context: CallContext) -> BoxFuture<'static, Outcome> {
        let Self(name) = *self;
        let outcome = Outcome::error(format_args!(
            "the server of `{name}` was not started, for every call of it that was foreseen has its result given"
        ));
        std::future::ready(outcome).boxed()
    }
}
