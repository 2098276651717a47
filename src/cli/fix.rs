//! `loopls check --fix`: applies what has one right answer, and says what it did.

use super::printable::printable_line;
use super::source::Source;
use super::{Failure, output};
use crate::check::{Applied, Levels, fix_all};

/// What was fixed, over all files.
#[derive(Debug, Default)]
pub struct Report {
    /// One line a fix.
    lines: String,
    fixes: usize,
    files: usize,
}

impl Report {
    /// Fixes `source`, and the file it was read from.
    ///
    /// # Errors
    ///
    /// The file cannot be written; then it and `source` are as they were.
    pub fn fix(&mut self, source: &mut Source, levels: &Levels) -> Result<(), Failure> {
        let fixed = fix_all(&source.text(), &source.host, levels);
        if fixed.applied.is_empty() {
            return Ok(());
        }
        let lines: String = fixed
            .applied
            .iter()
            .map(|applied| line(source, applied))
            .collect();
        source.replace(&fixed.text)?;
        self.lines.push_str(&lines);
        self.fixes += fixed.applied.len();
        self.files += 1;
        Ok(())
    }

    /// What was done, a line each, and how much it was.
    pub fn text(&self) -> String {
        let noun = |count: usize, noun: &str| {
            format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
        };
        match self.fixes {
            0 => "fixed nothing\n".to_owned(),
            fixes => format!(
                "{}fixed {} in {}\n",
                self.lines,
                noun(fixes, "problem"),
                noun(self.files, "file"),
            ),
        }
    }
}

/// `fixed NAME:LINE: what was done (code)`; the line is that of the file as it was.
fn line(source: &Source, applied: &Applied) -> String {
    let style = output::GOOD;
    let line = source.analysis.rope.byte_to_line(applied.offset) + 1;
    format!(
        "{style}fixed{style:#} {}:{line}: {} ({})\n",
        printable_line(&source.name),
        printable_line(&applied.title),
        applied.code,
    )
}
