//! Files in the user's state folder: nobody else's to read, and never written over what is there.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The folder of transcripts and documents of runs, in the state folder.
pub const RUNS: &str = "runs";

/// How many files of a kind stay, and how many bytes; the oldest go (`docs/security.md`, 16).
const KEPT_FILES: usize = 50;
const KEPT_BYTES: u64 = 500 << 20;

/// How often a name that is taken is replaced by the next one.
const ATTEMPTS: u32 = 16;

/// `loopls` in the user's state folder, by the customs of the platform; `None` where `environment` does not tell.
pub fn state_folder(environment: &[(String, String)]) -> Option<PathBuf> {
    let absolute = |name: &str| {
        let (_, value) = environment.iter().find(|(key, _)| key == name)?;
        Some(PathBuf::from(value)).filter(|path| path.is_absolute())
    };
    let base = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        absolute("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        absolute("XDG_STATE_HOME")
            .or_else(|| absolute("HOME").map(|home| home.join(".local/state")))
    };
    base.map(|base| base.join("loopls"))
}

/// Makes a new file in `folder`, which is made if it is not there; removes files of its kind that are too old to stay.
/// Names sort by time.
///
/// # Errors
///
/// Those of the file system.
pub fn create(folder: &Path, extension: &str) -> io::Result<(PathBuf, File)> {
    make_folder(folder)?;
    prune(folder, extension);
    new_name(|name| {
        let path = folder.join(format!("{name}.{extension}"));
        let file = new_file(&path)?;
        Ok((path, file))
    })
}

/// The files of a kind in `folder`, the newest first.
pub fn newest_first(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|it| it == extension))
        .collect();
    paths.sort_unstable_by(|one, other| other.cmp(one));
    paths
}

/// Writes `text` to the file at `path` by putting a new file in its place.
///
/// # Errors
///
/// Those of the file system.
pub fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    make_folder(folder)?;
    let (new, mut file) = new_name(|name| {
        let path = folder.join(format!("{name}.new"));
        let file = new_file(&path)?;
        Ok((path, file))
    })?;
    let written = file.write_all(text).and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

/// Tries names, which sort by time, until one is not taken.
fn new_name<T>(create: impl Fn(&str) -> io::Result<T>) -> io::Result<T> {
    let process = std::process::id();
    let mut result = Err(io::ErrorKind::AlreadyExists.into());
    for _ in 0..ATTEMPTS {
        let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        result = create(&format!("{:019}-{process}", since.as_nanos()));
        match &result {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            _ => break,
        }
    }
    result
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// A new file at `path`, which nobody else can open.
///
/// # Errors
///
/// Those of the file system; also where something is at `path` already.
pub fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes room for one more file; what cannot be removed stays, for the next time.
fn prune(folder: &Path, extension: &str) {
    let mut bytes = 0;
    for (newer, path) in newest_first(folder, extension).iter().enumerate() {
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

    #[test]
    fn the_state_folder_is_where_the_platform_has_it() {
        if cfg!(any(windows, target_os = "macos")) {
            return;
        }
        for (variables, expected) in [
            (
                &[("XDG_STATE_HOME", "/s"), ("HOME", "/h")][..],
                Some("/s/loopls"),
            ),
            (
                &[("XDG_STATE_HOME", "s"), ("HOME", "/h")],
                Some("/h/.local/state/loopls"),
            ),
            (&[("HOME", "/h")], Some("/h/.local/state/loopls")),
            (&[], None),
        ] {
            let variables = variables.iter();
            let variables: Vec<_> = variables
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            assert_eq!(state_folder(&variables), expected.map(PathBuf::from));
        }
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
