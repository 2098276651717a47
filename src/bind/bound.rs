//! A bound loop: everything that a run needs, made from an accepted definition.

use super::input::InputSchema;
use super::{Secrets, Tool, ToolInfo, command, reply};
use crate::check::Accepted;
use crate::definition::{
    self, Definition, Effort, Milliseconds, RESERVED_TOOL_NAME, ResolvedLimits, Source,
    Surroundings, resolve,
};
use crate::text::Span;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use uuid::Uuid;

/// What the host gives to a bind.
pub struct Bindings {
    /// Names the session; not zero.
    pub session_id: Uuid,
    /// Names the loop within the session; not zero.
    pub loop_id: Uuid,
    /// Tools of the host's own, appended to those of the base and of every mode.
    pub extra_tools: Vec<Arc<dyn Tool>>,
    /// The folder of the definition, absolute; where relative paths and tools without `cwd` start.
    pub folder: PathBuf,
    /// The `loopls` executable, started as the guard of each process.
    pub guard: PathBuf,
    /// Folders from which no bare program name is taken (the workspace's), absolute.
    pub untrusted_folders: Vec<PathBuf>,
    /// The environment that `${NAME}` reads and that the allowlist is taken from.
    pub environment: Vec<(String, String)>,
}

/// A bound loop. Nothing is shared between two binds; a clone shares its tools.
#[derive(Clone)]
pub struct Bound {
    /// The definition it was made from.
    pub accepted: Accepted,
    /// From the bindings.
    pub session_id: Uuid,
    /// From the bindings.
    pub loop_id: Uuid,
    /// The base first, then the modes in declared order.
    pub modes: Vec<BoundMode>,
    /// What is to be shown, written and sent to the model as `[NAME]`.
    pub secrets: Arc<Secrets>,
}

/// What one mode is bound to.
#[derive(Clone)]
pub struct BoundMode {
    /// Its name; empty for the base.
    pub name: String,
    /// Its limits with their origins.
    pub limits: ResolvedLimits,
    /// Its tools in order, delegates and extra tools last.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The whole system prompt, without secrets; empty for none.
    pub system: String,
    /// Its effort; `None` when the model decides.
    pub effort: Option<Effort>,
}

/// Why a definition could not be bound. No process is left behind.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum BindError {
    /// Harness's `invalid_session_id`.
    #[error("the session id is zero")]
    InvalidSessionId,
    /// Harness's `invalid_loop_id`.
    #[error("the loop id is zero")]
    InvalidLoopId,
    /// Harness's `invalid_tool_info`.
    #[error("tool `{tool}`: {problem}")]
    InvalidToolInfo {
        tool: String,
        problem: String,
        span: Option<Span>,
    },
    /// Harness's `duplicate_tool_name`, between the definition's tools and extra ones.
    #[error("two tools are named `{name}`")]
    DuplicateToolName { name: String, span: Option<Span> },
    /// A factory failed.
    #[error("tool `{tool}`: {problem}")]
    Factory {
        tool: String,
        problem: String,
        span: Span,
    },
    /// A delegate could not be bound.
    #[error("delegate `{delegate}`: {problem}")]
    Delegate {
        delegate: String,
        problem: String,
        span: Span,
    },
    /// A file that the definition names could not be read.
    #[error("{problem}")]
    File { problem: String, span: Span },
    /// The bind itself broke off.
    #[error("the bind broke off: {problem}")]
    Interrupted { problem: String },
}

impl BindError {
    /// The place in the definition, if there is one.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::InvalidSessionId | Self::InvalidLoopId | Self::Interrupted { .. } => None,
            Self::InvalidToolInfo { span, .. } | Self::DuplicateToolName { span, .. } => *span,
            Self::Factory { span, .. } | Self::Delegate { span, .. } | Self::File { span, .. } => {
                Some(*span)
            }
        }
    }

    /// The same without secrets, which what a program or a server said may hold.
    fn hiding(mut self, secrets: &Secrets) -> Self {
        match &mut self {
            Self::InvalidToolInfo { problem, .. }
            | Self::Factory { problem, .. }
            | Self::Delegate { problem, .. }
            | Self::File { problem, .. }
            | Self::Interrupted { problem } => secrets.hide_in(problem),
            Self::InvalidSessionId | Self::InvalidLoopId | Self::DuplicateToolName { .. } => {}
        }
        self
    }
}

