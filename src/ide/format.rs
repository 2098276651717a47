//! Formatting: white space only, so that no comment, no order and no meaning can change.
//!
//! - No indentation and no trailing white space; the text ends with one line break.
//! - One blank line before a header and the comments directly above it; elsewhere at most one, none at the beginning.
//! - `key = value`, `[header]`, `a.b`, `[1, 2]`, `{ a = 1 }`, `{}`.
//! - Arrays and inline tables keep their lines. A line within brackets is four spaces deeper than the line that opened
//!   them; a line that begins with a closing bracket is as deep as that line.
//! - A comment behind something keeps its distance, so that columns of comments stay; it is at least one space.
//! - Line breaks are those of the text, new ones like its first. Strings and comments are not touched.

use crate::check::Analysis;
use crate::syntax::{self, KeyValue, Statement, Table, Tree, Value, ValueKind};
use crate::text::{Edit, Span, apply_edits};

const INDENT: &str = "    ";

/// The edits that format the text, in order, each as small as can be. None for a text with syntax errors, whose layout
/// may be what its writer is about to put right.
pub fn format(analysis: &Analysis) -> Vec<Edit> {
    if !analysis.syntax_errors.is_empty() {
        return Vec::new();
    }
    let edits = edits(&analysis.text, analysis.start(), &analysis.tree);
    match means_the_same(analysis, &edits) {
        true => edits,
        false => Vec::new(),
    }
}

/// Those edits of [`format()`] that are on the lines of `span`.
pub fn format_range(analysis: &Analysis, span: Span) -> Vec<Edit> {
    let text = &analysis.text;
    let end = span.end.min(text.len());
    let lines = Span::new(
        text[..span.start.min(end)]
            .rfind('\n')
            .map_or(0, |at| at + 1),
        text[end..].find('\n').map_or(text.len(), |at| end + at),
    );
    let mut edits = format(analysis);
    edits.retain(|edit| lines.contains(edit.span));
    edits
}

/// What is held of every edit that is made here: afterwards the text parses and says the same.
fn means_the_same(analysis: &Analysis, edits: &[Edit]) -> bool {
    let Some(text) = apply_edits(&analysis.text, edits) else {
        return false;
    };
    let (tree, errors) = syntax::parse(&text);
    let (table, conflicts) = Table::build(&tree);
    errors.is_empty() && conflicts.is_empty() && table.to_json() == analysis.table.to_json()
}

/// Something between white space.
struct Piece {
    span: Span,
    kind: Kind,
    /// How many brackets are open before it.
    depth: usize,
    /// Whether a statement begins with it.
    begins: Option<Begins>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// A key or a value without parts.
    Word,
    Comment,
    /// `[`, `{`, of a header too.
    Open(u8),
    Close(u8),
    Comma,
    Equals,
    Dot,
}

#[derive(Clone, Copy, PartialEq)]
enum Begins {
    Header,
    Pair,
}

fn edits(text: &str, start: usize, tree: &Tree) -> Vec<Edit> {
    let pieces = pieces(text, start, tree);
    let leads = leads(text, &pieces);
    let mut layout = Layout {
        ending: first_line_break(text),
        level: 0,
        open: Vec::new(),
    };
    let mut edits = Vec::new();
    for index in 0..=pieces.len() {
        let before = index.checked_sub(1).map(|before| &pieces[before]);
        let next = pieces.get(index);
        let gap = gap(text, start, &pieces, index);
        let wanted = layout.gap(
            before,
            next,
            gap.of(text),
            leads.binary_search(&index).is_ok(),
        );
        edits.extend(replacement(text, gap, &wanted));
    }
    edits
}

/// The white space before the piece `index`, or behind the last one.
fn gap(text: &str, start: usize, pieces: &[Piece], index: usize) -> Span {
    let from = index
        .checked_sub(1)
        .map_or(start, |before| pieces[before].span.end);
    Span::new(
        from,
        pieces
            .get(index)
            .map_or(text.len(), |piece| piece.span.start),
    )
}

