//! What the server has of the machine it is on.

use crate::definition::{Nowhere, Surroundings};
use std::path::{Path, PathBuf};

/// What the server has of the machine it is on.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The `loopls` executable, started as the guard of each process.
    pub guard: PathBuf,
    /// The folder in which loopls keeps answers and transcripts, absolute; without one nothing is kept.
    pub state_folder: Option<PathBuf>,
    /// The environment that runs read.
    pub environment: Vec<(String, String)>,
}

impl Machine {
    /// That of this process. Variables whose name or value is not Unicode are left out.
    ///
    /// # Errors
    ///
    /// This executable cannot be found.
    pub fn of_this_process() -> std::io::Result<Self> {
        let environment: Vec<_> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Ok(Self {
            guard: std::env::current_exe()?,
            state_folder: state_folder(&environment),
            environment,
        })
    }

    /// What surrounds the definition at `path`; without a path, nothing.
    pub fn surroundings(&self, path: Option<&Path>) -> Box<dyn Surroundings + Send + Sync> {
        let _ = path;
        Box::new(Nowhere)
    }
}

/// `loopls` in the user's state folder, by the customs of the platform.
fn state_folder(environment: &[(String, String)]) -> Option<PathBuf> {
    let absolute = |name: &str| {
        let (_, value) = environment.iter().find(|(key, _)| key == name)?;
        Some(PathBuf::from(value)).filter(|path| path.is_absolute())
    };
    let base = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        absolute("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        absolute("XDG_STATE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/state")))
    };
    base.map(|base| base.join("loopls"))
}
