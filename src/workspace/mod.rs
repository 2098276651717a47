//! Many files: the documents that are open, and cheap immutable snapshots of them.
//!
//! A document is ours if its name is `loop.toml` or ends in `.loop.toml`, or its language id is `loop-toml`. Generic
//! clients start us for all TOML; every other document is kept too, so that its changes are no surprise, and is
//! answered with nothing.

mod settings;
mod snapshot;

pub use settings::{SETTINGS_FILE, Settings};
pub use snapshot::Snapshot;

use crate::text::{Change, Document, Encoding};
use ropey::Rope;
use std::collections::HashMap;
use std::sync::Arc;

/// The language id of loop definitions.
pub const LANGUAGE_ID: &str = "loop-toml";

/// Names a document: equal for all spellings of one place. Whoever speaks the protocol makes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentKey(pub Arc<str>);

/// The documents that are open.
#[derive(Debug, Default)]
pub struct Workspace {
    documents: HashMap<DocumentKey, Open>,
    /// Counts opens, so that a document that was closed and opened again is not taken for the one before.
    opens: u64,
}

#[derive(Debug)]
struct Open {
    document: Document,
    snapshot: Snapshot,
}

impl Workspace {
    /// Opens a document, or, where a client opens it twice, begins it anew with this text.
    ///
    /// `uri` is the client's spelling and `ours` whether it is a loop definition ([`is_loop_definition`]).
    pub fn open(&mut self, key: DocumentKey, uri: &str, ours: bool, version: i32, text: &str) {
        self.opens += 1;
        let document = Document::new(text, version);
        let snapshot = Snapshot::new(uri.into(), self.opens, ours, &document);
        self.documents.insert(key, Open { document, snapshot });
    }

    /// Applies `changes` in order; returns what the document was before, if it is open.
    pub fn change(
        &mut self,
        key: &DocumentKey,
        changes: &[Change],
        encoding: Encoding,
        version: i32,
    ) -> Option<Snapshot> {
        let open = self.documents.get_mut(key)?;
        open.document.apply(changes, encoding, version);
        let next = open.snapshot.next(&open.document);
        Some(std::mem::replace(&mut open.snapshot, next))
    }

    /// Closes a document; returns its last snapshot if it was open.
    pub fn close(&mut self, key: &DocumentKey) -> Option<Snapshot> {
        self.documents.remove(key).map(|open| open.snapshot)
    }

    /// The document as it is now, if it is open and ours.
    pub fn snapshot(&self, key: &DocumentKey) -> Option<Snapshot> {
        self.documents
            .get(key)
            .map(|open| &open.snapshot)
            .filter(|snapshot| snapshot.ours)
            .cloned()
    }

    /// The text of a document as it is now, if it is open, whoever's it is.
    pub fn text(&self, key: &DocumentKey) -> Option<&Rope> {
        self.documents.get(key).map(|open| open.document.rope())
    }

    /// The client's spelling of the place of a document, and its version, if it is open, whoever's it is.
    pub fn place(&self, key: &DocumentKey) -> Option<(Arc<str>, i32)> {
        let snapshot = &self.documents.get(key)?.snapshot;
        Some((snapshot.uri.clone(), snapshot.version))
    }

    /// The keys of all open documents that are ours.
    pub fn keys(&self) -> Vec<DocumentKey> {
        self.documents
            .iter()
            .filter(|(_, open)| open.snapshot.ours)
            .map(|(key, _)| key.clone())
            .collect()
    }
}

/// Whether the document of this file name and language id is a loop definition.
pub fn is_loop_definition(name: &str, language_id: &str) -> bool {
    name == "loop.toml" || name.ends_with(".loop.toml") || language_id == LANGUAGE_ID
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Position, Range};

    #[test]
    fn documents_are_ours_by_name_or_language() {
        for (name, language_id, ours) in [
            ("loop.toml", "toml", true),
            ("order-desk.loop.toml", "toml", true),
            ("Untitled-1", "loop-toml", true),
            ("Cargo.toml", "toml", false),
            ("myloop.toml", "toml", false),
            ("loop.toml.bak", "", false),
        ] {
            assert_eq!(
                is_loop_definition(name, language_id),
                ours,
                "{name} {language_id}"
            );
        }
    }

    #[test]
    fn a_snapshot_keeps_its_text_while_the_document_goes_on() {
        let key = DocumentKey("a".into());
        let mut workspace = Workspace::default();
        workspace.open(key.clone(), "a", true, 1, "name = \"a\"\n");
        let before = workspace.snapshot(&key).unwrap();
        let start = Position {
            line: 0,
            character: 8,
        };
        let end = Position {
            line: 0,
            character: 9,
        };
        let change = Change {
            range: Some(Range { start, end }),
            text: "b".into(),
        };
        let changed = workspace.change(&key, &[change], Encoding::Utf16, 2);
        assert!(changed.is_some_and(|was| was.version == 1));
        let after = workspace.snapshot(&key).unwrap();
        assert_eq!(before.analysis().text, "name = \"a\"\n");
        assert_eq!(after.analysis().text, "name = \"b\"\n");
        assert_eq!((before.version, after.version), (1, 2));
        assert!(before.is_of_same_open(&after));
    }

    #[test]
    fn opening_again_begins_anew() {
        let key = DocumentKey("a".into());
        let mut workspace = Workspace::default();
        workspace.open(key.clone(), "a", true, 7, "one");
        let before = workspace.snapshot(&key).unwrap();
        workspace.open(key.clone(), "a", true, 1, "two");
        let after = workspace.snapshot(&key).unwrap();
        assert_eq!(after.rope.to_string(), "two");
        assert!(!before.is_of_same_open(&after));
    }

    #[test]
    fn what_is_not_open_is_not_changed() {
        let key = DocumentKey("a".into());
        let mut workspace = Workspace::default();
        assert!(workspace.change(&key, &[], Encoding::Utf8, 2).is_none());
        assert!(workspace.close(&key).is_none());
    }
}
