//! Projects: the loops under each root and the root's settings, known without looking at the disk each time.
//!
//! A root is searched when somebody first needs to know, and again when something was opened, closed, saved or changed
//! outside; never on the message loop. Documents that are open count as they are in the editor, whatever the disk says.

use super::project_settings::ProjectSettings;
use crate::definition::KnownLoop;
use crate::host::loops_under;
use ropey::Rope;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The loops under one root.
type Loops = Arc<Vec<KnownLoop>>;

/// All projects that somebody needed to know of.
#[derive(Debug, Default)]
pub struct Projects {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// What is open, as it was last analysed.
    open: BTreeMap<PathBuf, KnownLoop>,
    roots: HashMap<PathBuf, Arc<Root>>,
}

#[derive(Debug, Default)]
struct Root {
    /// Held while the root is searched, so that those who need it at once wait for one search.
    search: Mutex<()>,
    found: Mutex<Found>,
}

#[derive(Debug, Default)]
struct Found {
    /// The loops on the disk; `None` before the first search.
    on_disk: Option<Loops>,
    /// The same with what is open in its place; made when it is asked for.
    merged: Option<Loops>,
    /// The settings of the project, read with the search or before it.
    settings: Option<Arc<ProjectSettings>>,
    /// Their text, where they are open.
    open_settings: Option<Rope>,
}

impl Projects {
    /// The loops under `root`; `None` while it was not searched yet.
    pub fn loops(&self, root: &Path) -> Option<Loops> {
        let known = self.known();
        let mut found = lock(&known.roots.get(root)?.found);
        let on_disk = found.on_disk.as_ref()?;
        if found.merged.is_none() {
            let open = known.open.range(root.to_owned()..);
            let open = open.take_while(|(path, _)| path.starts_with(root));
            let all: BTreeMap<&Path, &KnownLoop> = on_disk
                .iter()
                .chain(open.map(|(_, known)| known))
                .map(|known| (known.path.as_path(), known))
                .collect();
            found.merged = Some(Arc::new(all.into_values().cloned().collect()));
        }
        found.merged.clone()
    }

    /// The loops under `root`, searched now if they are not known. Takes as long as the disk.
    pub fn loops_searched(&self, root: &Path) -> Loops {
        loop {
            match self.loops(root) {
                Some(loops) => return loops,
                None => {
                    self.search(root, false);
                }
            }
        }
    }

    /// The settings of the project at `root`. They are one small file, which is read at once when nobody needed to know.
    pub fn settings(&self, root: &Path) -> Arc<ProjectSettings> {
        let place = self.root(root);
        let mut found = lock(&place.found);
        if found.settings.is_none() {
            found.read_settings(root);
        }
        found.settings.clone().unwrap_or_default()
    }

    /// Takes the settings of the project at `root` as they are open, or that they are open no more.
    pub fn see_settings(&self, root: &Path, open: Option<Rope>) {
        let place = self.root(root);
        let mut found = lock(&place.found);
        found.open_settings = open;
        found.settings = None;
    }

    /// Searches `root`, which takes as long as the disk; returns whether something is not as it was known. One that
    /// nobody needed to know of yet stays unknown.
    pub fn search_again(&self, root: &Path) -> bool {
        let known = self.known().roots.get(root).cloned();
        let Some(place) = known else {
            return false;
        };
        let mut found = lock(&place.found);
        if found.on_disk.is_none() {
            // Nobody needed its loops yet: its settings alone are read again.
            return found.read_settings(root);
        }
        drop(found);
        self.search(root, true)
    }

    fn search(&self, root: &Path, again: bool) -> bool {
        let place = self.root(root);
        let _searching = lock(&place.search);
        let (levels_changed, settings) = {
            let mut found = lock(&place.found);
            if !again && found.on_disk.is_some() {
                return false;
            }
            (found.read_settings(root), found.settings.clone())
        };
        let settings = settings.unwrap_or_default();
        let mut on_disk = loops_under(root);
        on_disk.retain(|known| {
            let relative = known.path.strip_prefix(root);
            !relative.is_ok_and(|path| settings.settings.excludes(path))
        });
        let mut found = lock(&place.found);
        let before = found.on_disk.as_deref();
        let has_changed = before.is_some_and(|before| *before != on_disk);
        found.on_disk = Some(Arc::new(on_disk));
        found.merged = None;
        has_changed || levels_changed
    }

