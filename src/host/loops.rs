//! The loops under a project's root.

use crate::definition::{KnownLoop, lower};
use crate::syntax::{self, Table};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How many entries of folders are looked at, whatever the root.
const MOST_ENTRIES: usize = 20_000;
/// The largest file that is read, in bytes.
const LARGEST_FILE: u64 = 1 << 20;

/// Every definition file under `root`, in order of their paths. Hidden folders, `node_modules`, `target`, symlinks and
/// special files are left out, and after 20,000 entries the search ends.
pub fn loops_under(root: &Path) -> Vec<KnownLoop> {
    let mut folders = vec![root.to_owned()];
    let mut files = Vec::new();
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            seen += 1;
            if seen > MOST_ENTRIES {
                return read(files);
            }
            let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else {
                continue;
            };
            let Some(name) = name.to_str() else { continue };
            let passed_over = name.starts_with('.') || name == "node_modules" || name == "target";
            if kind.is_dir() && !passed_over {
                folders.push(entry.path());
            } else if kind.is_file() && (name == "loop.toml" || name.ends_with(".loop.toml")) {
                files.push(entry.path());
            }
        }
    }
    read(files)
}

fn read(mut files: Vec<PathBuf>) -> Vec<KnownLoop> {
    files.sort_unstable();
    files.iter().filter_map(|path| known(path)).collect()
}

fn known(path: &Path) -> Option<KnownLoop> {
    let mut text = String::new();
    let file = fs::File::open(path).ok()?;
    file.take(LARGEST_FILE).read_to_string(&mut text).ok()?;
    let (table, _) = Table::build(&syntax::parse(&text).0);
    Some(KnownLoop::of(&lower(&table), path))
}
