//! Files in the user's state folder: nobody else's to read, and never written over what is there.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// How many files of a kind stay; the oldest go (`security.md`, 16).
const KEPT: usize = 50;

/// Writes `text` to a new file in `folder`, which is made if it is not there; returns its path.
///
/// # Errors
///
/// Those of the file system.
pub fn create(folder: &Path, extension: &str, text: &[u8]) -> io::Result<PathBuf> {
    make_folder(folder)?;
    // Names sort by time.
    let since = std::time::SystemTime::UNIX_EPOCH
        .elapsed()
        .unwrap_or_default();
    let name = format!("{:013}-{}.{extension}", since.as_millis(), Uuid::new_v4());
    let path = folder.join(name);
    new_file(&path)?.write_all(text)?;
    prune(folder, extension);
    Ok(path)
}

/// Writes `text` to the file at `path` by putting a new file in its place.
///
/// # Errors
///
/// Those of the file system.
pub fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    make_folder(folder)?;
    let new = folder.join(format!("{}.new", Uuid::new_v4()));
    let written = new_file(&new)
        .and_then(|mut file| file.write_all(text))
        .and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn new_file(path: &Path) -> io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Removes the oldest files; what cannot be removed stays, for the next time.
fn prune(folder: &Path, extension: &str) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|it| it == extension))
        .collect();
    paths.sort();
    let surplus = paths.len().saturating_sub(KEPT);
    for path in &paths[..surplus] {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_files_stay_and_only_of_that_kind() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("0-other.jsonl"), "").unwrap();
        let mut last = PathBuf::new();
        for _ in 0..KEPT + 2 {
            last = create(folder.path(), "md", b"text").unwrap();
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), KEPT + 1);
        assert_eq!(fs::read(last).unwrap(), b"text");
    }

    #[cfg(unix)]
    #[test]
    fn files_are_the_users_alone() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("state").join("loopls");
        let path = folder.join("trust.json");
        replace(&path, b"one").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&path)), (0o700, 0o600));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }
}