    /// Takes what an open document is to others; returns whether that is news to them.
    pub fn see(&self, seen: KnownLoop) -> bool {
        let mut known = self.known();
        if known.open.get(&seen.path) == Some(&seen) {
            return false;
        }
        let before = known.open.insert(seen.path.clone(), seen.clone());
        known.is_news(before.as_ref(), &seen)
    }

    /// Forgets a document that was closed: the disk counts again; returns whether that is news to others.
    pub fn close(&self, path: &Path) -> bool {
        let mut known = self.known();
        let Some(open) = known.open.remove(path) else {
            return false;
        };
        known.is_news(None, &open)
    }

    /// Every root that somebody needed to know of.
    pub fn roots(&self) -> Vec<PathBuf> {
        self.known().roots.keys().cloned().collect()
    }

    fn root(&self, root: &Path) -> Arc<Root> {
        let mut known = self.known();
        known.roots.entry(root.to_owned()).or_default().clone()
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        lock(&self.known)
    }
}

impl Known {
    /// Whether it makes a difference to others that `one` takes the place of `other`, or of what is on the disk where
    /// there was no other, in the projects that were searched. What was merged before is forgotten.
    fn is_news(&self, other: Option<&KnownLoop>, one: &KnownLoop) -> bool {
        let around = |root: &&PathBuf| one.path.starts_with(root);
        let roots = self.roots.keys().filter(around);
        let news = roots.filter(|root| {
            let mut found = lock(&self.roots[*root].found);
            found.merged = None;
            found.on_disk.as_ref().is_some_and(|on_disk| {
                let on_disk = on_disk.iter().find(|known| known.path == one.path);
                let other = other.or(on_disk);
                other.is_none_or(|other| !is_same_to_others(other, one))
            })
        });
        news.count() > 0
    }
}

impl Found {
    /// Reads the settings of the project at `root`; returns whether other levels hold than before.
    fn read_settings(&mut self, root: &Path) -> bool {
        let settings = ProjectSettings::read(root, self.open_settings.as_ref());
        let levels = settings.settings.levels.clone();
        let before = self.settings.replace(Arc::new(settings));
        before.is_some_and(|before| before.settings.levels != levels)
    }
}

/// Whether one can take the place of the other without anything to say about a third: descriptions are only shown.
fn is_same_to_others(one: &KnownLoop, other: &KnownLoop) -> bool {
    (&one.name, &one.loops, &one.delegates) == (&other.name, &other.loops, &other.delegates)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn open(path: &Path, name: &str) -> KnownLoop {
        KnownLoop {
            path: path.to_owned(),
            name: name.to_owned(),
            ..KnownLoop::default()
        }
    }

    fn names(projects: &Projects, root: &Path) -> Vec<String> {
        let loops = projects.loops_searched(root);
        loops.iter().map(|known| known.name.clone()).collect()
    }

    #[test]
    fn what_is_open_counts_and_the_disk_when_it_is_closed() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let [one, two] = ["one.loop.toml", "two.loop.toml"].map(|name| root.join(name));
        fs::write(&one, "name = \"first\"").unwrap();
        let projects = Projects::default();
        assert_eq!(projects.loops(root), None, "nobody needed to know yet");
        assert_eq!(names(&projects, root), ["first"]);

        assert!(!projects.see(open(&one, "first")), "that was known");
        assert!(projects.see(open(&one, "changed")));
        assert!(!projects.see(open(&one, "changed")));
        assert!(projects.see(open(&two, "not saved yet")));
        assert!(!projects.see(open(Path::new("/elsewhere/x.loop.toml"), "another")));
        assert_eq!(names(&projects, root), ["changed", "not saved yet"]);

        assert!(projects.close(&one));
        assert!(projects.close(&two));
        assert!(!projects.close(&two), "it is not open");
        assert_eq!(names(&projects, root), ["first"]);
    }

    #[test]
    fn a_root_is_searched_again_when_it_is_said_so_and_not_before() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let projects = Projects::default();
        assert!(!projects.search_again(root));
        assert_eq!(projects.loops(root), None);

        assert!(names(&projects, root).is_empty());
        fs::write(root.join("loop.toml"), "name = \"new\"").unwrap();
        assert!(names(&projects, root).is_empty());
        assert!(projects.search_again(root));
        assert!(!projects.search_again(root), "nothing has changed since");
        assert_eq!(names(&projects, root), ["new"]);
    }
}
