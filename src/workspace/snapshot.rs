//! One version of one document, for as long as somebody needs it.

use crate::check::Analysis;
use crate::text::Document;
use ropey::Rope;
use std::sync::{Arc, Mutex, OnceLock};

/// One version of a document: immutable, cheap to clone, and analysed once however many ask.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The client's spelling of its place.
    pub uri: Arc<str>,
    /// The client's number for this text.
    pub version: i32,
    /// The text.
    pub rope: Rope,
    /// Whether it is a loop definition.
    pub(super) ours: bool,
    open: u64,
    analysis: Arc<OnceLock<Arc<Analysis>>>,
    /// The last analysis of a version before this one, until this one is analysed; then what is left of it.
    earlier: Arc<Mutex<Option<Arc<Analysis>>>>,
}

impl Snapshot {
    pub(super) fn new(uri: Arc<str>, open: u64, ours: bool, document: &Document) -> Self {
        Self {
            uri,
            version: document.version(),
            rope: document.rope().clone(),
            ours,
            open,
            analysis: Arc::default(),
            earlier: Arc::default(),
        }
    }

    /// The snapshot of `document` after a change.
    pub(super) fn next(&self, document: &Document) -> Self {
        let next = Self::new(self.uri.clone(), self.open, self.ours, document);
        let earlier = self.analysis.get().cloned().or_else(|| self.take_earlier());
        Self {
            earlier: Arc::new(Mutex::new(earlier)),
            ..next
        }
    }

    /// Makes what is asked for next, and gives up what is of no use any more; to be called when nobody waits, for it
    /// takes a while.
    pub fn tidy(&self) {
        self.analysis().mentions();
        drop(self.take_earlier());
    }

    fn put_earlier(&self, earlier: Analysis) {
        if let Ok(mut place) = self.earlier.lock() {
            *place = Some(Arc::new(earlier));
        }
    }

    fn take_earlier(&self) -> Option<Arc<Analysis>> {
        // Nothing panics while it is locked; and without it the text is analysed from its beginning.
        self.earlier.lock().ok()?.take()
    }

    /// What the text says; made by the first who asks, in time linear in the text. Where nobody needs that of the
    /// version before any more, this one's is made of it, which takes less time.
    pub fn analysis(&self) -> &Arc<Analysis> {
        self.analysis.get_or_init(|| {
            let rope = self.rope.clone();
            Arc::new(match self.take_earlier().and_then(Arc::into_inner) {
                Some(mut earlier) => {
                    let analysis = Analysis::after(&mut earlier, rope);
                    self.put_earlier(earlier);
                    analysis
                }
                None => Analysis::new(rope),
            })
        })
    }

    /// Whether [`analysis`](Self::analysis) answers at once.
    pub fn is_analysed(&self) -> bool {
        self.analysis.get().is_some()
    }

    /// Whether `other` is this very version.
    pub fn is_same_text(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.analysis, &other.analysis)
    }

    /// Whether `other` is a version of the same document, not closed in between.
    pub fn is_of_same_open(&self, other: &Self) -> bool {
        self.open == other.open
    }
}
