//! The definitions of the projects that a session works in: each as it is open, else as it is on the disk. Looking takes
//! as long as the disk, so this is for work beside the message loop.

use super::asked::Asked;
use super::session::Session;
use super::uri;
use crate::check::Analysis;
use crate::definition::{KnownLoop, Surroundings};
use crate::host::Host;
use crate::workspace::Snapshot;
use ropey::Rope;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use tower_lsp::ls_types::Uri;

/// A definition.
pub struct File {
    /// Its place; as the client spelt it, if it is open.
    pub uri: Uri,
    /// Its version, if it is open.
    pub version: Option<i32>,
    /// What it says.
    pub analysis: Arc<Analysis>,
}

/// A definition among all that there are.
pub enum Listed {
    /// One that is open.
    Open(File),
    /// The path of one that is not, absolute.
    Closed(PathBuf),
}

/// Every definition that is open, and those on the disk in their projects and in the client's folders.
pub fn all(session: &Session) -> Vec<Listed> {
    let open = session.documents().workspace.keys();
    let open = open.iter().filter_map(|key| session.snapshot_of(key));
    let (mut files, mut paths) = (Vec::new(), BTreeSet::new());
    let mut roots: BTreeSet<PathBuf> = session.folders().iter().map(|it| root_of(it)).collect();
    for snapshot in open {
        if let Some(path) = uri::path(&snapshot.uri) {
            roots.insert(session.place(&path).root().to_owned());
            paths.insert(path);
        }
        files.extend(open_file(&snapshot).map(Listed::Open));
    }
    for root in roots {
        for known in session.projects.loops_searched(&root).iter() {
            if paths.insert(known.path.clone()) {
                files.push(Listed::Closed(known.path.clone()));
            }
        }
    }
    files
}

/// The definition at `path`, which is absolute; `None` if it is neither open nor to be read.
pub fn at(session: &Session, path: &Path) -> Option<File> {
    match session.snapshot_of(&uri::key_of_path(path)) {
        Some(open) => open_file(&open),
        None => closed(path, &read(path)?),
    }
}

fn open_file(open: &Snapshot) -> Option<File> {
    Some(File {
        uri: Uri::from_str(&open.uri).ok()?,
        version: Some(open.version),
        analysis: open.analysis().clone(),
    })
}

/// The text of the file at `path`, which is absolute, as it is on the disk.
pub fn read(path: &Path) -> Option<String> {
    Host::new(path).file(Path::new(path.file_name()?)).ok()
}

/// The definition at `path`, which is absolute and not open, with its text.
pub fn closed(path: &Path, text: &str) -> Option<File> {
    Some(File {
        uri: Uri::from_file_path(path)?,
        version: None,
        analysis: Arc::new(Analysis::new(Rope::from_str(text))),
    })
}

/// The files of the project that name the loop `name`, by their own name or by a delegate; the one asked about first.
pub fn naming_loop(asked: &Asked, loops: &[KnownLoop], name: &str) -> Vec<File> {
    let own = uri::path(&asked.snapshot.uri);
    let others = loops
        .iter()
        .filter(|known| Some(&known.path) != own.as_ref())
        .filter(|known| known.name == name || known.delegates.iter().any(|it| it == name))
        .filter_map(|known| at(&asked.session, &known.path));
    std::iter::once(asked.file()).chain(others).collect()
}

/// The place of the file at `path`: as the client spelt it, if it is open.
pub fn uri_of(session: &Session, path: &Path) -> Option<Uri> {
    let open = session.snapshot_of(&uri::key_of_path(path));
    match open {
        Some(open) => Uri::from_str(&open.uri).ok(),
        None => Uri::from_file_path(path),
    }
}

/// The root of the project that is worked in by opening `folder`.
fn root_of(folder: &Path) -> PathBuf {
    Host::new(&folder.join("loop.toml")).root().to_owned()
}
