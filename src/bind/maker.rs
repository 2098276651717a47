//! Makes the tools of a loop and of those below it.

use super::family::{MemberKind, told_below};
use super::input::InputSchema;
use super::mcp::Servers;
use super::{
    BindError, Bindings, Bound, BoundMode, Family, Foreseen, Keys, Middleware, Notice, Secrets,
    Tool, ToolInfo, command, http, mcp, reply, subloop,
};
use crate::definition::{
    self, DEFAULT_TIMEOUT, Effect, RESERVED_TOOL_NAME, Source, Spanned, resolve,
};
use crate::text::Span;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Makes what one bind comes to.
pub(super) struct Maker {
    /// Those of all loops that are made.
    secrets: Arc<Secrets>,
    /// The loops below that were made, each once.
    children: HashMap<*const Family, Arc<Bound>>,
    /// What requests are sent with, once a tool sends some.
    connection: Option<http::Connection>,
    /// The servers that were started for the bind.
    servers: Arc<Servers>,
    /// The calls that will be made, where that is known: then only servers that they need were started.
    foreseen: Option<Foreseen>,
}

impl Maker {
    /// A maker for loops of which nobody is to know `secrets`, and whose servers are those of `servers` that `foreseen` needs.
    pub fn new(secrets: Arc<Secrets>, servers: Arc<Servers>, foreseen: Option<Foreseen>) -> Self {
        Self {
            secrets,
            children: HashMap::new(),
            connection: None,
            servers,
            foreseen,
        }
    }

    /// Makes `family`.
    ///
    /// # Errors
    ///
    /// The first thing that could not be made, in harness's order.
    pub fn make(&mut self, family: &Family, bindings: Bindings) -> Result<Bound, BindError> {
        let definition = family.accepted.definition();
        let mut built: HashMap<usize, Vec<Arc<dyn Tool>>> = HashMap::new();
        let mut names = Names::of(&bindings.extra_tools);
        let mut modes = Vec::new();
        let mut delegates = None;
        let mut notices = Vec::new();
        for (mode, system) in resolve(definition).into_iter().zip(&family.systems) {
            let mut tools = Vec::new();
            for index in mode.tools.iter().copied() {
                let made = match built.get(&index) {
                    Some(made) => made.clone(),
                    None => {
                        let made = self.build(family, index, &bindings, &mut notices)?;
                        names.take(&made)?;
                        built.entry(index).or_insert(made).clone()
                    }
                };
                tools.extend(made);
            }
            let delegates = match &delegates {
                Some(delegates) => delegates,
                None => {
                    delegates.insert(self.delegates(family, &bindings, &mut names, &mut notices)?)
                }
            };
            tools.extend(delegates.iter().cloned());
            tools.extend(bindings.extra_tools.iter().cloned());
            modes.push(BoundMode {
                name: mode.name.to_owned(),
                limits: mode.limits,
                tools,
                system: self.secrets.hide(system).into_owned(),
                effort: mode.effort,
            });
        }
        Ok(Bound {
            middlewares: Arc::new(Middleware::all(definition, |file| {
                family.place_of_log(file)
            })?),
            keys: Keys::of(definition, &bindings.environment),
            session_id: bindings.session_id,
            loop_id: bindings.loop_id,
            modes,
            secrets: self.secrets.clone(),
            notices,
            servers: self.servers.clone(),
            accepted: family.accepted.clone(),
        })
    }

    /// The tools of one `[[tools]]` entry, one for each produced name.
    fn build(
        &mut self,
        family: &Family,
        index: usize,
        bindings: &Bindings,
        notices: &mut Vec<Notice>,
    ) -> Result<Vec<Arc<dyn Tool>>, BindError> {
        let definition = family.accepted.definition();
        let entry = &definition.tools[index];
        let failed = |problem: String, span: Span| BindError::Factory {
            tool: entry.name.text().to_owned(),
            problem,
            span,
        };
        let Some(source) = entry.sources.first() else {
            return Err(failed("it has no source".into(), entry.span));
        };
        if let Source::Loop(path) = &source.value {
            let span = path.span().unwrap_or(source.span);
            let schema = subloop_schema().map_err(|problem| failed(problem, span))?;
            let (child, _) = self
                .child(family, span, bindings, notices)
                .map_err(|problem| failed(problem, span))?;
            let tool = |info| subloop::tool(info, schema.clone(), child.clone());
            return Ok(infos(entry, &schema).into_iter().map(tool).collect());
        }
        if let Source::Mcp(Some(mcp)) = &source.value {
            let told = |problem: Spanned<String>| failed(problem.value, problem.span);
            let key = mcp::Key::of(definition, entry, mcp, bindings).map_err(told)?;
            if let (Some(foreseen), None) = (&self.foreseen, self.servers.get(&key)) {
                let names = foreseen.names_of(definition, index);
                return mcp::stand_ins(entry, mcp, names)
                    .map_err(|problem| failed(problem, source.span));
            }
            let server = self.servers.started(&key);
            let server = server.map_err(|problem| failed(problem, source.span))?;
            let maker = mcp::Maker::new(definition, (index, mcp), &server, &self.secrets);
            let made = maker.build().map_err(told)?;
            let left_out = made.left_out;
            notices.extend(mcp::notices(entry, source.span, left_out, &self.secrets));
            return Ok(made.tools);
        }
        let schema = schema(entry).map_err(|(problem, span)| failed(problem, span))?;
        let infos = infos(entry, &schema);
        match &source.value {
            Source::Command(items) => {
                let items = items.as_deref().unwrap_or_default();
                let source = (items, source.span);
                command::build(definition, entry, source, infos, schema, bindings)
            }
            Source::Reply(reply) => Ok(reply::build(reply, infos, schema)),
            Source::Http(Some(http)) => {
                let connection = self.connection();
                let connection = connection.map_err(|problem| failed(problem, source.span))?;
                let (name, source) = (entry.name.text(), (http, source.span));
                http::build(name, source, infos, schema, bindings, connection)
            }
            // An accepted definition has none of these, and the others were made above.
            Source::Http(None) | Source::Mcp(_) | Source::Loop(_) => {
                Err(failed("it has no source".into(), source.span))
            }
        }
    }