/// How long a call may take that names no `timeout`.
const DEFAULT_TIMEOUT: Milliseconds = 60_000;

/// Makes the tools of the base and of every mode. A definition is built once by name, however many modes use it,
/// and its instances are shared among them.
///
/// # Errors
///
/// The first thing that could not be made, in harness's order.
pub async fn bind(
    accepted: &Accepted,
    bindings: Bindings,
    surroundings: &(dyn Surroundings + Sync),
) -> Result<Bound, BindError> {
    if bindings.session_id.is_nil() {
        return Err(BindError::InvalidSessionId);
    }
    if bindings.loop_id.is_nil() {
        return Err(BindError::InvalidLoopId);
    }
    check_extra_tools(&bindings.extra_tools)?;
    let systems = systems(accepted, surroundings)?;
    let accepted = accepted.clone();
    // Looking for programs and compiling schemas takes the time it takes, which others need not wait for.
    let bound = tokio::task::spawn_blocking(move || {
        let secrets = Secrets::of(accepted.definition(), &bindings.environment);
        let secrets = Arc::new(secrets);
        make(accepted, bindings, systems, secrets.clone()).map_err(|error| error.hiding(&secrets))
    });
    bound.await.unwrap_or_else(|error| {
        Err(BindError::Interrupted {
            problem: error.to_string(),
        })
    })
}

/// Extra tools obey the rules of those of a definition.
fn check_extra_tools(tools: &[Arc<dyn Tool>]) -> Result<(), BindError> {
    let mut names = HashSet::new();
    for tool in tools {
        let name = &tool.info().name;
        let invalid = |problem: &str| {
            Err(BindError::InvalidToolInfo {
                tool: name.clone(),
                problem: problem.to_owned(),
                span: None,
            })
        };
        if name.trim().is_empty() {
            return invalid("its name is blank");
        }
        if name.trim() == RESERVED_TOOL_NAME {
            return invalid("this name is reserved");
        }
        if !names.insert(name.trim()) {
            let name = name.trim().to_owned();
            return Err(BindError::DuplicateToolName { name, span: None });
        }
    }
    Ok(())
}

/// The system prompts of the base and of every mode.
fn systems(accepted: &Accepted, surroundings: &dyn Surroundings) -> Result<Vec<String>, BindError> {
    let definition = accepted.definition();
    let modes = resolve(definition).into_iter();
    let systems = modes.map(|mode| mode.system(definition, surroundings));
    systems
        .collect::<Result<_, _>>()
        .map_err(|(span, problem)| BindError::File {
            problem: format!("{}: {problem}", span.of(&accepted.analysis().text)),
            span,
        })
}

fn make(
    accepted: Accepted,
    bindings: Bindings,
    systems: Vec<String>,
    secrets: Arc<Secrets>,
) -> Result<Bound, BindError> {
    let definition = accepted.definition();
    let mut built: HashMap<usize, Vec<Arc<dyn Tool>>> = HashMap::new();
    let mut names: HashSet<String> = HashSet::new();
    let extra_names = bindings
        .extra_tools
        .iter()
        .map(|tool| tool.info().name.trim());
    names.extend(extra_names.map(str::to_owned));
    let mut modes = Vec::new();
    for (mode, system) in resolve(definition).into_iter().zip(systems) {
        let mut tools = Vec::new();
        for index in mode.tools.iter().copied() {
            let made = match built.get(&index) {
                Some(made) => made.clone(),
                None => {
                    let made = build(definition, &definition.tools[index], &bindings)?;
                    for tool in &made {
                        if !names.insert(tool.info().name.clone()) {
                            return Err(BindError::DuplicateToolName {
                                name: tool.info().name.clone(),
                                span: Some(tool.info().span),
                            });
                        }
                    }
                    built.entry(index).or_insert(made).clone()
                }
            };
            tools.extend(made);
        }
        if let Some(delegate) = definition.delegates.items().next() {
            return Err(BindError::Delegate {
                delegate: delegate.value.clone(),
                problem: "this version of loopls cannot bind delegates yet".into(),
                span: delegate.span,
            });
        }
        tools.extend(bindings.extra_tools.iter().cloned());
        modes.push(BoundMode {
            name: mode.name.to_owned(),
            limits: mode.limits,
            tools,
            system: secrets.hide(&system).into_owned(),
            effort: mode.effort,
        });
    }
    Ok(Bound {
        secrets,
        session_id: bindings.session_id,
        loop_id: bindings.loop_id,
        modes,
        accepted,
    })
}

