//! Text to tokens, with strings that were left open ended where a person would end them.

use super::errors::Errors;
use super::structure::{begins_with_pair, looks_like_header};
use crate::text::Span;
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

/// A token of TOML.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
    /// Whether it is a string without its closing quotes.
    pub unclosed: bool,
}

impl Token {
    /// Whether it is a string in three quotes without its closing ones.
    pub fn is_open_block(&self) -> bool {
        let kinds = [TokenKind::MlBasicString, TokenKind::MlLiteralString];
        self.unclosed && kinds.contains(&self.kind)
    }

    /// Whether it is a string of which there is nothing but three quotes.
    pub fn is_stray(&self) -> bool {
        self.unclosed && self.span.len() == 3
    }
}

/// How strings in three quotes are taken.
///
/// One that lacks its end goes on to the quotes that open the next such string, and the text of that is then
/// taken for statements. This shows by the line `key = """` at the end of a string; but a string may really end so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strings {
    /// Up to the next three quotes, as the rules say.
    AsWritten,
    /// Where a string ends in a line `key = """`, up to the first line in it that looks like a header, or up to
    /// that line.
    CutBeforeNext,
}

/// What [`lex`] found.
pub(super) struct Lexed {
    /// One after another; but for a byte order mark, they cover the text. `Eof` is the last.
    pub tokens: Vec<Token>,
    /// Whether a string ends in a line `key = """`.
    pub swallows: bool,
    /// Whether there is a carriage return without a line feed; only the first is told.
    pub lone_return: bool,
}

/// The tokens of `text`.
///
/// Reports what is wrong with the characters between values: a carriage return without a line feed (once), and
/// control characters in comments. `toml_parser` does the lexing; it is started again after each token that is
/// cut here. A string that is open to the end of its line or text holds no further quotes of its kind, so each
/// part of a text is lexed at most a few times.
pub(super) fn lex(text: &str, strings: Strings, errors: &mut Errors) -> Lexed {
    let mut lexer = Lexer {
        text,
        strings,
        depth: 0,
        last: TokenKind::Newline,
        at_line_start: true,
        carriage_return: false,
        swallows: false,
    };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let mut source = Source::new(text).lex();
    let mut base = 0;
    while let Some(token) = source.next() {
        let span = Span::new(base + token.span().start(), base + token.span().end());
        let token = lexer.token(token.kind(), span, errors);
        tokens.push(token);
        if token.span.end < span.end {
            base = token.span.end;
            source = Source::new(&text[base..]).lex();
        }
    }
    Lexed {
        tokens,
        swallows: lexer.swallows,
        lone_return: lexer.carriage_return,
    }
}

/// What is known of the text before a token.
struct Lexer<'s> {
    text: &'s str,
    strings: Strings,
    /// How many brackets are open, at a guess.
    depth: usize,
    /// The last token that is no blank, comment or line break.
    last: TokenKind,
    at_line_start: bool,
    /// Whether a lone carriage return was seen.
    carriage_return: bool,
    swallows: bool,
}

impl Lexer<'_> {
    /// The token at hand, or the first part of it. `span` is what `toml_parser` takes for the token.
    fn token(&mut self, kind: TokenKind, span: Span, errors: &mut Errors) -> Token {
        let source = span.of(self.text);
        let mut len = source.len();
        let mut unclosed = false;
        match kind {
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => self.depth += 1,
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                self.depth = self.depth.saturating_sub(1);
            }
            TokenKind::Newline if source == "\r" && !self.carriage_return => {
                self.carriage_return = true;
                errors.report(
                    span,
                    "a lone carriage return does not end a line in TOML; use a line feed",
                );
            }
            TokenKind::Comment => check_comment(self.text, span, errors),
            TokenKind::BasicString | TokenKind::LiteralString => {
                unclosed = !line_string_is_closed(source);
                if unclosed {
                    len = open_line_string_len(source, self.depth);
                }
            }
            TokenKind::MlBasicString | TokenKind::MlLiteralString => {
                if let Some(part) = self.block_string(source, span) {
                    unclosed = true;
                    len = part;
                }
            }
            TokenKind::Atom => len = atom_len(source),
            _ => {}
        }
        match kind {
            TokenKind::Newline => self.at_line_start = true,
            TokenKind::Whitespace | TokenKind::Comment => {}
            _ => {
                self.at_line_start = false;
                self.last = kind;
            }
        }
        Token {
            kind,
            span: Span::new(span.start, span.start + len),
            unclosed,
        }
    }

    /// How much of a string in three quotes is to be taken for it, if that is not all.
    fn block_string(&mut self, source: &str, span: Span) -> Option<usize> {
        if self.at_line_start && self.depth == 0 && self.last != TokenKind::Equals {
            // No value begins here. Either the key before these quotes is lost, or they are the end of a string
            // whose beginning is lost.
            if begins_with_statement(&source[3..]) {
                return Some(3);
            }
        }
        if span.end == self.text.len() && !block_string_is_closed(source) {
            return Some(open_block_string_len(source));
        }
        let len = len_before_next(source)?;
        self.swallows = true;
        (self.strings == Strings::CutBeforeNext).then_some(len)
    }
}

