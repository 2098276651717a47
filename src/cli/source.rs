//! A definition as a command is given it.

use super::report::{FileReport, text};
use super::{Failure, output, printable::printable};
use crate::check::{Accepted, Analysis, Diagnostic};
use crate::host::Host;
use ropey::Rope;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tower_lsp::ls_types::Uri;

/// The argument that means standard input.
pub const STANDARD_INPUT: &str = "-";

/// A file larger than this is not read. Far above the largest definition that is analysed, which is said as a
/// diagnostic; this is for devices and accidents.
const LARGEST: u64 = 64 << 20;

/// A definition that was read and analysed.
pub struct Source {
    /// What the person called it.
    pub name: String,
    /// The absolute path; none of standard input.
    pub path: Option<PathBuf>,
    /// The machine around it.
    pub host: Host,
    /// What its text says.
    pub analysis: Arc<Analysis>,
}

impl Source {
    /// Reads the file at `path`, or standard input for `-`.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is no UTF-8.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let failure = |problem: String| Failure::new(format!("{}: {problem}", path.display()));
        let absolute = std::path::absolute(path).map_err(|error| failure(error.to_string()))?;
        let (name, text, place) = if path == Path::new(STANDARD_INPUT) {
            ("<stdin>".to_owned(), read_all(std::io::stdin()), None)
        } else {
            let text = File::open(path)
                .map_err(|error| error.to_string())
                .and_then(|file| match file.metadata() {
                    Ok(metadata) if metadata.is_dir() => {
                        Err("it is a directory; name a file in it".to_owned())
                    }
                    _ => read_all(file),
                });
            (path.display().to_string(), text, Some(absolute.clone()))
        };
        let text = text.map_err(failure)?;
        Ok(Self {
            name,
            path: place,
            // Standard input counts as a file of the working directory.
            host: Host::new(&absolute),
            analysis: Arc::new(Analysis::new(Rope::from_str(&text))),
        })
    }

    /// The URI of the file; what standard input holds has no place.
    pub fn uri(&self) -> String {
        let uri = self.path.as_deref().and_then(Uri::from_file_path);
        uri.map_or_else(|| "untitled:stdin".to_owned(), |uri| uri.to_string())
    }

    /// The definition, if it has no error; else its errors are printed to standard error, as `check` has them.
    pub fn accept(&self) -> Option<Accepted> {
        match Accepted::new(self.analysis.clone(), &self.host) {
            Ok(accepted) => Some(accepted),
            Err(rejected) => {
                let report = text(&self.report(&rejected.0), &output::renderer());
                output::say(report.trim_end());
                let message = printable(&self.name);
                output::complain("error", &format!("{message}: {rejected}"));
                None
            }
        }
    }

    /// The report of `diagnostics`, which are its own.
    pub fn report<'a>(&'a self, diagnostics: &'a [Diagnostic]) -> FileReport<'a> {
        FileReport {
            path: &self.name,
            text: &self.analysis.text,
            rope: &self.analysis.rope,
            diagnostics,
        }
    }
}

/// The text, without a byte order mark: editors keep it out of what they show and count.
fn read_all(from: impl Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    from.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST {
        return Err("it is larger than 64 MiB".to_owned());
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        format!("it is not UTF-8 (at byte {valid})")
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}
