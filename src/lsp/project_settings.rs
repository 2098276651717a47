//! `loopls.toml` of the projects that are worked in: what counts, and what is wrong with it, shown in the file itself,
//! whether it is open or not.

use super::session::Session;
use super::{convert, uri};
use crate::check;
use crate::definition::Surroundings;
use crate::host::Host;
use crate::workspace::{SETTINGS_FILE, Settings};
use ropey::Rope;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use tower_lsp::ls_types::notification::PublishDiagnostics;
use tower_lsp::ls_types::{Diagnostic, PublishDiagnosticsParams, Uri};

/// The settings of a project as their file has them.
#[derive(Clone, Debug, Default)]
pub struct ProjectSettings {
    /// What counts.
    pub settings: Settings,
    rope: Rope,
    problems: Vec<check::Diagnostic>,
}

impl ProjectSettings {
    /// Those of the project at `root`: as the editor has them open, else as they are on the disk; none where they cannot
    /// be read.
    pub fn read(root: &Path, open: Option<&Rope>) -> Self {
        let text = match open {
            Some(open) => open.to_string(),
            None => {
                let host = Host::new(&root.join(SETTINGS_FILE));
                host.file(Path::new(SETTINGS_FILE)).unwrap_or_default()
            }
        };
        // An editor does not count it either.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let (settings, problems) = Settings::parse(text);
        Self {
            settings,
            rope: Rope::from_str(text),
            problems,
        }
    }
}

/// What was last shown of each project's settings, by its root.
#[derive(Debug, Default)]
pub struct Shown(Mutex<BTreeMap<PathBuf, Of>>);

#[derive(Debug, Default)]
struct Of {
    settings: Arc<ProjectSettings>,
    diagnostics: Vec<Diagnostic>,
}

/// The root of the project whose settings file is at `uri`, if it is one.
pub fn root(uri: &str) -> Option<PathBuf> {
    let path = uri::path(uri)?;
    let is_settings = path.file_name().is_some_and(|name| name == SETTINGS_FILE);
    is_settings
        .then(|| path.parent().map(Path::to_owned))
        .flatten()
}

/// Takes the settings of the project at `root` as they are open, or that they are open no more.
pub fn see(session: &Arc<Session>, root: PathBuf, open: Option<Rope>) {
    session.projects.see_settings(&root, open);
    let session = session.clone();
    tokio::task::spawn_blocking(move || {
        show(&session, &root);
        super::publish::look_again(&session);
    });
}

/// Publishes what is wrong with the settings of the project at `root`, unless that was published already or the client
/// pulls.
pub fn show(session: &Session, root: &Path) {
    if session.abilities().pulls_diagnostics {
        return;
    }
    // Locked until it is published, so that what is newest is published last.
    let shown = &session.shown_settings.0;
    let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
    let settings = session.projects.settings(root);
    let before = shown.entry(root.to_owned()).or_default();
    if Arc::ptr_eq(&before.settings, &settings) {
        return;
    }
    let Some((uri, version)) = place(session, root) else {
        return;
    };
    let diagnostics = diagnostics(session, &settings, &uri);
    if before.diagnostics != diagnostics || version.is_some() {
        session
            .outbox
            .notify::<PublishDiagnostics>(PublishDiagnosticsParams::new(
                uri,
                diagnostics.clone(),
                version,
            ));
    }
    *before = Of {
        settings,
        diagnostics,
    };
}

/// What is wrong with the settings file at `uri`, for a client that asks; nothing if it is none.
pub fn pull(session: &Session, uri: &Uri) -> Vec<Diagnostic> {
    root(uri.as_str()).map_or_else(Vec::new, |root| {
        diagnostics(session, &session.projects.settings(&root), uri)
    })
}

fn diagnostics(session: &Session, settings: &ProjectSettings, uri: &Uri) -> Vec<Diagnostic> {
    let problems = settings.problems.iter();
    let abilities = session.abilities();
    problems
        .map(|it| convert::diagnostic(it, &settings.rope, uri, abilities))
        .collect()
}

/// The settings file of the project at `root`: as the client spelt it, with its version, if it is open.
fn place(session: &Session, root: &Path) -> Option<(Uri, Option<i32>)> {
    let path = root.join(SETTINGS_FILE);
    let documents = session.documents();
    match documents.workspace.place(&uri::key_of_path(&path)) {
        Some((uri, version)) => Some((Uri::from_str(&uri).ok()?, Some(version))),
        None => Some((Uri::from_file_path(path)?, None)),
    }
}
