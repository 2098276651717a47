//! Selection that grows: word, string, value, pair, table, file.

use super::regions::regions;
use crate::check::Analysis;
use crate::definition::StringPlaces;
use crate::definition::placeholder::placeholders;
use crate::syntax::{Comment, Key, KeyValue, Statement, Value, ValueKind};
use crate::text::Span;

/// What can be selected around byte `offset`, from the smallest to the whole text; each is wider than the one before.
pub fn selections(analysis: &Analysis, offset: usize) -> Vec<Span> {
    let mut around = Around {
        analysis,
        offset,
        spans: vec![analysis.tree.span],
    };
    for region in regions(&analysis.tree) {
        around.enter(region.whole);
        around.enter(region.own);
    }
    for statement in &analysis.tree.statements {
        match statement {
            Statement::Header(header) => {
                if around.enter(header.span) {
                    around.keys(&header.keys);
                }
            }
            Statement::KeyValue(pair) => around.pair(pair),
        }
    }
    around.comment();
    around.spans.reverse();
    around.spans
}

struct Around<'a> {
    analysis: &'a Analysis,
    offset: usize,
    /// From the widest on.
    spans: Vec<Span>,
}

impl Around<'_> {
    /// Adds `span` if it is around the cursor and within what was added last; whether it is around the cursor.
    fn enter(&mut self, span: Span) -> bool {
        let inside = span.touches(self.offset) && !span.is_empty();
        let last = self.spans.last().copied().unwrap_or_default();
        if inside && last.contains(span) && last != span {
            self.spans.push(span);
        }
        inside
    }

    fn keys(&mut self, keys: &[Key]) {
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else {
            return;
        };
        if self.enter(first.span.cover(last.span)) {
            for key in keys {
                self.enter(key.span);
            }
        }
    }

    fn pair(&mut self, pair: &KeyValue) {
        if self.enter(pair.span) {
            self.keys(&pair.keys);
            self.value(&pair.value);
        }
    }

    fn value(&mut self, value: &Value) {
        if !self.enter(value.span) {
            return;
        }
        match &value.kind {
            ValueKind::Array(array) => array.items.iter().for_each(|item| self.value(item)),
            ValueKind::InlineTable(table) => table.entries.iter().for_each(|pair| self.pair(pair)),
            ValueKind::String(text) => {
                let content = super::content(&self.analysis.text, value.span);
                if !self.enter(content) {
                    return;
                }
                if let Some(mut places) = StringPlaces::new(&self.analysis.text, value.span) {
                    for placeholder in placeholders(text) {
                        if let Some(place) = places.place(&placeholder.range) {
                            self.enter(place);
                        }
                    }
                }
                self.word(content);
            }
            _ => {}
        }
    }

    /// The word under the cursor, within `span`.
    fn word(&mut self, span: Span) {
        let of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let text = &self.analysis.text;
        let before = text[span.start..self.offset].trim_end_matches(of_word);
        let after = text[self.offset..span.end].trim_start_matches(of_word);
        self.enter(Span::new(span.start + before.len(), span.end - after.len()));
    }

    /// The comment under the cursor, and the lines of comments around it.
    fn comment(&mut self) {
        let comments = &self.analysis.tree.comments;
        let here = |comment: &Comment| comment.span.touches(self.offset);
        let Some(at) = comments.iter().position(here) else {
            return;
        };
        let line = |comment: &Comment| self.analysis.rope.byte_to_line(comment.span.start);
        let mut block = comments[at].span;
        for pair in comments[..=at].windows(2).rev() {
            if line(&pair[0]) + 1 != line(&pair[1]) || !self.alone(pair[0].span) {
                break;
            }
            block = block.cover(pair[0].span);
        }
        for pair in comments[at..].windows(2) {
            if line(&pair[0]) + 1 != line(&pair[1]) || !self.alone(pair[1].span) {
                break;
            }
            block = block.cover(pair[1].span);
        }
        let comment = comments[at].span;
        if self.alone(comment) {
            self.enter(block);
        }
        self.enter(comment);
        self.word(comment);
    }

    fn alone(&self, comment: Span) -> bool {
        let before = self.analysis.text[..comment.start].trim_end_matches([' ', '\t', '\u{feff}']);
        before.is_empty() || before.ends_with(['\n', '\r'])
    }
}
