//! What analysis asks of the world around a definition.

use super::{Definition, Source};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The world around one definition. Analysis is pure: whatever it wants to know beside the text it asks here, so
/// that a test can answer from a map and the server from a bounded cache.
///
/// Relative paths are relative to the definition's folder. Nothing here starts a process or opens a connection.
pub trait Surroundings {
    /// The text of the file at `path`, or why it cannot be had. Implementations decide what may be opened at all.
    fn file(&self, path: &Path) -> Result<String, FileProblem>;

    /// Where the file at `path`, which need not be there yet, is or would be: absolute, symbolic links followed. Nothing
    /// is opened.
    ///
    /// # Errors
    ///
    /// It would be outside, its folder is not there, or the definition has no place.
    fn place_of(&self, _path: &Path) -> Result<PathBuf, FileProblem> {
        Err(FileProblem::NoPlace)
    }

    /// Names of the entries of the directory `path`; those of directories end in `/`. Empty if there is none.
    fn entries(&self, path: &Path) -> Vec<String>;

    /// Where the program `name` would be started from, if it is there.
    fn program(&self, name: &str) -> Option<PathBuf>;

    /// Whether the environment variable `name` is set. Its value is nobody's business here.
    fn variable_is_set(&self, name: &str) -> bool;

    /// The names of all environment variables.
    fn variable_names(&self) -> Vec<String>;

    /// The absolute path of the definition; `None` for one that has no place yet.
    fn place(&self) -> Option<PathBuf> {
        None
    }

    /// The loops under the project's root, this one as it was last seen among them; `None` where nobody looked.
    fn loops(&self) -> Option<Arc<Vec<KnownLoop>>> {
        None
    }

    /// The model-facing names of what the server of the entry `tool` offered when it was last asked; `None` where nobody
    /// asked. Nothing is wrong with a name that is not among them: a server may have changed since.
    fn probed(&self, _tool: &str) -> Option<Arc<Vec<String>>> {
        None
    }

    /// What surrounds another definition of this project, whose file is `place`, absolute; `None` where nothing can be
    /// read.
    fn at(&self, _place: &Path) -> Option<Box<dyn Surroundings + Send + Sync>> {
        None
    }

    /// Whether programs and variables are those of a machine, so that one that is not there is worth a word.
    fn knows_machine(&self) -> bool {
        true
    }
}

/// A definition under the project's root, as far as others refer to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownLoop {
    /// Its file, absolute.
    pub path: PathBuf,
    /// Its `name`; empty if it has none.
    pub name: String,
    /// Its `description`; empty if it has none.
    pub description: String,
    /// The files of its `loop` tools, absolute.
    pub loops: Vec<PathBuf>,
    /// The names of its `delegates`.
    pub delegates: Vec<String>,
}

impl KnownLoop {
    /// What `definition`, whose file is `path`, is to others.
    pub fn of(definition: &Definition, path: &Path) -> Self {
        let folder = path.parent().unwrap_or(path);
        let loops = definition
            .tools
            .iter()
            .flat_map(|tool| &tool.sources)
            .filter_map(|source| match &source.value {
                Source::Loop(path) => Some(beside(folder, Path::new(path.get()?))),
                _ => None,
            });
        Self {
            path: path.to_owned(),
            name: definition.name.text().to_owned(),
            description: definition.description.text().to_owned(),
            loops: loops.collect(),
            delegates: definition
                .delegates
                .items()
                .map(|name| name.value.to_string())
                .collect(),
        }
    }
}

/// `path` as seen from `folder`, with its `.` and `..` taken out as they are written; symlinks are nobody's business
/// here.
pub fn beside(folder: &Path, path: &Path) -> PathBuf {
    let mut result = folder.to_owned();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            part => result.push(part),
        }
    }
    result
}

/// Why a file that a definition names cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileProblem {
    /// There is no such file.
    #[error("there is no such file")]
    Missing,
    /// It would lie outside the project's root.
    #[error("it lies outside the project's root")]
    Outside,
    /// It is there and cannot be read as text.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// The definition has no place of its own yet, so relative paths lead nowhere.
    #[error("the definition is not saved, so its relative paths lead nowhere yet")]
    NoPlace,
}

/// Surroundings in which there is nothing: of a definition that has no place, and of analysis alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nowhere;

impl Surroundings for Nowhere {
    fn file(&self, _path: &Path) -> Result<String, FileProblem> {
        Err(FileProblem::NoPlace)
    }

    fn entries(&self, _path: &Path) -> Vec<String> {
        Vec::new()
    }

    fn program(&self, _name: &str) -> Option<PathBuf> {
        None
    }

    fn variable_is_set(&self, _name: &str) -> bool {
        false
    }

    fn variable_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn knows_machine(&self) -> bool {
        false
    }
}
