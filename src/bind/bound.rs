//! A bound loop: everything that a run needs, made from an accepted definition.

use super::maker::Maker;
use super::mcp::Servers;
use super::{Family, Foreseen, Keys, Middleware, Secrets, Tool};
use crate::check::Accepted;
use crate::definition::{Effort, Milliseconds, RESERVED_TOOL_NAME, ResolvedLimits, Surroundings};
use crate::text::Span;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
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
    /// What is done around its calls, the first outermost.
    pub middlewares: Arc<Vec<Middleware>>,
    /// The keys of its models.
    pub keys: Keys,
    /// What is to be shown, written and sent to the model as `[NAME]`; the same for the loops below.
    pub secrets: Arc<Secrets>,
    /// What was left out of it and of the loops below, which a person should know.
    pub notices: Vec<Notice>,
    /// The servers that its tools and those of the loops below call. They end with the last clone.
    pub servers: Arc<Servers>,
}

impl Bound {
    /// Ends the servers that its tools call, and waits for that; a call after it is an error result.
    pub async fn end(&self) {
        self.servers.end().await;
    }
}

/// Something that was left out of a bind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What and why, a sentence that names the tool; without secrets.
    pub message: String,
    /// The entry in the definition.
    pub span: Span,
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
    /// A middleware could not be made.
    #[error("{problem}")]
    Middleware { problem: String, span: Span },
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
            Self::Factory { span, .. }
            | Self::Delegate { span, .. }
            | Self::File { span, .. }
            | Self::Middleware { span, .. } => Some(*span),
        }
    }

    /// The same without secrets, which what a program or a server said may hold.
    fn hiding(mut self, secrets: &Secrets) -> Self {
        match &mut self {
            Self::InvalidToolInfo { problem, .. }
            | Self::Factory { problem, .. }
            | Self::Delegate { problem, .. }
            | Self::File { problem, .. }
            | Self::Middleware { problem, .. }
            | Self::Interrupted { problem } => secrets.hide_in(problem),
            Self::InvalidSessionId | Self::InvalidLoopId | Self::DuplicateToolName { .. } => {}
        }
        self
    }
}

/// Makes the tools of the base and of every mode. A definition is built once by name, however many modes use it,
/// and its instances are shared among them. The loops below are bound with it.
///
/// # Errors
///
/// The first thing that could not be made, in harness's order.
pub async fn bind(
    accepted: &Accepted,
    bindings: Bindings,
    surroundings: &(dyn Surroundings + Sync),
) -> Result<Bound, BindError> {
    bind_foreseen(accepted, bindings, surroundings, None).await
}

/// The same for a run whose calls are known before: MCP servers that none of them needs are not started, and other tools
/// stand for theirs.
///
/// # Errors
///
/// The first thing that could not be made, in harness's order.
pub async fn bind_foreseen(
    accepted: &Accepted,
    bindings: Bindings,
    surroundings: &(dyn Surroundings + Sync),
    foreseen: Option<Foreseen>,
) -> Result<Bound, BindError> {
    bindings.check()?;
    let family = Family::load(accepted, surroundings)?;
    family.bind(bindings, foreseen).await
}

impl Family {
    /// The same of what was read before; for `foreseen`, if that is known.
    ///
    /// # Errors
    ///
    /// The first thing that could not be made, in harness's order.
    pub async fn bind(
        self,
        bindings: Bindings,
        foreseen: Option<Foreseen>,
    ) -> Result<Bound, BindError> {
        bindings.check()?;
        let definitions = self.members().into_iter();
        let definitions = definitions.map(|member| member.accepted.definition());
        let secrets = Arc::new(Secrets::of(definitions, &bindings.environment));
        let foreseen = foreseen.as_ref();
        let started = Servers::start(&self, &bindings, &secrets, foreseen).await;
        let servers = Arc::new(started);
        let foreseen = foreseen.cloned();
        let of_maker = servers.clone();
        // Looking for programs and compiling schemas takes the time it takes, which others need not wait for.
        let bound = tokio::task::spawn_blocking(move || {
            let made = Maker::new(secrets.clone(), of_maker, foreseen).make(&self, bindings);
            made.map_err(|error| error.hiding(&secrets))
        });
        let bound = bound.await.unwrap_or_else(|error| {
            Err(BindError::Interrupted {
                problem: error.to_string(),
            })
        });
        if bound.is_err() {
            servers.end().await;
        }
        bound
    }
}

impl Bindings {
    fn check(&self) -> Result<(), BindError> {
        if self.session_id.is_nil() {
            return Err(BindError::InvalidSessionId);
        }
        if self.loop_id.is_nil() {
            return Err(BindError::InvalidLoopId);
        }
        check_extra_tools(&self.extra_tools)
    }

    /// The bindings of a loop below, which lies in `folder`.
    pub(super) fn below(&self, folder: &Path) -> Self {
        let mut untrusted_folders = self.untrusted_folders.clone();
        // Where no bare name is taken from this loop's folder, none is from the other's.
        if !untrusted_folders.is_empty() {
            untrusted_folders.push(folder.to_owned());
        }
        Self {
            session_id: self.session_id,
            loop_id: Uuid::new_v4(),
            extra_tools: Vec::new(),
            folder: folder.to_owned(),
            guard: self.guard.clone(),
            untrusted_folders,
            environment: self.environment.clone(),
        }
    }
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

    /// The names of all tools, those of a loop below behind the name of the tool that hands work to it:
    /// `refund_desk/refund`.
    pub fn tool_paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        for tool in self.modes.iter().flat_map(|mode| &mode.tools) {
            let name = &tool.info().name;
            if paths.contains(name) {
                continue;
            }
            paths.push(name.clone());
            let below = tool.subloop().map(|below| below.tool_paths());
            let below = below.into_iter().flatten();
            paths.extend(below.map(|path| format!("{name}/{path}")));
        }
        paths
    }

    /// How long a cancelled run may take to wind down, in milliseconds.
    pub fn drain_timeout(&self) -> Milliseconds {
        self.accepted.definition().drain()
    }
}
