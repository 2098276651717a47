//! Putting a new text in the place of a file.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Puts `text` in the place of the file at `path`, by rename, so that whoever reads the file gets the old text or the
/// new one. Owner and permissions stay.
///
/// # Errors
///
/// The file is a symlink, no regular file or read-only; or it, or a file beside it, cannot be written. Then it is as it
/// was.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let metadata = path.symlink_metadata()?;
    let refused = |why: &str| Err(io::Error::other(why.to_owned()));
    if metadata.is_symlink() {
        return refused("it is a symlink, and is not written through; name the file it leads to");
    }
    if !metadata.is_file() {
        return refused("it is no regular file");
    }
    if metadata.permissions().readonly() {
        return refused("it is read-only");
    }
    let (beside, mut file) = create_beside(path)?;
    let written = keep_access(&file, &metadata)
        .and_then(|()| file.write_all(text.as_bytes()))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // What went wrong is said; that this is left over would say less.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// A new file in the folder of `path`, which nobody else can open yet.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let process = std::process::id();
    let mut taken = None;
    for attempt in 0..16 {
        let beside = path.with_file_name(format!(".{name}.{process}-{attempt}.tmp"));
        match options.open(&beside) {
            Ok(file) => return Ok((beside, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(taken.unwrap_or_else(|| io::ErrorKind::AlreadyExists.into()))
}

/// Gives `file` the owner and the permissions of the file that it takes the place of.
fn keep_access(file: &File, metadata: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let own = file.metadata()?;
        let changed = |wanted: u32, is: u32| (wanted != is).then_some(wanted);
        let (user, group) = (
            changed(metadata.uid(), own.uid()),
            changed(metadata.gid(), own.gid()),
        );
        if user.is_some() || group.is_some() {
            // Before the permissions: a change of owner takes bits away.
            fchown(file, user, group).map_err(|error| {
                io::Error::new(error.kind(), format!("its owner cannot be kept: {error}"))
            })?;
        }
    }
    file.set_permissions(metadata.permissions())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// The names in a folder.
    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn permissions_stay_and_nothing_is_left_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.loop.toml");
        for mode in [0o600, 0o644, 0o755, 0o640] {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            replace(&path, "new").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "new");
            let now = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(now & 0o7777, mode, "{now:o}");
        }
        assert_eq!(names(folder.path()), ["a.loop.toml"]);
    }

    #[test]
    fn what_is_no_plain_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("real"), "old").unwrap();
        symlink("real", at("link")).unwrap();
        symlink("nowhere", at("dangling")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        fs::write(at("locked"), "old").unwrap();
        fs::set_permissions(at("locked"), PermissionsExt::from_mode(0o444)).unwrap();
        for (name, words) in [
            ("link", "it is a symlink"),
            ("dangling", "it is a symlink"),
            ("folder", "it is no regular file"),
            ("locked", "it is read-only"),
            ("none", "No such file"),
        ] {
            let error = replace(&at(name), "new").unwrap_err().to_string();
            assert!(error.contains(words), "{name}: {error}");
        }
        assert_eq!(fs::read_to_string(at("real")).unwrap(), "old");
        assert_eq!(fs::read_to_string(at("locked")).unwrap(), "old");
        let expected = ["dangling", "folder", "link", "locked", "real"];
        assert_eq!(names(folder.path()), expected);
    }

    #[test]
    fn a_file_that_is_in_the_way_is_not_written_into() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("victim"), "mine").unwrap();
        fs::write(at("a"), "old").unwrap();
        let planted = format!(".a.{}-0.tmp", std::process::id());
        symlink("victim", at(&planted)).unwrap();
        replace(&at("a"), "new").unwrap();
        assert_eq!(fs::read_to_string(at("a")).unwrap(), "new");
        assert_eq!(fs::read_to_string(at("victim")).unwrap(), "mine");
    }
}
