//! Standard output and standard error. A reader that went away is no fault of ours, and no panic.

use super::Failure;
use super::printable::printable;
use annotate_snippets::Renderer;
use clap::builder::styling::{AnsiColor, Style};
use std::borrow::Cow;
use std::io::{ErrorKind, IsTerminal, Write};

/// What went wrong and must be seen.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// What is worth seeing, though nothing is wrong.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// What was put right.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What stands behind the rest.
pub const DIM: Style = Style::new().dimmed();

/// Prints `text`, styles and all, to standard output; styles are stripped where it is no terminal.
///
/// # Errors
///
/// It cannot be written, for another reason than that nobody reads it any more.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Prints `text`, styles and all, to standard error, where standard output is for something else.
///
/// # Errors
///
/// None: there is nowhere to say that it failed.
pub fn print_aside(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stderr().lock();
    let _ = out.write_all(text.as_bytes());
    Ok(())
}

/// Prints `text` as it is to standard output: a document, not a report. On a terminal, what would steer it is written
/// out.
///
/// # Errors
///
/// It cannot be written, for another reason than that nobody reads it any more.
pub fn print_document(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let text = match out.is_terminal() {
        true => printable(text),
        false => Cow::Borrowed(text),
    };
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

fn written(result: std::io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a line, styles and all, to standard error. There is nowhere to say that it failed.
pub fn say(line: &str) {
    let mut out = anstream::stderr().lock();
    let _ = writeln!(out, "{line}");
}

/// Prints `word: message` to standard error, the word in the colour of an error.
pub fn complain(word: &str, message: &str) {
    say(&format!("{ERROR}{word}{ERROR:#}: {message}"));
}

/// Draws reports as wide as the terminal, or, where there is none, as wide as the renderer likes.
pub fn renderer() -> Renderer {
    match terminal_width() {
        Some(width) => Renderer::styled().term_width(width),
        None => Renderer::styled(),
    }
}

#[cfg(unix)]
fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}

#[cfg(not(unix))]
fn terminal_width() -> Option<usize> {
    None
}
