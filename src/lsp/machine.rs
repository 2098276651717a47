//! What the server has of the machine it is on.

use crate::host;
use std::path::PathBuf;

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
        let environment = host::environment();
        Ok(Self {
            guard: this_program()?,
            state_folder: state_folder(&environment),
            environment,
        })
    }
}

/// This executable, also after its file was replaced by a newer one.
fn this_program() -> std::io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        return Ok("/proc/self/exe".into());
    }
    std::env::current_exe()
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
        absolute("XDG_STATE_HOME")
            .or_else(|| absolute("HOME").map(|home| home.join(".local/state")))
    };
    base.map(|base| base.join("loopls"))
}
