//! Text to tokens, with strings that were left open ended where a person would end them.

use super::errors::Errors;
use super::structure::{looks_like_header, looks_like_pair};
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
}

/// The tokens of `text`.
///
/// Reports what is wrong with the characters between values: a carriage return without a line feed (once), and
/// control characters in comments. `toml_parser` does the lexing; it is started again after each token that is
/// cut here. A string that is open to the end of its line or text holds no further quotes of its kind, so each
/// part of a text is lexed at most a few times.
pub(super) fn lex(text: &str, strings: Strings, errors: &mut Errors) -> Lexed {
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let mut lexer = Source::new(text).lex();
    let mut base = 0;
    let mut depth = 0_usize;
    let mut seen_carriage_return = false;
    let mut swallows = false;
    while let Some(token) = lexer.next() {
        let whole = Span::new(base + token.span().start(), base + token.span().end());
        let kind = token.kind();
        let mut span = whole;
        let mut unclosed = false;
        match kind {
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => depth += 1,
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                depth = depth.saturating_sub(1);
            }
            TokenKind::Newline if whole.of(text) == "\r" && !seen_carriage_return => {
                seen_carriage_return = true;
                errors.report(
                    whole,
                    "a lone carriage return does not end a line in TOML; use a line feed",
                );
            }
            TokenKind::Comment => check_comment(text, whole, errors),
            TokenKind::BasicString | TokenKind::LiteralString => {
                unclosed = !line_string_is_closed(whole.of(text));
                if unclosed {
                    span.end = whole.start + open_line_string_len(whole.of(text), depth > 0);
                }
            }
            TokenKind::MlBasicString | TokenKind::MlLiteralString => {
                unclosed = whole.end == text.len() && !block_string_is_closed(whole.of(text));
                if unclosed {
                    span.end = whole.start + open_block_string_len(whole.of(text));
                } else if let Some(len) = len_before_next(whole.of(text)) {
                    swallows = true;
                    if strings == Strings::CutBeforeNext {
                        span.end = whole.start + len;
                        unclosed = true;
                    }
                }
            }
            TokenKind::Atom => span.end = whole.start + atom_len(whole.of(text)),
            _ => {}
        }
        tokens.push(Token {
            kind,
            span,
            unclosed,
        });
        if span.end < whole.end {
            base = span.end;
            lexer = Source::new(&text[base..]).lex();
        }
    }
    Lexed { tokens, swallows }
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
/// within brackets without what closes them.
fn open_line_string_len(token: &str, in_brackets: bool) -> usize {
    let line = token.split('\r').next().unwrap_or(token);
    let trimmed = if in_brackets {
        line.trim_end_matches([' ', '\t', ']', '}', ','])
    } else {
        line.trim_end_matches([' ', '\t'])
    };
    trimmed.len().max(1)
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
    looks_like_pair(&content[last_line..]).then(|| open_block_string_len(&content[..last_line]))
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
