//! `workspace/executeCommand`

use super::runs;
use super::session::Session;
use super::{bindings, edits, pages, probes, uri};
use crate::check::Code;
use crate::ide::Act;
use crate::run::access::Answer;
use crate::workspace::Snapshot;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{Command, ExecuteCommandParams, WorkspaceEdit};

const RUN: &str = "loopls.run";
const CANCEL: &str = "loopls.cancel";
const DECIDE: &str = "loopls.decide";
const BIND: &str = "loopls.bind";
const PROBE: &str = "loopls.probe";
const RESOLVE: &str = "loopls.resolve";
const SAVE_AS_TEST: &str = "loopls.saveAsTest";
const EXPLAIN: &str = "loopls.explain";
const APPLY: &str = "loopls.apply";

/// Every command there is.
pub const ALL: &[&str] = &[
    RUN,
    CANCEL,
    DECIDE,
    BIND,
    PROBE,
    RESOLVE,
    SAVE_AS_TEST,
    EXPLAIN,
    APPLY,
];

/// The command that does `act` on the document at `uri`.
pub fn for_act(title: String, uri: &str, act: &Act) -> Command {
    let (name, argument) = match act {
        Act::Run { mode: None } => (RUN, json!({ "uri": uri })),
        Act::Run { mode: Some(mode) } => (RUN, json!({ "uri": uri, "mode": mode })),
        Act::RunTest { test } => (RUN, json!({ "uri": uri, "test": test })),
        Act::Probe { tool } => (PROBE, json!({ "uri": uri, "tool": tool })),
        Act::Bind => (BIND, json!({ "uri": uri })),
    };
    command(title, name, argument)
}

/// The command that cancels a run.
pub fn cancel(title: String, run: &str) -> Command {
    command(title, CANCEL, json!({ "run": run }))
}

/// The command that opens the page of a code.
pub fn explain(title: String, code: Code) -> Command {
    command(title, EXPLAIN, json!({ "code": code.as_str() }))
}

/// The command that applies an edit, for a client to which an action can be nothing else.
pub fn apply(title: String, edit: &WorkspaceEdit) -> Command {
    let argument = json!({ "label": title, "edit": edit });
    command(title, APPLY, argument)
}

fn command(title: String, command: &str, argument: Value) -> Command {
    Command {
        title,
        command: command.into(),
        arguments: Some(vec![argument]),
    }
}

/// Does what a command asks for.
///
/// # Errors
///
/// There is no such command, or its argument is not what it takes.
pub async fn execute(
    session: &Arc<Session>,
    params: ExecuteCommandParams,
) -> Result<Option<Value>> {
    let argument = params.arguments.into_iter().next().unwrap_or_default();
    let token = params.work_done_progress_params.work_done_token;
    match params.command.as_str() {
        RUN => runs::run(session, parse(argument)?, token).await,
        CANCEL => {
            let Cancel { run } = parse(argument)?;
            Ok(Some(session.runs.cancel(&run).into()))
        }
        DECIDE => {
            let Decide {
                run,
                call,
                decision,
            } = parse(argument)?;
            Ok(Some(
                session.runs.decide(&run, call, decision.into()).into(),
            ))
        }
        BIND => {
            let Document { uri } = parse(argument)?;
            bindings::bind(session, &open(session, &uri)?).await
        }
        PROBE => {
            let Probe { uri, tool } = parse(argument)?;
            probes::probe(session, &open(session, &uri)?, &tool).await
        }
        RESOLVE => {
            let Document { uri } = parse(argument)?;
            bindings::resolve(session, &open(session, &uri)?).await
        }
        SAVE_AS_TEST => runs::save_as_test(session, parse(argument)?).await,
        EXPLAIN => {
            let Explain { code } = parse(argument)?;
            pages::open(session, &code).await
        }
        APPLY => {
            let edits::Apply { label, edit } = parse(argument)?;
            edits::apply(session, label, edit).await?;
            Ok(None)
        }
        other => Err(Error::invalid_params(format!(
            "there is no command {other}"
        ))),
    }
}

/// The document at `uri` as the editor shows it.
///
/// # Errors
///
/// It is not open, or no loop definition.
pub fn open(session: &Session, uri: &str) -> Result<Snapshot> {
    session.snapshot_of(&uri::key(uri)).ok_or_else(|| {
        Error::invalid_params(format!("{uri} is not open, or is no loop definition"))
    })
}

/// Also an argument that is not there is nonsense rather than a panic.
fn parse<T: DeserializeOwned>(argument: Value) -> Result<T> {
    serde_json::from_value(argument).map_err(|error| Error::invalid_params(error.to_string()))
}

#[derive(Deserialize)]
struct Cancel {
    run: String,
}

#[derive(Deserialize)]
struct Decide {
    run: String,
    call: u64,
    decision: Decision,
}

#[derive(Deserialize)]
struct Explain {
    code: String,
}

#[derive(Deserialize)]
struct Probe {
    uri: String,
    tool: String,
}

#[derive(Deserialize)]
struct Document {
    uri: String,
}

/// What a person decided about a call, in the words of `loopls.decide`.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Decision {
    Deny,
    Allow,
    AllowForRun,
}

impl From<Decision> for Answer {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Deny => Answer::Deny,
            Decision::Allow => Answer::Once,
            Decision::AllowForRun => Answer::ForRun,
        }
    }
}
