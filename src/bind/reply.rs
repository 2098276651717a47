//! Tools with a fixed result, for sketches and tests.

use super::input::InputSchema;
use super::{CallContext, InputProblem, Outcome, PreparedCall, Tool, ToolInfo};
use crate::syntax::{Node, NodeKind};
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::sync::Arc;

struct ReplyTool {
    info: ToolInfo,
    schema: Arc<InputSchema>,
    text: Arc<str>,
}

/// Makes a tool for each of `infos`; each returns `reply`: a string as it is, anything else as JSON.
pub fn build(reply: &Node, infos: Vec<ToolInfo>, schema: Arc<InputSchema>) -> Vec<Arc<dyn Tool>> {
    let text: Arc<str> = match &reply.kind {
        NodeKind::String(text) | NodeKind::Datetime(text) => text.as_str().into(),
        _ => reply.to_json().to_string().into(),
    };
    let tools = infos.into_iter().map(|info| {
        let (schema, text) = (schema.clone(), text.clone());
        Arc::new(ReplyTool { info, schema, text }) as Arc<dyn Tool>
    });
    tools.collect()
}

impl Tool for ReplyTool {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    fn is_slow_to_prepare(&self, bytes: usize) -> bool {
        self.schema.is_slow(bytes)
    }

    fn prepare(&self, input: &Value) -> Result<Box<dyn PreparedCall>, InputProblem> {
        self.schema.check(input)?;
        Ok(Box::new(PreparedReply(self.text.clone())))
    }
}

struct PreparedReply(Arc<str>);

impl PreparedCall for PreparedReply {
    fn shown(&self) -> String {
        "a fixed reply; nothing is started".into()
    }

    fn run(self: Box<Self>, _context: CallContext) -> BoxFuture<'static, Outcome> {
        Box::pin(std::future::ready(Outcome::text(self.0.as_bytes())))
    }
}
