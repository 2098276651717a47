//! Files in the user's state folder: nobody else's to read, and never written over what is there.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// The folder of transcripts and documents of runs, in the state folder.
pub const RUNS: &str = "runs";

/// How many files of a kind stay, and how many bytes; the oldest go (`security.md`, 16).
const KEPT_FILES: usize = 50;
const KEPT_BYTES: u64 = 500 << 20;

/// Makes a new file in `folder`, which is made if it is not there; removes files of its kind that are too old to stay.
/// Names sort by time.
///
/// # Errors
///
/// Those of the file system.
pub fn create(folder: &Path, extension: &str) -> io::Result<(PathBuf, File)> {
    make_folder(folder)?;
    prune(folder, extension);
    let since = std::time::SystemTime::UNIX_EPOCH
        .elapsed()
        .unwrap_or_default();
    let name = format!("{:019}-{}.{extension}", since.as_nanos(), Uuid::new_v4());
    let path = folder.join(name);
    let file = new_file(&path)?;
    Ok((path, file))
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

fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes room for one more file; what cannot be removed stays, for the next time.
fn prune(folder: &Path, extension: &str) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|it| it == extension))
        .collect();
    paths.sort();
    let mut bytes = 0;
    for (newer, path) in paths.iter().rev().enumerate() {
        bytes += path.symlink_metadata().map_or(0, |metadata| metadata.len());
        if newer + 1 >= KEPT_FILES || bytes > KEPT_BYTES {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_files_stay_and_only_of_that_kind() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("0-other.md"), "").unwrap();
        let count = || fs::read_dir(folder.path()).unwrap().count();
        for _ in 0..KEPT_FILES + 2 {
            create(folder.path(), "jsonl").unwrap();
        }
        assert_eq!(count(), KEPT_FILES + 1);
        // A sparse file takes no room to make.
        let (big, file) = create(folder.path(), "jsonl").unwrap();
        file.set_len(KEPT_BYTES).unwrap();
        let (small, _) = create(folder.path(), "jsonl").unwrap();
        assert!(big.exists());
        fs::write(&small, "text").unwrap();
        create(folder.path(), "jsonl").unwrap();
        assert!(small.exists() && !big.exists());
        assert_eq!(count(), 3);
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
