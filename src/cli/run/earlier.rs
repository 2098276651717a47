//! Runs before this one, for `--continue` and `--replay`.

use crate::cli::Failure;
use crate::host::state;
use crate::run::RecordedRun;
use crate::run::model::Message;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The run to go on from, and everything that was said up to its end.
pub struct Earlier {
    pub run: RecordedRun,
    pub history: Vec<Arc<Message>>,
}

/// Reads the transcript at `path`.
///
/// # Errors
///
/// It cannot be read, or is none.
pub fn read(path: &Path) -> Result<RecordedRun, Failure> {
    let failure = |problem: String| Failure::new(format!("{}: {problem}", path.display()));
    let file = File::open(path).map_err(|error| failure(error.to_string()))?;
    RecordedRun::read(BufReader::new(file)).map_err(|error| failure(error.to_string()))
}

/// The runs that the user's state folder keeps.
pub struct Kept {
    /// The newest first: where it is written, and what its first line says.
    runs: Vec<(PathBuf, RecordedRun)>,
}

impl Kept {
    /// Those of `state_folder`. What is no transcript is passed over.
    pub fn of(state_folder: &Path) -> Self {
        let paths = state::newest_first(&state_folder.join(state::RUNS), "jsonl");
        let begun = |path: PathBuf| {
            let mut line = String::new();
            BufReader::new(File::open(&path).ok()?)
                .read_line(&mut line)
                .ok()?;
            Some((path, RecordedRun::begin(&line).ok()?))
        };
        Self {
            runs: paths.into_iter().filter_map(begun).collect(),
        }
    }

    /// Whether a run is called `id`, or begins so.
    pub fn has(&self, id: &str) -> bool {
        self.runs.iter().any(|(_, begun)| begun.run.starts_with(id))
    }

    /// The run whose id is `id`, or begins so; without one the last of the definition at `uri`.
    ///
    /// # Errors
    ///
    /// There is none, or several, or what it goes on from is gone.
    pub fn find(&self, id: Option<&str>, uri: &str) -> Result<Earlier, Failure> {
        let (path, _) = match id {
            Some(id) => self.called(id)?,
            None => {
                let mut runs = self.runs.iter();
                let last = runs.find(|(_, begun)| begun.uri == uri && begun.test.is_none());
                last.ok_or_else(|| {
                    Failure::new("--continue: there is no run of this definition to go on from")
                        .help("runs without `--no-transcript` are kept, the last 50")
                })?
            }
        };
        let run = read(path)?;
        let mut turns = vec![run.history()];
        let mut seen = vec![run.run.clone()];
        let mut after = run.after.clone();
        while let Some(id) = after {
            let mut runs = self.runs.iter();
            let before = runs.find(|(_, begun)| begun.run == id && !seen.contains(&id));
            let Some((path, _)) = before else {
                return Err(Failure::new(format!(
                    "--continue: the run goes on from `{id}`, which is not kept any more"
                )));
            };
            let run = read(path)?;
            turns.push(run.history());
            seen.push(id);
            after = run.after;
        }
        Ok(Earlier {
            run,
            history: turns.into_iter().rev().flatten().collect(),
        })
    }

    fn called(&self, id: &str) -> Result<&(PathBuf, RecordedRun), Failure> {
        if let Some(exact) = self.runs.iter().find(|(_, begun)| begun.run == id) {
            return Ok(exact);
        }
        let mut runs = self
            .runs
            .iter()
            .filter(|(_, begun)| begun.run.starts_with(id));
        match (runs.next(), runs.next()) {
            (Some(run), None) => Ok(run),
            (Some(_), Some(_)) => Err(Failure::new(format!(
                "--continue: several runs begin with `{id}`; write more of the one that is meant"
            ))),
            (None, _) => Err(Failure::new(format!("--continue: there is no run `{id}`"))
                .help("the id of a run stands in its transcript; without one the last run of the definition is meant")),
        }
    }
}
