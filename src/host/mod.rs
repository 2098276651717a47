//! This machine, as far as a definition may look at it: its files, the programs on `PATH`, the environment. And the
//! user's state folder, where runs are kept.

mod env_file;
mod files;
mod loops;
mod program;
pub mod state;

use crate::definition::{FileProblem, KnownLoop, Surroundings};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

pub use env_file::{EnvFileProblem, parse_env_file};
pub use loops::loops_under;
pub use program::{ProgramProblem, find_program};

/// What lies around one definition file.
#[derive(Clone, Debug)]
pub struct Host {
    path: PathBuf,
    folder: PathBuf,
    root: PathBuf,
    environment: Vec<(String, String)>,
    untrusted_folders: Vec<PathBuf>,
    loops: OnceLock<Arc<Vec<KnownLoop>>>,
}

impl Host {
    /// The surroundings of the definition at `path`, with the environment of this process.
    pub fn new(path: &Path) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let folder = path.parent().unwrap_or(&path).to_owned();
        Self {
            root: project_root(&folder),
            folder,
            path,
            environment: environment(),
            untrusted_folders: Vec::new(),
            loops: OnceLock::new(),
        }
    }

    /// The same with another environment.
    pub fn with_environment(mut self, environment: Vec<(String, String)>) -> Self {
        self.environment = environment;
        self
    }

    /// The same with folders from which no bare program name is taken.
    pub fn with_untrusted_folders(mut self, folders: Vec<PathBuf>) -> Self {
        self.untrusted_folders = folders;
        self
    }

    /// The same with the loops of the project known already; else they are searched once, when they are asked for.
    pub fn with_loops(self, loops: Arc<Vec<KnownLoop>>) -> Self {
        Self {
            loops: OnceLock::from(loops),
            ..self
        }
    }

    /// The environment that is looked at.
    pub fn environment(&self) -> &[(String, String)] {
        &self.environment
    }

    /// The host of another definition, whose file is `place`, absolute.
    pub fn beside(&self, place: &Path) -> Self {
        let mut other = Self::new(place).with_environment(self.environment.clone());
        other.untrusted_folders.clone_from(&self.untrusted_folders);
        // Where no bare name is taken from this definition's folder, none is from the other's.
        if !self.untrusted_folders.is_empty() {
            other.untrusted_folders.push(other.folder.clone());
        }
        if other.root == self.root {
            other.loops = self.loops.clone();
        }
        other
    }

    /// The folder of the definition, absolute.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The project's root: the nearest folder with a `loopls.toml` or a `.git`, else the definition's own.
    pub fn root(&self) -> &Path {
        &self.root
    }
}

/// This executable, also after its file was replaced by a newer one.
///
/// # Errors
///
/// Where it is cannot be told.
pub fn this_program() -> std::io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        return Ok("/proc/self/exe".into());
    }
    std::env::current_exe()
}

/// The environment of this process, without what is no Unicode.
pub fn environment() -> Vec<(String, String)> {
    let variables = std::env::vars_os();
    variables
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// The value of `PATH` in `environment`; empty if it is not set.
pub fn search_path(environment: &[(String, String)]) -> &str {
    let is_path = |name: &str| match cfg!(windows) {
        true => name.eq_ignore_ascii_case("PATH"),
        false => name == "PATH",
    };
    let path = environment.iter().rfind(|(name, _)| is_path(name));
    path.map_or("", |(_, path)| path)
}

fn project_root(folder: &Path) -> PathBuf {
    let marked = |folder: &&Path| {
        let mut marks = ["loopls.toml", ".git"].iter();
        marks.any(|mark| folder.join(mark).symlink_metadata().is_ok())
    };
    folder.ancestors().find(marked).unwrap_or(folder).to_owned()
}

impl Surroundings for Host {
    fn file(&self, path: &Path) -> Result<String, FileProblem> {
        files::read(&self.root, &self.folder, path)
    }

    fn place_of(&self, path: &Path) -> Result<PathBuf, FileProblem> {
        files::place_of(&self.root, &self.folder, path)
    }

    fn entries(&self, path: &Path) -> Vec<String> {
        files::entries(&self.root, &self.folder, path)
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        let search_path = search_path(&self.environment);
        find_program(name, &self.folder, search_path, &self.untrusted_folders).ok()
    }

    fn place(&self) -> Option<PathBuf> {
        Some(self.path.clone())
    }

    fn loops(&self) -> Option<Arc<Vec<KnownLoop>>> {
        Some(
            self.loops
                .get_or_init(|| Arc::new(loops_under(&self.root)))
                .clone(),
        )
    }

    fn at(&self, place: &Path) -> Option<Box<dyn Surroundings + Send + Sync>> {
        Some(Box::new(self.beside(place)))
    }

    fn variable_is_set(&self, name: &str) -> bool {
        self.environment.iter().any(|(known, _)| known == name)
    }

    fn variable_names(&self) -> Vec<String> {
        let mut names: Vec<_> = self
            .environment
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_root_is_the_nearest_marked_folder() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        fs::create_dir_all(top.join("a/b/c")).unwrap();
        fs::write(top.join("loopls.toml"), "").unwrap();
        let root = |path: &str| Host::new(&top.join(path)).root().to_owned();
        assert_eq!(root("a/b/x.loop.toml"), top);
        fs::create_dir(top.join("a/.git")).unwrap();
        assert_eq!(root("a/b/x.loop.toml"), top.join("a"));
        assert_eq!(root("x.loop.toml"), top);
    }

    #[test]
    fn variables_are_known_by_name() {
        let pair = |name: &str| (name.to_owned(), String::new());
        let host = Host::new(Path::new("/nowhere/x.loop.toml"))
            .with_environment(vec![pair("B"), pair("A")]);
        assert!(host.variable_is_set("A"));
        assert!(!host.variable_is_set("C"));
        assert_eq!(host.variable_names(), ["A", "B"]);
    }
}
