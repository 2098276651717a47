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
            guard: host::this_program()?,
            state_folder: host::state::state_folder(&environment),
            environment,
        })
    }
}
