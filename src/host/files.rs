//! Files that a definition names: relative, under the project's root, regular, small.

use crate::definition::{FileProblem, beside};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The longest file that is read, in bytes.
const FILE_BYTES: u64 = 1024 * 1024;

/// The most entries of a directory that are listed.
const ENTRIES: usize = 1_000;

/// The text of `path`, which is relative to `folder` and stays under `root`.
pub fn read(root: &Path, folder: &Path, path: &Path) -> Result<String, FileProblem> {
    let path = resolve(root, folder, path)?;
    let unreadable = |problem: &str| FileProblem::Unreadable(problem.to_owned());
    // Looked at before it is opened, since opening alone does something to a device.
    let metadata = fs::metadata(&path).map_err(problem)?;
    if !metadata.is_file() {
        return Err(unreadable("it is no regular file"));
    }
    let file = open(&path).map_err(problem)?;
    if !file.metadata().map_err(problem)?.is_file() {
        return Err(unreadable("it is no regular file"));
    }
    let mut bytes = Vec::new();
    let mut bounded = file.take(FILE_BYTES + 1);
    bounded.read_to_end(&mut bytes).map_err(problem)?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(unreadable("it is larger than 1 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8"))
}

/// Names of what is in the directory `path`, sorted, those of directories with a `/`.
pub fn entries(root: &Path, folder: &Path, path: &Path) -> Vec<String> {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    let Ok(entries) =
        resolve(root, folder, path).and_then(|path| fs::read_dir(path).map_err(problem))
    else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .flatten()
        .take(ENTRIES)
        .filter_map(|entry| {
            let mut name = entry.file_name().into_string().ok()?;
            if fs::metadata(entry.path()).is_ok_and(|it| it.is_dir()) {
                name.push('/');
            }
            Some(name)
        })
        .collect();
    names.sort_unstable();
    names
}

/// Where the file at `path`, which need not be there yet, is or would be.
pub fn place_of(root: &Path, folder: &Path, path: &Path) -> Result<PathBuf, FileProblem> {
    match resolve(root, folder, path) {
        // A link that leads nowhere could be made to lead anywhere.
        Err(FileProblem::Missing) if folder.join(path).symlink_metadata().is_err() => {
            let name = path.file_name().ok_or(FileProblem::Missing)?;
            let parent = path
                .parent()
                .filter(|parent| !parent.as_os_str().is_empty());
            let parent = parent.unwrap_or(Path::new("."));
            Ok(resolve(root, folder, parent)?.join(name))
        }
        place => place,
    }
}

/// Where `path` is, symbolic links followed. That it stays under `root` is decided by its text first, so that
/// nothing elsewhere is even looked at.
fn resolve(root: &Path, folder: &Path, path: &Path) -> Result<PathBuf, FileProblem> {
    if !is_relative(path) {
        return Err(FileProblem::Outside);
    }
    let lexical = beside(folder, path);
    if !lexical.starts_with(root) {
        return Err(FileProblem::Outside);
    }
    let root = root.canonicalize().map_err(problem)?;
    let path = folder.join(path).canonicalize().map_err(problem)?;
    if path.starts_with(&root) {
        Ok(path)
    } else {
        Err(FileProblem::Outside)
    }
}

/// Whether `path` is relative wherever the definition is read: what one system takes for the name of a drive, a
/// server or a device is refused on all.
fn is_relative(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let bytes = text.as_bytes();
    let drive = bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1) == Some(&b':');
    path.is_relative() && !text.starts_with(['/', '\\']) && !drive && !names_device(path)
}

/// Whether a component is one of Windows' device names, which lead to the device from any folder.
fn names_device(path: &Path) -> bool {
    cfg!(windows)
        && path.components().any(|component| {
            let name = component.as_os_str().to_string_lossy().to_ascii_uppercase();
            let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end();
            let numbered = stem.strip_prefix("COM").or(stem.strip_prefix("LPT"));
            matches!(stem, "CON" | "PRN" | "AUX" | "NUL")
                || numbered.is_some_and(|number| number.chars().count() == 1)
        })
}

/// Opens without waiting, should a pipe have come in the place of a file that was just looked at.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // `O_NONBLOCK`, which the standard library does not name.
    const NON_BLOCKING: i32 = if cfg!(any(target_os = "linux", target_os = "android")) {
        if cfg!(any(target_arch = "mips", target_arch = "mips64")) {
            0x80
        } else if cfg!(any(target_arch = "sparc", target_arch = "sparc64")) {
            0x4000
        } else {
            0x800
        }
    } else {
        0x4
    };
    OpenOptions::new()
        .read(true)
        .custom_flags(NON_BLOCKING)
        .open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

