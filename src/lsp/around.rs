//! What surrounds an open document: this machine, and the other documents of the editor before what is on its disk.

use super::probes::Probes;
use super::projects::Projects;
use super::session::Documents;
use super::uri;
use crate::definition::{FileProblem, KnownLoop, Surroundings, beside};
use crate::host::Host;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What surrounds the document at one place, for as long as nothing is known to have changed there.
#[derive(Debug)]
pub struct Place {
    host: Host,
    /// Where programs were found: one that is named a thousand times is looked for once.
    programs: Mutex<HashMap<String, Option<PathBuf>>>,
}

impl Place {
    /// The surroundings as this machine has them.
    pub fn new(host: Host) -> Self {
        Self {
            host,
            programs: Mutex::default(),
        }
    }

    /// The root of the project.
    pub fn root(&self) -> &Path {
        self.host.root()
    }
}

/// What surrounds an open document.
pub struct Around {
    /// The machine.
    pub place: Arc<Place>,
    /// The projects.
    pub projects: Arc<Projects>,
    /// What servers were asked.
    pub probes: Arc<Probes>,
    /// What is open.
    pub documents: Arc<Mutex<Documents>>,
    /// Whether the project may be searched now, which takes as long as the disk: never on the message loop.
    pub may_search: bool,
}

impl Surroundings for Around {
    fn file(&self, path: &Path) -> Result<String, FileProblem> {
        let on_disk = self.place.host.file(path);
        if on_disk == Err(FileProblem::Outside) {
            return on_disk;
        }
        let key = uri::key_of_path(&beside(self.place.host.folder(), path));
        let documents = self.documents.lock();
        let documents = documents.unwrap_or_else(PoisonError::into_inner);
        match documents.workspace.text(&key) {
            Some(open) => Ok(open.to_string()),
            None => on_disk,
        }
    }

    fn place_of(&self, path: &Path) -> Result<PathBuf, FileProblem> {
        self.place.host.place_of(path)
    }

    fn entries(&self, path: &Path) -> Vec<String> {
        self.place.host.entries(path)
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        let programs = self.place.programs.lock();
        let mut programs = programs.unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = programs.get(name) {
            return known.clone();
        }
        let found = self.place.host.program(name);
        programs.insert(name.to_owned(), found.clone());
        found
    }

    fn variable_is_set(&self, name: &str) -> bool {
        self.place.host.variable_is_set(name)
    }

    fn variable_names(&self) -> Vec<String> {
        self.place.host.variable_names()
    }

    fn place(&self) -> Option<PathBuf> {
        self.place.host.place()
    }

    fn loops(&self) -> Option<Arc<Vec<KnownLoop>>> {
        match self.may_search {
            true => Some(self.projects.loops_searched(self.place.root())),
            false => self.projects.loops(self.place.root()),
        }
    }

    fn probed(&self, tool: &str) -> Option<Arc<Vec<String>>> {
        self.probes.of(&self.place.host.place()?, tool)
    }

    fn at(&self, place: &Path) -> Option<Box<dyn Surroundings + Send + Sync>> {
        Some(Box::new(Self {
            place: Arc::new(Place::new(self.place.host.beside(place))),
            projects: self.projects.clone(),
            probes: self.probes.clone(),
            documents: self.documents.clone(),
            may_search: self.may_search,
        }))
    }
}
