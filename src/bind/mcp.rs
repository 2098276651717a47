//! Tools of Model Context Protocol servers.
//!
//! A bind starts the servers that its tools need, all at once, and lists their tools; what changes there later counts
//! from the next bind on. Effects come from the file, never from what a server says of itself.

mod content;
mod heard;
mod key;
mod lines;
mod listing;
mod server;
mod stand_in;
mod stdio;
mod trouble;

pub(super) use key::Key;
pub(super) use server::Server;

use super::input::InputSchema;
use super::shown::command_line;
use super::{
    Bindings, CANCELLED, CallContext, Family, Foreseen, InputProblem, Notice, Outcome,
    PreparedCall, Secrets, Tool, ToolInfo,
};
use crate::definition::provider::{Provider, ProvidersInUse, SchemaFaultKind};
use crate::definition::{
    self, DEFAULT_TIMEOUT, Effect, Mcp, Milliseconds, RESERVED_TOOL_NAME, Source, Spanned, resolve,
};
use crate::text::Span;
use futures_util::future::{BoxFuture, join_all};
use listing::Listed;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The servers of one bind, by what they are started or reached with. Dropping it ends them, without waiting for that.
#[derive(Default)]
pub struct Servers(HashMap<Key, Result<Arc<Server>, String>>);

impl Servers {
    /// Starts what the tools of `family` need, or what `foreseen` does. What cannot be started is kept as a problem, which the bind tells where
    /// it comes to it.
    pub(super) async fn start(
        family: &Family,
        bindings: &Bindings,
        secrets: &Arc<Secrets>,
        foreseen: Option<&Foreseen>,
    ) -> Self {
        let started = keys(family, bindings, foreseen)
            .into_iter()
            .map(async |(key, drain)| {
                let server = Server::start(&key, &bindings.guard, drain, secrets.clone()).await;
                (key, server.map(Arc::new))
            });
        Self(join_all(started).await.into_iter().collect())
    }

    /// What came of starting the server of `key`; `None` where it was not started.
    pub(super) fn get(&self, key: &Key) -> Option<&Result<Arc<Server>, String>> {
        self.0.get(key)
    }

    /// The server of `key`.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub(super) fn started(&self, key: &Key) -> Result<Arc<Server>, String> {
        let server = self.get(key).cloned();
        server.unwrap_or_else(|| Err("it was not started".into()))
    }

    /// Ends them all and waits for that.
    pub async fn end(&self) {
        join_all(self.0.values().flatten().map(|server| server.end())).await;
    }
}

/// The servers that the tools of `family` need, each once, with the time that each has to end. One
/// that cannot even be named is left out: the bind finds that again.
fn keys(
    family: &Family,
    bindings: &Bindings,
    foreseen: Option<&Foreseen>,
) -> HashMap<Key, Milliseconds> {
    let mut keys = HashMap::new();
    let of_root = family.accepted.definition();
    let reaches_below = foreseen.is_none_or(|foreseen| foreseen.reaches_below(of_root));
    for member in family.members() {
        let definition = member.accepted.definition();
        let of_member = match &member.folder {
            Some(folder) if *folder != bindings.folder => &bindings.below(folder),
            _ => bindings,
        };
        let modes = resolve(definition);
        let used: HashSet<usize> = modes
            .iter()
            .flat_map(|mode| mode.tools.iter().copied())
            .collect();
        let is_root = std::ptr::eq(member, family);
        let is_needed = |index: usize| match foreseen {
            Some(foreseen) if is_root => foreseen.needs(definition, index),
            _ => is_root || reaches_below,
        };
        for index in used.into_iter().filter(|&index| is_needed(index)) {
            let entry = &definition.tools[index];
            let Some(Source::Mcp(Some(mcp))) = entry.sources.first().map(|source| &source.value)
            else {
                continue;
            };
            if let Ok(key) = Key::of(definition, entry, mcp, of_member) {
                keys.insert(key, definition.drain());
            }
        }
    }
    keys
}

