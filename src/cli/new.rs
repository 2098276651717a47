//! `loopls new`: begins a definition.

use super::{Failure, Status, output};
use crate::cli::printable::printable;
use crate::syntax::render;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A definition that runs as it is.
const STARTER: &str = include_str!("new/starter.loop.toml");

/// The line of it that names the loop.
const NAME: &str = "name = \"starter\"\n";

const EXTENSION: &str = ".loop.toml";

/// The arguments of `new`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The name of the loop; the file is called NAME.loop.toml. It may be given with a folder before it.
    name: PathBuf,
}

/// Writes the file, if there is none, and says what to do with it.
pub fn new(arguments: &Arguments) -> Result<Status, Failure> {
    let (path, text) = starter(&arguments.name)?;
    let shown = path.display().to_string();
    let file = OpenOptions::new().write(true).create_new(true).open(&path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::new(format!("{shown}: it is there already"))
            .help("give the loop another name; nothing is overwritten"),
        _ => Failure::new(format!("{shown}: {error}")),
    })?;
    let shown = printable(&shown);
    output::print(&format!(
        "{shown} is begun\n  loopls run {shown}\n  loopls test {shown}\n"
    ))?;
    Ok(Status::Good)
}

/// Where the loop called `name` is written, and what.
fn starter(name: &Path) -> Result<(PathBuf, String), Failure> {
    let of_loop = name.file_name().and_then(|name| name.to_str());
    let of_loop = of_loop.map(|name| name.strip_suffix(EXTENSION).unwrap_or(name));
    let of_loop = of_loop.filter(|name| !name.trim().is_empty());
    let of_loop = of_loop
        .ok_or_else(|| Failure::new(format!("`{}` is no name for a loop", name.display())))?;
    let path = name.with_file_name(format!("{of_loop}{EXTENSION}"));
    let line = format!("name = {}\n", render::string(of_loop));
    Ok((path, STARTER.replacen(NAME, &line, 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_the_file_and_of_the_loop() {
        for (name, path, line) in [
            ("desk", "desk.loop.toml", "name = \"desk\""),
            ("loops/desk", "loops/desk.loop.toml", "name = \"desk\""),
            ("desk.loop.toml", "desk.loop.toml", "name = \"desk\""),
            ("a \"b\"", "a \"b\".loop.toml", "name = 'a \"b\"'"),
        ] {
            let (found, text) = starter(Path::new(name)).ok().unwrap();
            assert_eq!(found, Path::new(path));
            assert!(text.lines().any(|other| other == line), "{text}");
        }
        for name in ["", "..", ".loop.toml", "a/ "] {
            assert!(starter(Path::new(name)).is_err(), "{name}");
        }
    }
}
