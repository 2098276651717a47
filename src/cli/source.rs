//! A definition as a command is given it.

use super::report::{FileReport, text};
use super::{Failure, output, printable::printable, write};
use crate::check::{Accepted, Analysis, Diagnostic};
use crate::host::{Host, parse_env_file};
use crate::text::{Encoding, Span, position_at};
use ropey::Rope;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tower_lsp::ls_types::Uri;

/// The argument that means standard input.
pub const STANDARD_INPUT: &str = "-";

const BYTE_ORDER_MARK: &str = "\u{feff}";

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
    /// What its text says, without a byte order mark: editors keep it out of what they show and count.
    pub analysis: Arc<Analysis>,
    /// The byte order mark, if the text had one.
    mark: &'static str,
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
        let (mark, text) = match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => (BYTE_ORDER_MARK, rest),
            None => ("", text.as_str()),
        };
        Ok(Self {
            name,
            path: place,
            // Standard input counts as a file of the working directory.
            host: Host::new(&absolute),
            analysis: Arc::new(Analysis::new(Rope::from_str(text))),
            mark,
        })
    }

    /// Takes `text` for its own, and writes it to the file that it was read from, if there is one.
    ///
    /// # Errors
    ///
    /// The file cannot be written; then it and the source are as they were.
    pub fn replace(&mut self, text: &str) -> Result<(), Failure> {
        let document = self.document(text);
        if let Some(path) = &self.path {
            write::replace(path, &document).map_err(|error| {
                Failure::new(format!("{}: it was not changed: {error}", self.name))
            })?;
        }
        self.analysis = Arc::new(Analysis::new(Rope::from_str(text)));
        Ok(())
    }

    /// The text that was read, without its byte order mark; also one that was too large to be analysed.
    pub fn text(&self) -> String {
        String::from(&self.analysis.rope)
    }

    /// `text` as a document like the one that was read: with its byte order mark.
    pub fn document(&self, text: &str) -> String {
        format!("{}{text}", self.mark)
    }

    /// Adds the variables of the environment file at `path` to what is seen around the definition; they come before
    /// others of the same name.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is none.
    pub fn add_environment(&mut self, path: &Path) -> Result<(), Failure> {
        let failure = |problem: String| Failure::new(format!("{}: {problem}", path.display()));
        let text = File::open(path)
            .map_err(|error| error.to_string())
            .and_then(read_all)
            .map_err(failure)?;
        let added = parse_env_file(&text).map_err(|problem| failure(problem.to_string()))?;
        let mut environment = self.host.environment().to_vec();
        environment.retain(|(name, _)| !added.iter().any(|(other, _)| other == name));
        environment.extend(added);
        self.host = self.host.clone().with_environment(environment);
        Ok(())
    }

    /// The URI of the file; what standard input holds has no place.
    pub fn uri(&self) -> String {
        let uri = self.path.as_deref().and_then(Uri::from_file_path);
        uri.map_or_else(|| "untitled:stdin".to_owned(), |uri| uri.to_string())
    }

    /// `NAME:LINE:COLUMN` of where `span` begins, counted from 1 as people do.
    pub fn place(&self, span: Span) -> String {
        let start = position_at(&self.analysis.rope, span.start, Encoding::Utf32);
        format!("{}:{}:{}", self.name, start.line + 1, start.character + 1)
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
            rope: &self.analysis.rope,
            diagnostics,
        }
    }
}

fn read_all(from: impl Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    from.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST {
        return Err("it is larger than 64 MiB".to_owned());
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        format!("it is not UTF-8 (at byte {valid})")
    })
}
