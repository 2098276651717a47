//! From what the editor shows to tools that can be called.

use super::outbox::Outbox;
use super::session::Session;
use super::{trust, uri};
use crate::bind::{BindError, Bindings, Bound, Family, Foreseen, Notice, told};
use crate::check::{Accepted, Analysis, Diagnostic};
use crate::definition;
use crate::ide::{self, ShownMode};
use crate::text::{Encoding, Span, position_at};
use crate::workspace::Snapshot;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::notification::ShowMessage;
use tower_lsp::ls_types::{MessageType, ShowMessageParams};
use uuid::Uuid;

/// How many things that were left out of a bind are told at once.
const MOST_NOTICES: usize = 5;

/// Accepts the text of `snapshot`.
///
/// # Errors
///
/// The first error in it with its place, for a person.
pub async fn accept(
    session: &Arc<Session>,
    snapshot: &Snapshot,
) -> std::result::Result<Accepted, String> {
    let session = session.clone();
    let snapshot = snapshot.clone();
    let accepted = tokio::task::spawn_blocking(move || {
        let surroundings = session.surroundings_searched(&snapshot.uri);
        let analysis = snapshot.analysis();
        Accepted::new(analysis.clone(), &*surroundings).map_err(|rejected| {
            let errors = rejected.0;
            let more = match errors.len() {
                0 | 1 => String::new(),
                count => format!(" (and {} more)", count - 1),
            };
            let first = errors
                .first()
                .map(|first| describe(&snapshot, analysis, first));
            format!("{}{more}", first.unwrap_or_default())
        })
    });
    accepted
        .await
        .map_err(|_panic| "internal error".to_owned())?
}

/// What is wrong, with its place, for a person.
pub fn describe(snapshot: &Snapshot, analysis: &Analysis, error: &Diagnostic) -> String {
    let place = place(snapshot, analysis, error.span);
    format!("{place}: {} [{}]", error.message, error.code)
}

/// `NAME:LINE:COLUMN`, counted from 1 as people do.
fn place(snapshot: &Snapshot, analysis: &Analysis, span: Span) -> String {
    let at = position_at(&analysis.rope, span.start, Encoding::Utf32);
    let name = uri::file_name(&snapshot.uri);
    format!("{name}:{}:{}", at.line + 1, at.character + 1)
}

/// Accepts the text of `snapshot` and reads the loops that it hands work to.
///
/// # Errors
///
/// The first error in it with its place, for a person.
pub async fn load(
    session: &Arc<Session>,
    snapshot: &Snapshot,
) -> std::result::Result<Family, String> {
    let accepted = accept(session, snapshot).await?;
    let (session, snapshot) = (session.clone(), snapshot.clone());
    let family = tokio::task::spawn_blocking(move || {
        let surroundings = session.surroundings_searched(&snapshot.uri);
        let family = Family::load(&accepted, &*surroundings);
        family.map_err(|error| unbound(&snapshot, accepted.analysis(), &error))
    });
    family.await.map_err(|_panic| "internal error".to_owned())?
}

/// Binds what was read of `snapshot`; for `foreseen`, where the calls are known before. Whoever calls this has asked for trust in just that.
///
/// # Errors
///
/// What could not be made, with its place, for a person.
pub async fn bound(
    session: &Session,
    snapshot: &Snapshot,
    family: Family,
    foreseen: Option<Foreseen>,
) -> std::result::Result<Bound, String> {
    let analysis = family.accepted.analysis().clone();
    let bound = family.bind(bindings_for(session, snapshot), foreseen).await;
    bound.map_err(|error| unbound(snapshot, &analysis, &error))
}

/// What a bind of `snapshot` is given.
pub fn bindings_for(session: &Session, snapshot: &Snapshot) -> Bindings {
    let path = uri::path(&snapshot.uri);
    let folders = session.folders();
    let folder = path
        .as_deref()
        .and_then(|path| path.parent().map(Path::to_owned))
        .or_else(|| folders.first().cloned())
        .unwrap_or_else(std::env::temp_dir);
    let untrusted_folders = match &path {
        Some(path) => session.untrusted_folders(path),
        None => folders,
    };
    Bindings {
        session_id: Uuid::new_v4(),
        loop_id: Uuid::new_v4(),
        extra_tools: Vec::new(),
        folder,
        guard: session.machine.guard.clone(),
        untrusted_folders,
        environment: session.machine.environment.clone(),
    }
}