    fn connection(&mut self) -> Result<http::Connection, String> {
        match &self.connection {
            Some(connection) => Ok(connection.clone()),
            None => Ok(self.connection.insert(http::Connection::new()?).clone()),
        }
    }

    /// The tools of the loops that `delegates` names.
    fn delegates(
        &mut self,
        family: &Family,
        bindings: &Bindings,
        names: &mut Names,
        notices: &mut Vec<Notice>,
    ) -> Result<Vec<Arc<dyn Tool>>, BindError> {
        let mut tools = Vec::new();
        for delegate in family.accepted.definition().delegates.items() {
            let failed = |problem: String| BindError::Delegate {
                delegate: delegate.value.to_string(),
                problem,
                span: delegate.span,
            };
            let schema = subloop_schema().map_err(failed)?;
            let (child, description) = self
                .child(family, delegate.span, bindings, notices)
                .map_err(failed)?;
            let name = delegate.value.trim().to_owned();
            if name == RESERVED_TOOL_NAME {
                return Err(failed("this name is reserved".into()));
            }
            let info = ToolInfo {
                definition: name.clone(),
                name,
                description,
                input_schema: schema.schema().clone(),
                effect: Effect::Read,
                sequential: false,
                timeout: None,
                span: delegate.span,
            };
            let tool = [subloop::tool(info, schema, child)];
            names.take(&tool)?;
            tools.extend(tool);
        }
        Ok(tools)
    }

    /// The loop that the mention at `span` leads to, and what it is for.
    fn child(
        &mut self,
        family: &Family,
        span: Span,
        bindings: &Bindings,
        notices: &mut Vec<Notice>,
    ) -> Result<(Option<Arc<Bound>>, String), String> {
        let member = family.below(span).ok_or("there is no such loop")?;
        let child = match &member.kind {
            MemberKind::Problem(problem) => return Err(problem.clone()),
            MemberKind::TooDeep => return Ok((None, member.description.clone())),
            MemberKind::Loop(child) => child,
        };
        if let Some(bound) = self.children.get(&Arc::as_ptr(child)) {
            return Ok((Some(bound.clone()), member.description.clone()));
        }
        let folder = child.folder.as_deref().unwrap_or(&bindings.folder);
        let bound = self
            .make(child, bindings.below(folder))
            .map_err(|error| told_below(&member.shown, child.accepted.analysis(), &error))?;
        notices.extend(bound.notices.iter().map(|notice| Notice {
            message: format!("{}: {}", member.shown, notice.message),
            span,
        }));
        let bound = Arc::new(bound);
        self.children.insert(Arc::as_ptr(child), bound.clone());
        Ok((Some(bound), member.description.clone()))
    }
}

/// The model-facing names that are taken.
struct Names(HashSet<String>);

impl Names {
    fn of(tools: &[Arc<dyn Tool>]) -> Self {
        let names = tools.iter().map(|tool| tool.info().name.trim().to_owned());
        Self(names.collect())
    }

    /// Takes the names of `tools`.
    ///
    /// # Errors
    ///
    /// The first that is taken already.
    fn take(&mut self, tools: &[Arc<dyn Tool>]) -> Result<(), BindError> {
        for tool in tools {
            let info = tool.info();
            if !self.0.insert(info.name.clone()) {
                return Err(BindError::DuplicateToolName {
                    name: info.name.clone(),
                    span: Some(info.span),
                });
            }
        }
        Ok(())
    }
}

fn subloop_schema() -> Result<Arc<InputSchema>, String> {
    InputSchema::new(Some(subloop::schema())).map(Arc::new)
}

fn schema(entry: &definition::Tool) -> Result<Arc<InputSchema>, (String, Span)> {
    let declared = entry.input.get().map(|node| node.to_json());
    let span = entry.input.span().unwrap_or(entry.span);
    let schema = InputSchema::new(declared).map_err(|problem| (problem, span))?;
    Ok(Arc::new(schema))
}

fn infos(entry: &definition::Tool, schema: &InputSchema) -> Vec<ToolInfo> {
    let default_timeout = match entry.sources.first().map(|source| &source.value) {
        // It has limits of its own, and a person may be asked in it.
        Some(Source::Loop(_)) => None,
        _ => Some(DEFAULT_TIMEOUT),
    };
    let timeout = entry.timeout.get().copied().filter(|&time| time > 0);
    let names = entry.produced_names().into_iter().flatten();
    names
        .map(|name| ToolInfo {
            name: name.value.to_owned(),
            definition: entry.name.text().to_owned(),
            description: entry.description.text().to_owned(),
            input_schema: schema.schema().clone(),
            effect: entry.effect(),
            sequential: entry.sequential.get().copied().unwrap_or_default(),
            timeout: timeout.or(default_timeout),
            span: entry.span,
        })
        .collect()
}
