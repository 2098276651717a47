//! Half-open byte ranges of a text, and edits that replace one.

/// A half-open range of bytes in a text; both ends lie on character borders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// The span from `start` up to, not including, `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The empty span at `offset`.
    pub const fn empty(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// Number of bytes.
    pub const fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether the span covers no byte.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether `offset` is inside or at either end: what a cursor "on" the span means.
    pub const fn touches(self, offset: usize) -> bool {
        self.start <= offset && offset <= self.end
    }

    /// Whether both have a byte or an end in common: what a selection "on" the span means.
    pub const fn meets(self, other: Span) -> bool {
        self.start <= other.end && other.start <= self.end
    }

    /// Whether `other` lies wholly inside.
    pub const fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The smallest span that covers both.
    pub fn cover(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// Moves both ends by so many bytes.
    pub fn shift(&mut self, by: isize) {
        self.start = self.start.wrapping_add_signed(by);
        self.end = self.end.wrapping_add_signed(by);
    }

    /// The part of `text` that the span covers.
    pub fn of(self, text: &str) -> &str {
        &text[self.start..self.end]
    }
}

/// Replaces the bytes of `span` by `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; empty for an insertion.
    pub span: Span,
    /// What stands there afterwards.
    pub text: String,
}

/// Applies `edits` (in any order, all against `text` as it is) and returns the new text.
///
/// `None` when two edits overlap or one is out of bounds: then nothing is applied.
pub fn apply_edits(text: &str, edits: &[Edit]) -> Option<String> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| edit.span);
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for edit in sorted {
        result.push_str(text.get(done..edit.span.start)?);
        text.get(edit.span.start..edit.span.end)?;
        result.push_str(&edit.text);
        done = edit.span.end;
    }
    result.push_str(text.get(done..)?);
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: usize, end: usize, text: &str) -> Edit {
        Edit {
            span: Span::new(start, end),
            text: text.to_owned(),
        }
    }

    #[test]
    fn edits_apply_in_any_order_against_the_text_as_it_was() {
        let edits = [edit(4, 5, "2"), edit(0, 1, "key"), edit(5, 5, " # two")];
        let expected = Some("key = 2 # two".to_owned());
        assert_eq!(apply_edits("a = 1", &edits), expected);
    }

    #[test]
    fn insertions_at_one_place_keep_their_order() {
        let edits = [edit(1, 1, "x"), edit(1, 1, "y"), edit(1, 2, "z")];
        assert_eq!(apply_edits("ab", &edits), Some("axyz".to_owned()));
    }

    #[test]
    fn edits_that_cannot_be_applied_are_refused() {
        let cases: [&[Edit]; 5] = [
            &[edit(0, 2, ""), edit(1, 3, "")],
            &[edit(0, 2, "x"), edit(0, 2, "y")],
            &[edit(9, 9, "x")],
            &[edit(0, 9, "x")],
            // Within a character.
            &[edit(0, 1, "x")],
        ];
        for edits in cases {
            assert_eq!(apply_edits("étext", edits), None, "{edits:?}");
        }
    }

    #[test]
    fn a_cursor_touches_both_ends() {
        let span = Span::new(2, 4);
        let touched: Vec<usize> = (0..6).filter(|offset| span.touches(*offset)).collect();
        assert_eq!(touched, [2, 3, 4]);
    }
}