fn problem(error: io::Error) -> FileProblem {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileProblem::Missing,
        _ => FileProblem::Unreadable(error.to_string()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_small_regular_files_under_the_root_are_read() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("project");
        let folder = root.join("loops");
        fs::create_dir_all(&folder).unwrap();
        fs::write(place.path().join("secret.txt"), "secret").unwrap();
        fs::write(root.join("shared.txt"), "shared").unwrap();
        fs::write(folder.join("own.txt"), "own").unwrap();
        fs::write(folder.join("bytes.txt"), b"\xff").unwrap();
        fs::write(folder.join("most.txt"), vec![b'a'; 1024 * 1024]).unwrap();
        fs::write(folder.join("more.txt"), vec![b'a'; 1024 * 1024 + 1]).unwrap();
        symlink("../../secret.txt", folder.join("link.txt")).unwrap();
        symlink("../shared.txt", folder.join("inner-link.txt")).unwrap();
        let pipe = folder.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());

        let unreadable = |problem: &str| Err(FileProblem::Unreadable(problem.into()));
        let own = folder.join("own.txt");
        for (path, expected) in [
            ("own.txt", Ok("own")),
            ("./own.txt", Ok("own")),
            ("../shared.txt", Ok("shared")),
            ("inner-link.txt", Ok("shared")),
            ("none.txt", Err(FileProblem::Missing)),
            ("own.txt/x", Err(FileProblem::Missing)),
            ("../../secret.txt", Err(FileProblem::Outside)),
            ("../../none.txt", Err(FileProblem::Outside)),
            ("link.txt", Err(FileProblem::Outside)),
            ("/etc/hostname", Err(FileProblem::Outside)),
            ("\\\\server\\share\\x", Err(FileProblem::Outside)),
            ("c:own.txt", Err(FileProblem::Outside)),
            (own.to_str().unwrap(), Err(FileProblem::Outside)),
            ("bytes.txt", unreadable("it is not UTF-8")),
            ("more.txt", unreadable("it is larger than 1 MiB")),
            (".", unreadable("it is no regular file")),
            ("pipe", unreadable("it is no regular file")),
        ] {
            let read = read(&root, &folder, Path::new(path));
            assert_eq!(read, expected.map(str::to_owned), "{path}");
        }
        assert_eq!(
            read(&root, &folder, Path::new("most.txt")).map(|text| text.len()),
            Ok(1024 * 1024)
        );
    }

    #[test]
    fn a_file_to_be_is_placed_under_the_root() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        let root = top.join("project");
        let folder = root.join("loops");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("old.jsonl"), "").unwrap();
        symlink("../..", folder.join("out")).unwrap();
        symlink("../../new.jsonl", folder.join("dangling.jsonl")).unwrap();
        symlink("old.jsonl", folder.join("link.jsonl")).unwrap();
        for (path, expected) in [
            ("new.jsonl", Ok(folder.join("new.jsonl"))),
            ("old.jsonl", Ok(folder.join("old.jsonl"))),
            ("link.jsonl", Ok(folder.join("old.jsonl"))),
            ("../new.jsonl", Ok(root.join("new.jsonl"))),
            ("../../new.jsonl", Err(FileProblem::Outside)),
            ("out/new.jsonl", Err(FileProblem::Outside)),
            ("/tmp/new.jsonl", Err(FileProblem::Outside)),
            ("dangling.jsonl", Err(FileProblem::Missing)),
            ("none/new.jsonl", Err(FileProblem::Missing)),
        ] {
            assert_eq!(
                place_of(&root, &folder, Path::new(path)),
                expected,
                "{path}"
            );
        }
    }

    #[test]
    fn entries_of_directories_under_the_root_are_listed() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("project");
        fs::create_dir_all(root.join("loops/sub")).unwrap();
        fs::write(root.join("loops/b.txt"), "").unwrap();
        fs::write(root.join("a.txt"), "").unwrap();
        let list = |path: &str| entries(&root, &root.join("loops"), Path::new(path));
        assert_eq!(list(""), ["b.txt", "sub/"]);
        assert_eq!(list(".."), ["a.txt", "loops/"]);
        assert_eq!(list("../.."), [""; 0]);
        assert_eq!(list("none"), [""; 0]);
        assert_eq!(list("/"), [""; 0]);
    }

    #[test]
    fn a_pipe_in_place_of_a_file_does_not_block() {
        let place = tempfile::tempdir().unwrap();
        let pipe = place.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        assert!(!open(&pipe).unwrap().metadata().unwrap().is_file());
    }
}
