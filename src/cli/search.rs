//! The files that the paths on a command line mean.

use super::Failure;
use super::project::Projects;
use super::source::STANDARD_INPUT;
use ignore::WalkBuilder;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// How many entries of a directory tree are looked at.
const MOST_ENTRIES: usize = 20_000;

/// What a search of a directory finds.
pub const WHAT_IS_SEARCHED: &str = "a directory is searched for `*.loop.toml` and `loop.toml`; hidden, ignored and \
    excluded files are left out";

/// The files that `paths` mean, each once, in order; and what could not be searched. What a project excludes is left
/// out of directories; a file that is named is meant.
pub fn files(paths: &[PathBuf], projects: &mut Projects) -> (Vec<PathBuf>, Vec<Failure>) {
    let mut files = Vec::new();
    let mut problems = Vec::new();
    for path in paths {
        if path != Path::new(STANDARD_INPUT) && path.is_dir() {
            let found = search(path);
            let found_files = found.files.into_iter();
            files.extend(found_files.filter(|file| !projects.exclude(file)));
            problems.extend(found.problems.into_iter().map(Failure::new));
        } else {
            files.push(path.clone());
        }
    }
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())));
    (files, problems)
}

/// What a search came to.
#[derive(Debug, Default)]
struct Found {
    /// The definitions, in order of their names.
    files: Vec<PathBuf>,
    /// What could not be searched, in words.
    problems: Vec<String>,
}

/// Searches `directory` for `loop.toml` and `*.loop.toml`, without what is hidden, ignored or a symlink.
fn search(directory: &Path) -> Found {
    search_at_most(directory, MOST_ENTRIES)
}

fn search_at_most(directory: &Path, most: usize) -> Found {
    let walk = WalkBuilder::new(directory)
        .require_git(false)
        .sort_by_file_name(|one, other| one.cmp(other))
        .build();
    let mut found = Found::default();
    for (count, entry) in walk.enumerate() {
        if count > most {
            found.problems.push(format!(
                "{}: it has more than {most} entries, and the search stopped there; name the folders to check",
                directory.display()
            ));
            break;
        }
        match entry {
            Err(error) => found.problems.push(error.to_string()),
            Ok(entry) => {
                let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
                let name = entry.file_name().to_string_lossy();
                if is_file && is_definition(&name) {
                    // `./a` is how nobody writes `a`.
                    let path = entry.path();
                    let path = path.strip_prefix(".").unwrap_or(path);
                    found.files.push(path.to_owned());
                }
            }
        }
    }
    found
}

fn is_definition(name: &str) -> bool {
    name == "loop.toml" || name.ends_with(".loop.toml")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn hidden_ignored_and_other_files_are_left_out() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        for name in [
            "b.loop.toml",
            "loop.toml",
            "Cargo.toml",
            "myloop.toml",
            "sub/a.loop.toml",
            "build/out.loop.toml",
            ".hidden/x.loop.toml",
        ] {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), "").unwrap();
        }
        fs::write(root.join(".gitignore"), "build/\n").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.join("sub"), root.join("link")).unwrap();

        let found = search(root);
        let names: Vec<_> = found
            .files
            .iter()
            .map(|path| path.strip_prefix(root).unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["b.loop.toml", "loop.toml", "sub/a.loop.toml"]);
        assert!(found.problems.is_empty());

        let found = search_at_most(root, 2);
        assert!(
            found.problems[0].contains("more than 2 entries"),
            "{found:?}"
        );
    }
}
