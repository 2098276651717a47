//! Where a run is written: the user's state folder, and the file of `--record`.

use crate::cli::output;
use crate::cli::{Failure, Status, printable::printable};
use crate::host::state;
use crate::run::{Record, TranscriptWriter};
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

/// The transcripts of a run.
#[derive(Default)]
pub struct Transcripts {
    kept: Option<Transcript>,
    /// That of `--record`, with how it came out so far.
    recorded: Option<(String, io::Result<Transcript>)>,
}

type Transcript = TranscriptWriter<BufWriter<File>>;

impl Transcripts {
    /// Begins one in `state_folder`, if there is one, and one at `record`, where nothing may be yet. That the first
    /// cannot be written is said; the run goes on all the same.
    ///
    /// # Errors
    ///
    /// The file of `--record` is there already, or cannot be made.
    pub fn begin(state_folder: Option<&Path>, record: Option<&Path>) -> Result<Self, Failure> {
        let writer = |file| TranscriptWriter::new(BufWriter::new(file));
        let recorded = match record {
            None => None,
            Some(path) => {
                let name = path.display().to_string();
                let file = state::new_file(path).map_err(|error| refused(&name, &error))?;
                Some((name, Ok(writer(file))))
            }
        };
        let kept = state_folder.map(|folder| state::create(&folder.join(state::RUNS), "jsonl"));
        let kept = match kept {
            None => None,
            Some(Ok((_, file))) => Some(writer(file)),
            Some(Err(error)) => {
                output::complain("warning", &format!("the run is not kept: {error}"));
                None
            }
        };
        Ok(Self { kept, recorded })
    }

    /// Writes `record`. A transcript that cannot be written any more ends there, which is said; the run goes on.
    pub fn write(&mut self, record: &Record) {
        if let Some(kept) = &mut self.kept
            && let Err(error) = kept.write(record)
        {
            output::complain(
                "warning",
                &format!("the run is kept up to here only: {error}"),
            );
            self.kept = None;
        }
        if let Some((name, recorded)) = &mut self.recorded
            && let Ok(writer) = recorded
            && let Err(error) = writer.write(record)
        {
            let name = printable(name);
            output::complain("error", &format!("--record {name}: {error}; it ends here"));
            *recorded = Err(error);
        }
    }

    /// Ends them.
    ///
    /// # Errors
    ///
    /// The file of `--record` does not hold the whole run.
    pub fn finish(self) -> Result<(), Failure> {
        match self.recorded {
            Some((name, Err(error))) => Err(Failure::new(format!(
                "--record {name}: it does not hold the whole run: {error}"
            ))
            .status(Status::Unusable)),
            _ => Ok(()),
        }
    }
}

fn refused(name: &str, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::new(format!("--record {name}: it is there already"))
                .help("a record is never written over another file; name a new one")
        }
        _ => Failure::new(format!("--record {name}: {error}")),
    }
}