/// What came of the tools of a server.
pub(super) struct Made {
    pub tools: Vec<Arc<dyn Tool>>,
    /// What cannot be had, a sentence each.
    pub left_out: Vec<String>,
}

/// Makes the tools of one entry from what its server offers.
pub(super) struct Maker<'a> {
    entry: &'a definition::Tool,
    prefix: &'a str,
    server: &'a Arc<Server>,
    /// Those whose models see the tools.
    providers: Vec<&'static Provider>,
    secrets: &'a Secrets,
}

impl<'a> Maker<'a> {
    /// For entry number `index`, whose source is `mcp` and whose server is `server`.
    pub fn new(
        definition: &'a definition::Definition,
        (index, mcp): (usize, &'a Mcp),
        server: &'a Arc<Server>,
        secrets: &'a Secrets,
    ) -> Self {
        Self {
            entry: &definition.tools[index],
            prefix: mcp.prefix.text(),
            server,
            providers: ProvidersInUse::of(definition).of_tool(index).to_vec(),
            secrets,
        }
    }

    /// The tools that the entry names; all, if it names none.
    ///
    /// # Errors
    ///
    /// The entry names a tool that cannot be had.
    pub fn build(&self) -> Result<Made, Spanned<String>> {
        if self.entry.produces.is_missing() {
            return Ok(self.all());
        }
        let named = self.entry.produced_names().into_iter().flatten();
        let tools = named.map(|name| {
            let problem = |value: String| Spanned {
                value,
                span: name.span,
            };
            let mut listed = self.server.listing().tools.iter();
            let listed = listed.find(|listed| self.name(listed) == name.value);
            let listed = listed.ok_or_else(|| problem(self.missing(name.value)))?;
            self.make(listed).map_err(problem)
        });
        Ok(Made {
            tools: tools.collect::<Result<_, _>>()?,
            left_out: Vec::new(),
        })
    }

    /// All that the server offers.
    pub fn all(&self) -> Made {
        let mut made = Made {
            tools: Vec::new(),
            left_out: self.server.listing().left_out().collect(),
        };
        for listed in &self.server.listing().tools {
            match self.make(listed) {
                Ok(tool) => made.tools.push(tool),
                Err(problem) => made.left_out.push(problem),
            }
        }
        made
    }

    /// The model-facing name of a tool.
    fn name(&self, listed: &Listed) -> String {
        format!("{}{}", self.prefix, listed.name).trim().to_owned()
    }

    /// Makes a tool, or says why it is left out.
    fn make(&self, listed: &Listed) -> Result<Arc<dyn Tool>, String> {
        let name = self.name(listed);
        let left_out = |why: String| format!("`{}` is left out: {why}", name.escape_debug());
        if name == RESERVED_TOOL_NAME {
            return Err(left_out("its name is reserved".into()));
        }
        // A server may say what it was given.
        let mut schema = listed.schema.clone();
        self.secrets.hide_value(&mut schema);
        let schema = InputSchema::new(Some(schema)).map_err(left_out)?;
        for provider in &self.providers {
            let rule = provider.tool_names.as_ref();
            if rule.is_some_and(|rule| !rule.value.takes(&name)) {
                return Err(left_out(format!("{} refuses its name", provider.name)));
            }
            let faults = provider.schema_faults(schema.schema());
            // What is not passed on, a model that guesses wrong is told when its input does not fit.
            if faults
                .iter()
                .any(|fault| fault.kind != SchemaFaultKind::NotPassedOn)
            {
                return Err(left_out(format!("{} refuses its schema", provider.name)));
            }
        }
        let timeout = self.entry.timeout.get().copied();
        let info = ToolInfo {
            definition: self.entry.name.text().to_owned(),
            description: self.secrets.hide(&listed.description).into_owned(),
            input_schema: schema.schema().clone(),
            effect: effect(self.entry, &name, &listed.name),
            sequential: self.entry.sequential.get().copied().unwrap_or_default(),
            timeout: Some(timeout.filter(|&time| time > 0).unwrap_or(DEFAULT_TIMEOUT)),
            span: self.entry.span,
            name,
        };
        Ok(Arc::new(McpTool {
            info,
            schema,
            own_name: listed.name.clone(),
            server: self.server.clone(),
        }))
    }

    /// Why the tool called `name` cannot be had.
    fn missing(&self, name: &str) -> String {
        let listing = self.server.listing();
        let own_name = name.strip_prefix(self.prefix).unwrap_or(name);
        let quoted = format!("`{}`", own_name.escape_debug());
        if let Some(why) = listing.left_out().find(|why| why.starts_with(&quoted)) {
            return why;
        }
        let names = listing.tools.iter().map(|listed| self.name(listed));
        let names: Vec<_> = names
            .map(|name| format!("`{}`", name.escape_debug()))
            .collect();
        let shown = name.escape_debug();
        match names.as_slice() {
            [] => format!("the server offers no tool `{shown}`; it offers none at all"),
            names => format!(
                "the server offers no tool `{shown}`; it offers {}",
                names.join(", ")
            ),
        }
    }
}

/// The effect that the file gives to a tool of `entry`, by the model's name for it or by the server's.
fn effect(entry: &definition::Tool, name: &str, own_name: &str) -> Effect {
    let mut effects = entry.effects.iter();
    let given = effects.find(|(of, _)| of.value.trim() == name || of.value.trim() == own_name);
    let given = given.and_then(|(_, effect)| Effect::from_word(effect.get()?));
    given.unwrap_or_else(|| entry.effect())
}

/// What stands for the tools called `names` of `entry`, whose source is `mcp` and whose server was not started.
///
/// # Errors
///
/// There is no schema of an object, which cannot be.
pub(super) fn stand_ins(
    entry: &definition::Tool,
    mcp: &Mcp,
    names: Vec<String>,
) -> Result<Vec<Arc<dyn Tool>>, String> {
    stand_in::all(entry, mcp.prefix.text(), names)
}

/// What was left out of the tools of `entry`, whose source is at `span`, as a person is told.
pub(super) fn notices(
    entry: &definition::Tool,
    span: Span,
    left_out: Vec<String>,
    secrets: &Secrets,
) -> Vec<Notice> {
    let notice = |why: String| Notice {
        message: format!("tool `{}`: {}", entry.name.text(), secrets.hide(&why)),
        span,
    };
    left_out.into_iter().map(notice).collect()
}

struct McpTool {
    info: ToolInfo,
    schema: InputSchema,
    /// The server's name for it.
    own_name: String,
    server: Arc<Server>,
}

impl Tool for McpTool {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    fn is_slow_to_prepare(&self, bytes: usize) -> bool {
        self.schema.is_slow(bytes)
    }

    fn prepare(&self, input: &Value) -> Result<Box<dyn PreparedCall>, InputProblem> {
        self.schema.check(input)?;
        Ok(Box::new(PreparedMcp {
            definition: self.info.definition.clone(),
            tool: self.own_name.clone(),
            input: input.clone(),
            server: self.server.clone(),
        }))
    }
}

struct PreparedMcp {
    definition: String,
    tool: String,
    input: Value,
    server: Arc<Server>,
}

impl PreparedCall for PreparedMcp {
    fn shown(&self) -> String {
        let words = [self.definition.as_str(), self.tool.as_str()];
        command_line(words.into_iter(), Some(&self.input.to_string()))
    }

    fn run(self: Box<Self>, context: CallContext) -> BoxFuture<'static, Outcome> {
        Box::pin(async move {
            let arguments = match self.input {
                Value::Object(arguments) => arguments,
                _ => serde_json::Map::new(),
            };
            tokio::select! {
                biased;
                // The server is told, and can be called again.
                () = context.cancel.cancelled() => Outcome::error(CANCELLED),
                outcome = self.server.call(self.tool, arguments, context.output) => outcome,
            }
        })
    }
}
