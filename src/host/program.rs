//! Where a program is.

use std::path::{Path, PathBuf};

/// Why a program was not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramProblem {
    /// A bare name that is nowhere on `PATH`.
    #[error("there is no program `{0}` on PATH")]
    NotOnPath(String),
    /// A bare name that is on `PATH` only in folders that are not searched.
    #[error(
        "`{0}` is on PATH only in a folder of the workspace or a relative one, from which no program is taken; write its path"
    )]
    OnlyUntrusted(String),
    /// A path at which there is no file.
    #[error("there is no program at `{0}`")]
    Missing(String),
    /// A path at which there is a file that cannot be run.
    #[error("the file at `{0}` cannot be run: it is not executable")]
    NotExecutable(String),
}

/// The absolute path of the program `name`. A bare name is looked for in the absolute folders of `search_path`,
/// those within `untrusted_folders` left out; a name with a separator is relative to `folder`.
///
/// # Errors
///
/// Where it was looked for in vain.
pub fn find_program(
    name: &str,
    folder: &Path,
    search_path: &str,
    untrusted_folders: &[PathBuf],
) -> Result<PathBuf, ProgramProblem> {
    if name.contains('/') || (cfg!(windows) && name.contains(['\\', ':'])) {
        // By components, so that `./` goes.
        let path: PathBuf = folder.join(name).components().collect();
        return match executable(&path) {
            Some(program) => Ok(program),
            None if path.is_file() => Err(ProgramProblem::NotExecutable(name.into())),
            None => Err(ProgramProblem::Missing(name.into())),
        };
    }
    let resolved = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let untrusted: Vec<PathBuf> = untrusted_folders.iter().map(|it| resolved(it)).collect();
    let mut skipped = false;
    for entry in std::env::split_paths(search_path) {
        let Some(program) = executable(&entry.join(name)).filter(|_| !name.is_empty()) else {
            continue;
        };
        let trusted = entry.is_absolute() && {
            let entry = resolved(&entry);
            !untrusted.iter().any(|folder| entry.starts_with(folder))
        };
        if trusted {
            return Ok(program);
        }
        skipped = true;
    }
    Err(if skipped {
        ProgramProblem::OnlyUntrusted(name.into())
    } else {
        ProgramProblem::NotOnPath(name.into())
    })
}

/// `path`, if it is a file that can be run.
#[cfg(unix)]
fn executable(path: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = path.metadata().ok()?;
    (metadata.is_file() && metadata.permissions().mode() & 0o111 != 0).then(|| path.to_owned())
}

/// `path`, or `path` with the extension of programs, if it is a file.
#[cfg(not(unix))]
fn executable(path: &Path) -> Option<PathBuf> {
    let mut with_extension = path.as_os_str().to_owned();
    with_extension.push(".exe");
    [path.to_owned(), PathBuf::from(with_extension)]
        .into_iter()
        .find(|path| path.is_file())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_bare_name_comes_from_trusted_folders_only() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        let program = |path: &str, mode| {
            let path = top.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        };
        program("system/tool", 0o755);
        program("system/text", 0o644);
        program("project/bin/tool", 0o755);
        program("project/bin/own", 0o755);
        symlink(top.join("project/bin"), top.join("link")).unwrap();
        let find = |name: &str, search_path: &str| {
            let search_path = search_path.replace('@', top.to_str().unwrap());
            let found = find_program(
                name,
                &top.join("project"),
                &search_path,
                &[top.join("project")],
            );
            found.map(|path| {
                path.strip_prefix(&top)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned()
            })
        };
        for (name, search_path, expected) in [
            ("tool", "@/system", Ok("system/tool")),
            ("tool", "@/project/bin:@/system", Ok("system/tool")),
            ("tool", "@/link:@/system", Ok("system/tool")),
            ("tool", "::bin:@/system", Ok("system/tool")),
            (
                "tool",
                "@/project/bin",
                Err(ProgramProblem::OnlyUntrusted("tool".into())),
            ),
            (
                "own",
                "@/project/bin:@/system",
                Err(ProgramProblem::OnlyUntrusted("own".into())),
            ),
            (
                "own",
                "@/system",
                Err(ProgramProblem::NotOnPath("own".into())),
            ),
            (
                "text",
                "@/system",
                Err(ProgramProblem::NotOnPath("text".into())),
            ),
            ("", "@/system", Err(ProgramProblem::NotOnPath("".into()))),
            ("bin/own", "", Ok("project/bin/own")),
            ("./bin/own", "", Ok("project/bin/own")),
            (
                "bin/none",
                "",
                Err(ProgramProblem::Missing("bin/none".into())),
            ),
            (
                "../system/text",
                "",
                Err(ProgramProblem::NotExecutable("../system/text".into())),
            ),
        ] {
            assert_eq!(
                find(name, search_path),
                expected.map(str::to_owned),
                "{name} in {search_path}"
            );
        }
    }
}
