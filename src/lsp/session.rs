//! One client and what the server knows of it.

use super::abilities::Abilities;
use super::around::{Around, Place};
use super::features::workspace_symbols;
use super::log::Log;
use super::outbox::Outbox;
use super::probes::Probes;
use super::projects::Projects;
use super::publish::Workers;
use super::refresh::Refreshes;
use super::runs::Runs;
use super::settings::Configuration;
use super::trust::Trust;
use super::watch::Watched;
use super::{Machine, project_settings, uri};
use crate::check::{self, Analysis, Levels};
use crate::definition::{Nowhere, Surroundings};
use crate::host::Host;
use crate::workspace::{DocumentKey, Snapshot, Workspace};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tower_lsp::Client;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{Uri, WorkspaceFolder};

/// Texts up to this many bytes are looked at as a whole where they are asked about; longer ones beside the message loop.
pub const INLINE_BYTES: usize = 64 << 10;

/// One client, its documents and its runs.
pub struct Session {
    /// Sends requests and waits for their answers. Never from a notification's handler.
    pub client: Client,
    /// Sends everything else.
    pub outbox: Outbox,
    /// What the client is told of the server itself.
    pub log: Log,
    /// What the server has of this machine.
    pub machine: Machine,
    /// Whether definitions may start anything.
    pub trust: Trust,
    /// The runs in flight.
    pub runs: Runs,
    /// Cancelled when the client is gone.
    pub gone: CancellationToken,
    /// The projects that documents are in.
    pub projects: Arc<Projects>,
    /// What is shown of the settings of projects.
    pub shown_settings: project_settings::Shown,
    /// Symbols of files that are not open.
    pub symbols: workspace_symbols::Cache,
    /// What servers were asked.
    pub probes: Arc<Probes>,
    /// Looks at what is outside the editor.
    pub refreshes: Refreshes,
    /// What the client watches for us.
    pub watched: Watched,
    /// What a person has set in the editor.
    pub configuration: Configuration,
    abilities: OnceLock<Abilities>,
    folders: Mutex<Vec<PathBuf>>,
    documents: Arc<Mutex<Documents>>,
    /// What surrounds documents, by their paths, until something may have changed there.
    places: Mutex<HashMap<PathBuf, Arc<Place>>>,
}

/// The open documents, and who publishes what is found in them.
#[derive(Default)]
pub struct Documents {
    /// The documents.
    pub workspace: Workspace,
    /// One worker a document.
    pub workers: Workers,
}

impl Session {
    /// A session before its client has said anything.
    pub fn new(
        client: Client,
        outbox: Outbox,
        log: Log,
        machine: Machine,
        gone: CancellationToken,
    ) -> Self {
        Self {
            trust: Trust::new(machine.state_folder.clone()),
            runs: Runs::default(),
            client,
            outbox,
            log,
            machine,
            gone,
            abilities: OnceLock::new(),
            projects: Arc::default(),
            shown_settings: project_settings::Shown::default(),
            symbols: workspace_symbols::Cache::default(),
            probes: Arc::default(),
            refreshes: Refreshes::default(),
            watched: Watched::default(),
            configuration: Configuration::default(),
            folders: Mutex::default(),
            documents: Arc::default(),
            places: Mutex::default(),
        }
    }

    /// Takes what the client says that it can do; what it says first counts.
    pub fn introduce(&self, abilities: Abilities) {
        let _ = self.abilities.set(abilities);
    }

    /// What the client can do.
    pub fn abilities(&self) -> &Abilities {
        self.abilities.get_or_init(Abilities::default)
    }

    /// The folders that the client works in, absolute.
    pub fn folders(&self) -> Vec<PathBuf> {
        self.lock_folders().clone()
    }

    /// Takes folders that the client begins or ceases to work in.
    pub fn change_folders(&self, added: &[WorkspaceFolder], removed: &[WorkspaceFolder]) {
        let paths = |folders: &[WorkspaceFolder]| -> Vec<PathBuf> {
            let paths = folders.iter().map(|folder| uri::path(folder.uri.as_str()));
            paths.flatten().collect()
        };
        let removed = paths(removed);
        let mut folders = self.lock_folders();
        folders.retain(|folder| !removed.contains(folder));
        folders.extend(paths(added));
    }

