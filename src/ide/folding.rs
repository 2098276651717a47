//! Folding: what can be closed up to its first line.

use super::regions::regions;
use crate::check::Analysis;
use crate::syntax::{Statement, Value, ValueKind};
use crate::text::Span;
use std::collections::HashMap;

/// Text over several lines of which the first stays when it is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// From the first line that stays to the last one that goes.
    pub span: Span,
    /// What it is.
    pub kind: FoldKind,
}

/// What is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldKind {
    /// A table with its header.
    Table,
    /// A value; the line that only closes it stays.
    Value,
    /// Comments on lines of their own.
    Comment,
}

/// All folds, in order of the text, one a line at the most: the widest that begins there.
pub fn folds(analysis: &Analysis) -> Vec<Fold> {
    let mut folds = Folds {
        analysis,
        by_line: HashMap::new(),
    };
    for region in regions(&analysis.tree) {
        folds.add(region.whole, FoldKind::Table);
    }
    for statement in &analysis.tree.statements {
        if let Statement::KeyValue(pair) = statement {
            folds.value(&pair.value);
        }
    }
    folds.comments();
    let mut folds: Vec<Fold> = folds.by_line.into_values().collect();
    folds.sort_by_key(|fold| fold.span);
    folds
}

struct Folds<'a> {
    analysis: &'a Analysis,
    by_line: HashMap<usize, Fold>,
}

impl Folds<'_> {
    fn line(&self, offset: usize) -> usize {
        self.analysis.rope.byte_to_line(offset)
    }

    fn add(&mut self, span: Span, kind: FoldKind) {
        let first = self.line(span.start);
        if self.line(span.end) == first {
            return;
        }
        let fold = self.by_line.entry(first).or_insert(Fold { span, kind });
        if fold.span.end < span.end {
            *fold = Fold { span, kind };
        }
    }

    fn value(&mut self, value: &Value) {
        match &value.kind {
            ValueKind::Array(array) => array.items.iter().for_each(|item| self.value(item)),
            ValueKind::InlineTable(table) => {
                table
                    .entries
                    .iter()
                    .for_each(|pair| self.value(&pair.value));
            }
            _ => {}
        }
        let text = value.span.of(&self.analysis.text);
        let closers = match value.kind {
            ValueKind::Array(_) | ValueKind::InlineTable(_) => 1,
            ValueKind::String(_) => 3,
            _ => return,
        };
        // A short string has no three bytes of closing quotes, and may end within a character there.
        let inner = text.get(..text.len().saturating_sub(closers));
        let inner = inner.unwrap_or(text);
        let kept = inner.trim_end_matches([' ', '\t']);
        let end = match kept.ends_with(['\n', '\r']) {
            true => kept.trim_end().len(),
            false => text.len(),
        };
        self.add(
            Span::new(value.span.start, value.span.start + end),
            FoldKind::Value,
        );
    }

    fn comments(&mut self) {
        let text = &self.analysis.text;
        let mut block: Option<Span> = None;
        for comment in &self.analysis.tree.comments {
            let before = text[..comment.span.start].trim_end_matches([' ', '\t', '\u{feff}']);
            let alone = before.is_empty() || before.ends_with(['\n', '\r']);
            let follows = block
                .filter(|block| alone && self.line(block.end) + 1 == self.line(comment.span.start));
            if let Some(done) = block.filter(|_| follows.is_none()) {
                self.add(done, FoldKind::Comment);
            }
            block = match follows {
                Some(block) => Some(block.cover(comment.span)),
                None => alone.then_some(comment.span),
            };
        }
        if let Some(done) = block {
            self.add(done, FoldKind::Comment);
        }
    }
}