/// All that is not white space, in order.
fn pieces(text: &str, start: usize, tree: &Tree) -> Vec<Piece> {
    let blanks = [' ', '\t'];
    let mut whole: Vec<(Span, Kind)> = Vec::new();
    let mut begins = Vec::new();
    for statement in &tree.statements {
        match statement {
            Statement::Header(header) => {
                whole.extend(header.keys.iter().map(|key| (key.span, Kind::Word)));
                begins.push((header.span.start, Begins::Header));
            }
            Statement::KeyValue(pair) => {
                words_of_pair(pair, &mut whole);
                begins.push((pair.span.start, Begins::Pair));
            }
        }
    }
    whole.extend(tree.comments.iter().map(|comment| {
        let length = comment.span.of(text).trim_end_matches(blanks).len();
        let span = Span::new(comment.span.start, comment.span.start + length);
        (span, Kind::Comment)
    }));
    whole.sort_by_key(|(span, _)| *span);

    let mut pieces = Vec::new();
    let (mut whole, mut begins) = (whole.into_iter().peekable(), begins.into_iter().peekable());
    let (mut at, mut depth) = (start, 0_usize);
    while let Some(length) = text[at..].find(|character: char| !character.is_ascii_whitespace()) {
        at += length;
        let (span, kind) = match whole.next_if(|(span, _)| span.start == at) {
            Some(piece) => piece,
            None => (Span::new(at, at + 1), punctuation(text.as_bytes()[at])),
        };
        let begins = begins
            .next_if(|(start, _)| *start == at)
            .map(|(_, begins)| begins);
        pieces.push(Piece {
            span,
            kind,
            depth,
            begins,
        });
        match kind {
            Kind::Open(_) => depth += 1,
            Kind::Close(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        at = span.end;
    }
    pieces
}

/// What a character is that is no part of a key, a value without parts or a comment. In a text without syntax errors it
/// is one of these.
fn punctuation(byte: u8) -> Kind {
    match byte {
        b'[' | b'{' => Kind::Open(byte),
        b']' | b'}' => Kind::Close(byte),
        b',' => Kind::Comma,
        b'=' => Kind::Equals,
        _ => Kind::Dot,
    }
}

fn words_of_pair(pair: &KeyValue, words: &mut Vec<(Span, Kind)>) {
    words.extend(pair.keys.iter().map(|key| (key.span, Kind::Word)));
    words_of_value(&pair.value, words);
}

fn words_of_value(value: &Value, words: &mut Vec<(Span, Kind)>) {
    match &value.kind {
        ValueKind::Array(array) => array
            .items
            .iter()
            .for_each(|item| words_of_value(item, words)),
        ValueKind::InlineTable(table) => {
            table
                .entries
                .iter()
                .for_each(|pair| words_of_pair(pair, words));
        }
        _ => words.push((value.span, Kind::Word)),
    }
}

/// The pieces that a blank line belongs before, in order: headers, or the first of the comments directly above one.
fn leads(text: &str, pieces: &[Piece]) -> Vec<usize> {
    let breaks_before = |index: usize| line_breaks(gap(text, 0, pieces, index).of(text)).count();
    let mut leads = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        if piece.begins != Some(Begins::Header) {
            continue;
        }
        let mut first = index;
        while first > 0
            && breaks_before(first) == 1
            && pieces[first - 1].kind == Kind::Comment
            && (first == 1 || breaks_before(first - 1) > 0)
        {
            first -= 1;
        }
        leads.push(first);
    }
    leads
}

/// What is known of the text up to some piece.
struct Layout {
    /// How the text breaks lines.
    ending: &'static str,
    /// How deep the line is.
    level: usize,
    /// How deep the lines are that opened the brackets that are open.
    open: Vec<usize>,
}

impl Layout {
    /// The white space that belongs between two pieces; `is` is what there is, `leads` whether a header or its comments
    /// begin.
    fn gap(
        &mut self,
        before: Option<&Piece>,
        next: Option<&Piece>,
        is: &str,
        leads: bool,
    ) -> String {
        let Some(next) = next else {
            return match before {
                None => String::new(),
                Some(_) => self.breaks(is, 1),
            };
        };
        let there = line_breaks(is).count();
        let wanted = match before {
            None => {
                self.level = 0;
                String::new()
            }
            Some(before) if there == 0 => spaces(before, next, is),
            Some(_) if next.depth == 0 => {
                self.level = 0;
                self.breaks(is, if leads { 2 } else { there.min(2) })
            }
            Some(_) => {
                let opened = self.open.last().copied().unwrap_or_default();
                self.level = match next.kind {
                    Kind::Close(_) => opened,
                    _ => opened + 1,
                };
                self.breaks(is, there.min(2)) + &INDENT.repeat(self.level)
            }
        };
        match next.kind {
            Kind::Open(_) => self.open.push(self.level),
            Kind::Close(_) => {
                self.open.pop();
            }
            _ => {}
        }
        wanted
    }

    /// So many line breaks: those that there are, then new ones.
    fn breaks(&self, is: &str, count: usize) -> String {
        line_breaks(is)
            .chain(std::iter::repeat(self.ending))
            .take(count)
            .collect()
    }
}

/// What belongs between two pieces of one line.
fn spaces(before: &Piece, next: &Piece, is: &str) -> String {
    let spaces = match (before.kind, next.kind) {
        (_, Kind::Comment) if !is.is_empty() => is,
        (Kind::Open(b'{'), Kind::Close(_)) | (Kind::Dot, _) | (_, Kind::Dot | Kind::Comma) => "",
        (_, Kind::Comment) => " ",
        (Kind::Open(b'{'), _) | (_, Kind::Close(b'}')) => " ",
        (Kind::Open(_), _) | (_, Kind::Close(_)) => "",
        _ => " ",
    };
    spaces.to_owned()
}

/// The line breaks in white space.
fn line_breaks(blank: &str) -> impl Iterator<Item = &str> {
    blank
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'))
        .map(|line| match line.ends_with("\r\n") {
            true => "\r\n",
            false => "\n",
        })
}

fn first_line_break(text: &str) -> &'static str {
    match text.split_inclusive('\n').next() {
        Some(line) if line.ends_with("\r\n") => "\r\n",
        _ => "\n",
    }
}

/// The smallest edit that makes `wanted` of what stands at `gap`; both are white space.
fn replacement(text: &str, gap: Span, wanted: &str) -> Option<Edit> {
    let is = gap.of(text);
    if is == wanted {
        return None;
    }
    let equal = |(one, other): &(u8, u8)| one == other;
    let within_break = |blank: &str, at: usize| blank[..at].ends_with('\r');
    let mut start = is.bytes().zip(wanted.bytes()).take_while(equal).count();
    start -= usize::from(within_break(is, start));
    let backwards = is.bytes().rev().zip(wanted.bytes().rev());
    let rest = is.len().min(wanted.len()) - start;
    let mut end = backwards.take_while(equal).count().min(rest);
    if within_break(is, is.len() - end) || within_break(wanted, wanted.len() - end) {
        end -= 1;
    }
    Some(Edit {
        span: Span::new(gap.start + start, gap.end - end),
        text: wanted[start..wanted.len() - end].to_owned(),
    })
}