    fn lock_folders(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The documents, for as long as the guard is held: never across an await.
    pub fn documents(&self) -> MutexGuard<'_, Documents> {
        self.documents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The document as it is now, if it is open and ours.
    pub fn snapshot(&self, uri: &Uri) -> Option<Snapshot> {
        self.snapshot_of(&uri::key(uri.as_str()))
    }

    /// The same by its key.
    pub fn snapshot_of(&self, key: &DocumentKey) -> Option<Snapshot> {
        self.documents().workspace.snapshot(key)
    }

    /// What surrounds the document at `uri`, as far as it is known; one without a path has nothing around it.
    pub fn surroundings(&self, uri: &str) -> Box<dyn Surroundings + Send + Sync> {
        self.around(uri, false)
    }

    /// The same, for work beside the message loop: a project that was not searched yet is searched.
    pub fn surroundings_searched(&self, uri: &str) -> Box<dyn Surroundings + Send + Sync> {
        self.around(uri, true)
    }

    fn around(&self, uri: &str, may_search: bool) -> Box<dyn Surroundings + Send + Sync> {
        match uri::path(uri) {
            None => Box::new(Nowhere),
            Some(path) => Box::new(Around {
                place: self.place(&path),
                projects: self.projects.clone(),
                probes: self.probes.clone(),
                documents: self.documents.clone(),
                may_search,
            }),
        }
    }

    /// The place of the document at `path`, with what is known of it.
    pub fn place(&self, path: &Path) -> Arc<Place> {
        let mut places = self.places();
        if let Some(place) = places.get(path) {
            return place.clone();
        }
        let host = Host::new(path)
            .with_environment(self.machine.environment.clone())
            .with_untrusted_folders(self.untrusted_folders(path));
        let place = Arc::new(Place::new(host));
        places.insert(path.to_owned(), place.clone());
        place
    }

    /// The diagnostics of `analysis` as its person wants them: at the levels of the project, under those of the editor.
    pub fn diagnostics(
        &self,
        uri: &str,
        analysis: &Analysis,
        surroundings: &dyn Surroundings,
    ) -> Vec<check::Diagnostic> {
        self.levels(uri)
            .apply(analysis.diagnostics_in(surroundings))
    }

    /// The levels that hold for the document at `uri`.
    pub fn levels(&self, uri: &str) -> Levels {
        let root = uri::path(uri).map(|path| self.place(&path).root().to_owned());
        let project = root.map(|root| self.projects.settings(&root));
        let levels = project.map(|project| project.settings.levels.clone());
        let over = &self.configuration.settings().levels;
        levels.unwrap_or_default().overridden_by(over)
    }

    /// Forgets what surrounds documents: something may have changed there.
    pub fn forget_places(&self) {
        self.places().clear();
    }

    fn places(&self) -> MutexGuard<'_, HashMap<PathBuf, Arc<Place>>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Folders that the definition at `path` must take no program from by a bare name: it may have come with one.
    pub fn untrusted_folders(&self, path: &Path) -> Vec<PathBuf> {
        let own = path.parent().map(Path::to_owned);
        self.folders().into_iter().chain(own).collect()
    }
}

/// What the text of `snapshot` says, without holding up the message loop.
///
/// # Errors
///
/// The analysis panicked.
pub async fn analysed(snapshot: &Snapshot) -> Result<Arc<Analysis>> {
    if snapshot.is_analysed() || snapshot.rope.len_bytes() <= INLINE_BYTES {
        return Ok(snapshot.analysis().clone());
    }
    let snapshot = snapshot.clone();
    tokio::task::spawn_blocking(move || snapshot.analysis().clone())
        .await
        .map_err(|_panic| Error::internal_error())
}

/// Lets the client answer a request whose answer changes nothing here, while it has the time.
pub fn detached(request: impl Future<Output: Send> + Send + 'static) {
    tokio::spawn(tokio::time::timeout(Duration::from_secs(60), request));
}