/// Why it was not bound, with its place, for a person.
pub fn unbound(snapshot: &Snapshot, analysis: &Analysis, error: &BindError) -> String {
    match error.span() {
        Some(span) => format!("{}: {error}", place(snapshot, analysis, span)),
        None => error.to_string(),
    }
}

/// `loopls.bind`: binds and lists the tools that the model will see, mode by mode.
///
/// # Errors
///
/// The definition has an error, is not trusted or cannot be bound.
pub async fn bind(session: &Arc<Session>, snapshot: &Snapshot) -> Result<Option<Value>> {
    let tools = async {
        let family = load(session, snapshot).await?;
        if !trust::allows(session, snapshot, &family).await {
            return Err(trust::NOT_TRUSTED.to_owned());
        }
        bound(session, snapshot, family, None).await
    };
    match tools.await {
        Ok(bound) => {
            bound.end().await;
            tell_notices(session, snapshot, bound.accepted.analysis(), &bound.notices);
            let names: Vec<_> = bound.initial_mode().tools.iter().collect();
            let text = format!(
                "{} binds: {} tool{} in the mode it starts in",
                uri::file_name(&snapshot.uri),
                names.len(),
                if names.len() == 1 { "" } else { "s" },
            );
            // A client that draws runs shows what comes back; any other would show nothing.
            if !session.abilities().run_events {
                show(&session.outbox, MessageType::INFO, text);
            }
            Ok(Some(told(&bound)))
        }
        Err(problem) => Err(refused(problem)),
    }
}

/// `loopls.resolve`: what each mode comes to, as `loopls resolve --format json` prints it.
///
/// # Errors
///
/// The definition has an error, or names a file that cannot be read.
pub async fn resolve(session: &Arc<Session>, snapshot: &Snapshot) -> Result<Option<Value>> {
    let accepted = accept(session, snapshot).await.map_err(refused)?;
    let (session, snapshot) = (session.clone(), snapshot.clone());
    let resolved = tokio::task::spawn_blocking(move || {
        let definition = accepted.definition();
        let surroundings = session.surroundings_searched(&snapshot.uri);
        let modes = definition::resolve(definition).into_iter().map(|mode| {
            let system = mode.system(definition, &*surroundings);
            let system = system.map_err(|(span, problem)| {
                let place = place(&snapshot, accepted.analysis(), span);
                refused(format!("{place}: {problem}"))
            })?;
            Ok(ShownMode { mode, system })
        });
        let modes = modes.collect::<Result<Vec<_>>>()?;
        Ok(Some(ide::resolved(
            definition,
            &snapshot.rope,
            &modes,
            &*surroundings,
        )))
    });
    resolved.await.map_err(|_panic| Error::internal_error())?
}

/// The error reply that tells a person what stands in the way.
pub fn refused(problem: String) -> Error {
    let mut error = Error::invalid_request();
    error.message = problem.into();
    error
}

/// Tells a person what was left out of a bind.
pub fn tell_notices(
    session: &Session,
    snapshot: &Snapshot,
    analysis: &Analysis,
    notices: &[Notice],
) {
    let [first, others @ ..] = notices else {
        return;
    };
    let place = place(snapshot, analysis, first.span);
    let mut text = format!("{place}: {}", first.message);
    for other in others.iter().take(MOST_NOTICES - 1) {
        text.push_str(&format!("; {}", other.message));
    }
    if others.len() >= MOST_NOTICES {
        text.push_str(&format!(" (and {} more)", others.len() + 1 - MOST_NOTICES));
    }
    show(&session.outbox, MessageType::WARNING, text);
}

pub fn show(outbox: &Outbox, typ: MessageType, message: String) {
    outbox.notify::<ShowMessage>(ShowMessageParams { typ, message });
}
