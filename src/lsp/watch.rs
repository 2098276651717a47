//! Files that the client watches for us, where it can be asked to.

use super::session::{Session, detached};
use super::settings;
use crate::ide::{self, LinkTarget};
use crate::workspace::SETTINGS_FILE;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use tower_lsp::ls_types::{Registration, Unregistration};

const FILES: &str = "workspace/didChangeWatchedFiles";
const CONFIGURATION: &str = "workspace/didChangeConfiguration";

/// The names of the files that open definitions name, as the client was last asked to watch them; `None` before.
#[derive(Debug, Default)]
pub struct Watched(Mutex<Option<BTreeSet<String>>>);

/// Asks to be told of settings, and of the files that matter.
pub fn initialized(session: &Arc<Session>) {
    if session.abilities().registers_configuration {
        let session = session.clone();
        let registration = Registration {
            id: CONFIGURATION.into(),
            method: CONFIGURATION.into(),
            register_options: Some(json!({ "section": settings::SECTION })),
        };
        detached(async move { session.client.register_capability(vec![registration]).await });
    }
    files(session);
}

/// Asks to be told of what open definitions name now, if that changed: takes as long as it takes to analyse them.
pub fn files(session: &Arc<Session>) {
    if !session.abilities().watches_files {
        return;
    }
    let names = names(session);
    let before = {
        let mut watched = session
            .watched
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if watched.as_ref() == Some(&names) {
            return;
        }
        watched.replace(names.clone())
    };
    let session = session.clone();
    detached(async move {
        if before.is_some() {
            let old = Unregistration {
                id: FILES.into(),
                method: FILES.into(),
            };
            let _ = session.client.unregister_capability(vec![old]).await;
        }
        let new = Registration {
            id: FILES.into(),
            method: FILES.into(),
            register_options: Some(json!({ "watchers": watchers(&names) })),
        };
        session.client.register_capability(vec![new]).await
    });
}

/// The names of all files that open definitions name.
fn names(session: &Session) -> BTreeSet<String> {
    let keys = session.documents().workspace.keys();
    let snapshots = keys.iter().filter_map(|key| session.snapshot_of(key));
    let links = snapshots.flat_map(|snapshot| ide::links(snapshot.analysis()));
    let paths = links.filter_map(|link| match link.target {
        LinkTarget::Path(path) => Some(path),
        LinkTarget::Url(_) => None,
    });
    let names = paths.filter_map(|path| Some(Path::new(&path).file_name()?.to_str()?.to_owned()));
    names.collect()
}

/// Definitions, settings of projects, and files of those names, anywhere.
fn watchers(names: &BTreeSet<String>) -> Vec<serde_json::Value> {
    let own = ["loop.toml", "*.loop.toml", SETTINGS_FILE].map(str::to_owned);
    let named = names.iter().map(|name| escaped(name));
    let patterns = own.into_iter().chain(named);
    patterns
        .map(|pattern| json!({ "globPattern": format!("**/{pattern}") }))
        .collect()
}

/// `name` as a pattern that matches it alone.
fn escaped(name: &str) -> String {
    let mut pattern = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '*' | '?' | '[' | ']' | '{' | '}' => pattern.extend(['[', character, ']']),
            other => pattern.push(other),
        }
    }
    pattern
}