/// Whether a character may not stand in a comment or a string as it is.
pub(super) fn is_control(character: char) -> bool {
    character.is_ascii_control() && character != '\t'
}

fn check_comment(text: &str, span: Span, errors: &mut Errors) {
    if let Some((at, character)) = span.of(text).char_indices().find(|(_, c)| is_control(*c)) {
        let start = span.start + at;
        errors.report(
            Span::new(start, start + character.len_utf8()),
            format!(
                "the control character U+{:04X} cannot stand in a comment; remove it",
                u32::from(character)
            ),
        );
    }
}

/// Whether `token`, which begins with its quote, ends with one that closes it.
fn line_string_is_closed(token: &str) -> bool {
    let quote = &token[..1];
    let Some(content) = token[1..].strip_suffix(quote) else {
        return false;
    };
    let backslashes = content.len() - content.trim_end_matches('\\').len();
    quote == "'" || backslashes.is_multiple_of(2)
}

/// Whether `token`, which begins with three quotes, ends with three that close it.
fn block_string_is_closed(token: &str) -> bool {
    let (quotes, content) = token.split_at(3);
    if quotes == "'''" {
        return content.contains(quotes);
    }
    let bytes = content.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' if bytes[at..].starts_with(b"\"\"\"") => return true,
            _ => at += 1,
        }
    }
    false
}

/// How much of an open one-line string is taken as the string: up to the end of the line without blanks, and
/// within `depth` brackets without what closes them.
fn open_line_string_len(token: &str, mut depth: usize) -> usize {
    let line = token.split('\r').next().unwrap_or(token);
    let in_brackets = depth > 0;
    let end = line.trim_end_matches(|character| match character {
        ' ' | '\t' => true,
        ',' => in_brackets,
        ']' | '}' if depth > 0 => {
            depth -= 1;
            true
        }
        _ => false,
    });
    end.len().max(1)
}

/// Whether the first line of `text` that is not blank or a comment is a statement; also if there is none. What
/// stands on the first line, right after quotes, must be blank or a comment.
fn begins_with_statement(text: &str) -> bool {
    let mut lines = text.split('\n').map(str::trim);
    let is_empty = |line: &str| line.is_empty() || line.starts_with('#');
    if !lines.next().is_none_or(is_empty) {
        return false;
    }
    lines
        .find(|line| !is_empty(line))
        .is_none_or(|line| looks_like_header(line) || begins_with_pair(line))
}

/// How much of an open string in three quotes is taken as the string: up to the line that looks like a header,
/// without the blanks and line breaks before it.
fn open_block_string_len(token: &str) -> usize {
    let mut at = 0;
    for line in token.split_inclusive('\n') {
        if at > 0 && looks_like_header(line) {
            break;
        }
        at += line.len();
    }
    token[..at].trim_end().len()
}

/// How much of a string in three quotes stands before the next one's key, if its last line looks like that.
fn len_before_next(token: &str) -> Option<usize> {
    let content = &token[..token.len() - 3];
    let last_line = content.rfind('\n')? + 1;
    let line = content[last_line..].trim();
    (line.ends_with('=') && begins_with_pair(line))
        .then(|| open_block_string_len(&content[..last_line]))
}

/// The length of the part of an atom up to a colon before a quote, as in pasted JSON and YAML, where the rest has
/// to be lexed as a string.
///
/// The rest of a longer atom than a person writes is left alone: it would be lexed again for each such colon.
fn atom_len(atom: &str) -> usize {
    const LONGEST: usize = 256;
    if atom.len() > LONGEST {
        return atom.len();
    }
    let bytes = atom.as_bytes();
    let colon = bytes
        .windows(2)
        .position(|pair| pair == b":\"" || pair == b":'");
    colon.map_or(atom.len(), |colon| colon + 1)
}