/// The tools of one `[[tools]]` entry, one for each produced name.
fn build(
    definition: &Definition,
    entry: &definition::Tool,
    bindings: &Bindings,
) -> Result<Vec<Arc<dyn Tool>>, BindError> {
    let failed = |problem: String, span: Span| BindError::Factory {
        tool: entry.name.text().to_owned(),
        problem,
        span,
    };
    let Some(source) = entry.sources.first() else {
        return Err(failed("it has no source".into(), entry.span));
    };
    let not_yet = |name: &str| {
        let problem = format!("this version of loopls cannot run a tool with `{name}` yet");
        Err(failed(problem, source.span))
    };
    match &source.value {
        Source::Command(items) => {
            let items = items.as_deref().unwrap_or_default();
            let schema = schema(entry).map_err(|(problem, span)| failed(problem, span))?;
            let infos = infos(entry, &schema);
            command::build(
                definition,
                entry,
                (items, source.span),
                infos,
                schema,
                bindings,
            )
        }
        Source::Reply(reply) => {
            let schema = schema(entry).map_err(|(problem, span)| failed(problem, span))?;
            Ok(reply::build(reply, infos(entry, &schema), schema))
        }
        Source::Http(_) => not_yet("http"),
        Source::Mcp(_) => not_yet("mcp"),
        Source::Loop(_) => not_yet("loop"),
    }
}

fn schema(entry: &definition::Tool) -> Result<Arc<InputSchema>, (String, Span)> {
    let declared = entry.input.get().map(|node| node.to_json());
    let span = entry.input.span().unwrap_or(entry.span);
    let schema = InputSchema::new(declared).map_err(|problem| (problem, span))?;
    Ok(Arc::new(schema))
}

fn infos(entry: &definition::Tool, schema: &InputSchema) -> Vec<ToolInfo> {
    let timeout = entry.timeout.get().copied();
    let names = entry.produced_names().into_iter().flatten();
    names
        .map(|name| ToolInfo {
            name: name.value.to_owned(),
            definition: entry.name.text().to_owned(),
            description: entry.description.text().to_owned(),
            input_schema: schema.schema().clone(),
            effect: entry.effect(),
            sequential: entry.sequential.get().copied().unwrap_or_default(),
            timeout: Some(timeout.filter(|&time| time > 0).unwrap_or(DEFAULT_TIMEOUT)),
            span: entry.span,
        })
        .collect()
}

impl Bound {
    /// The mode called `name`.
    pub fn mode(&self, name: &str) -> Option<&BoundMode> {
        self.modes.iter().find(|mode| mode.name == name)
    }

    /// The mode in which a run starts when nobody says another: `initial_mode`, else the base.
    pub fn initial_mode(&self) -> &BoundMode {
        let name = self.accepted.definition().initial_mode.text();
        self.mode(name).unwrap_or(&self.modes[0])
    }

    /// How long a cancelled run may take to wind down, in milliseconds.
    pub fn drain_timeout(&self) -> Milliseconds {
        self.accepted
            .definition()
            .drain_timeout
            .get()
            .copied()
            .unwrap_or(5_000)
    }
}
