//! The file of a `log` middleware: JSON Lines that nobody but loopls writes, and whose first line says so.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The first line: what is begun by another is never appended to (`docs/security.md`, 16).
const FIRST_LINE: &str = "{\"loopls\":\"log\",\"version\":1}\n";

/// A log. It is made at the first line that is written to it.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    file: Mutex<Option<File>>,
}

impl LogFile {
    /// The log at `path`, absolute. Nothing is made yet.
    ///
    /// # Errors
    ///
    /// What is there is no log of loopls.
    pub fn at(path: PathBuf) -> Result<Self, String> {
        match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // Looked at before it is opened, since opening alone does something to a device.
            Ok(metadata) if !metadata.is_file() => return Err("it is no regular file".into()),
            Ok(_) => drop(open(&path).map_err(|error| error.to_string())?),
            Err(error) => return Err(error.to_string()),
        }
        Ok(Self {
            path,
            file: Mutex::default(),
        })
    }

    /// Makes or opens the file, unless it is open.
    ///
    /// # Errors
    ///
    /// Those of the file system; or what is there is no log of loopls.
    pub fn prepare(&self) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if file.is_none() {
            *file = Some(open(&self.path)?);
        }
        Ok(())
    }

    /// Appends `line`, whole: several processes may write to one log.
    ///
    /// # Errors
    ///
    /// Those of the file system. The next call opens the file anew.
    pub fn append(&self, line: &serde_json::Value) -> io::Result<()> {
        self.prepare()?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = file.as_mut() else {
            return Ok(());
        };
        let written = open.write_all(format!("{line}\n").as_bytes());
        if written.is_err() {
            *file = None;
        }
        written
    }
}

/// The log at `path`, new, or begun by loopls, or begun by it now.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        // Should a link or a pipe have come in the place of the file that was looked at.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits() as i32);
    }
    let mut file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut first = Vec::new();
    (&mut file)
        .take(FIRST_LINE.len() as u64)
        .read_to_end(&mut first)?;
    match first.as_slice() {
        [] => file.write_all(FIRST_LINE.as_bytes())?,
        first if first == FIRST_LINE.as_bytes() => {}
        _ => {
            let problem = "it was not begun by loopls, which appends to logs of its own only";
            return Err(io::Error::other(problem));
        }
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs;

    #[test]
    fn a_log_is_new_or_empty_or_begun_by_loopls() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("empty.jsonl"), "").unwrap();
        fs::write(path("own.jsonl"), format!("{FIRST_LINE}{{\"a\":1}}\n")).unwrap();
        for (name, expected) in [
            ("new.jsonl", "{\"a\":2}\n"),
            ("empty.jsonl", "{\"a\":2}\n"),
            ("own.jsonl", "{\"a\":1}\n{\"a\":2}\n"),
        ] {
            let log = LogFile::at(path(name)).unwrap();
            log.append(&json!({ "a": 2 })).unwrap();
            let text = fs::read_to_string(path(name)).unwrap();
            assert_eq!(text, format!("{FIRST_LINE}{expected}"), "{name}");
        }
    }

    #[test]
    fn what_others_wrote_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.jsonl");
        for text in ["{}\n", "x", "{\"loopls\":\"log\",\"version\":2}\n"] {
            fs::write(&path, text).unwrap();
            let problem = LogFile::at(path.clone()).unwrap_err();
            assert!(problem.contains("not begun by loopls"), "{problem}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(
            LogFile::at(folder.path().to_owned()).unwrap_err(),
            "it is no regular file"
        );
    }

    #[test]
    fn nothing_is_made_before_the_first_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.jsonl");
        let log = LogFile::at(path.clone()).unwrap();
        assert!(!path.exists());
        // What comes in its place until then is looked at again.
        fs::write(&path, "{}\n").unwrap();
        assert!(log.append(&json!({})).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_log_is_the_users_alone_and_no_link() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.jsonl");
        LogFile::at(path.clone()).unwrap().prepare().unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let link = folder.path().join("link.jsonl");
        let log = LogFile::at(link.clone()).unwrap();
        symlink(&path, &link).unwrap();
        assert!(log.append(&json!({})).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), FIRST_LINE);
    }
}
