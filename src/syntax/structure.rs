//! Which tokens belong together: where each bracket ends, also when nothing closes it.
//!
//! A value ends at a line break outside of brackets. Within brackets a line break means nothing, so a bracket
//! that was left open would swallow the rest of the text. It is cut before a line that can only begin a
//! statement; and before a line that may begin one, if nothing closes the bracket and the line is not indented
//! more than the statement that holds it.

use super::lex::Token;
use crate::text::Span;
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

/// What a line begins with, as far as its tokens tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// A whole `[name]` or `[[name]]` alone on its line.
    Header {
        /// Whether it cannot be an array of values as well, as `["a"]` and `[1]` can.
        certain: bool,
    },
    /// `name =`, the name perhaps dotted.
    Pair,
    /// Anything else.
    Other,
}

/// What stands at token `at`, up to the end of its line at most.
pub(super) fn opening(tokens: &[Token], text: &str, at: usize) -> Opening {
    let mut cursor = Cursor { tokens, at };
    if !cursor.take(TokenKind::LeftSquareBracket) {
        let is_pair = cursor.key(text).is_some() && cursor.take(TokenKind::Equals);
        return if is_pair {
            Opening::Pair
        } else {
            Opening::Other
        };
    }
    let double = cursor.take(TokenKind::LeftSquareBracket);
    let Some(certain) = cursor.key(text) else {
        return Opening::Other;
    };
    let closed = cursor.take(TokenKind::RightSquareBracket)
        && (!double || cursor.take(TokenKind::RightSquareBracket));
    cursor.blanks();
    let ends = matches!(
        cursor.kind(),
        TokenKind::Newline | TokenKind::Comment | TokenKind::Eof
    );
    if closed && ends {
        Opening::Header { certain }
    } else {
        Opening::Other
    }
}

/// Whether `line` is a header; for text that was not lexed as such.
pub(super) fn looks_like_header(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t']);
    line.starts_with('[') && matches!(opening(&tokens_of(line), line, 0), Opening::Header { .. })
}

/// Whether `line` is a header that can be nothing else, and so ends every bracket that was left open before it.
pub(super) fn is_certain_header(line: &str) -> bool {
    let opening = opening(&tokens_of(line), line, 0);
    opening == Opening::Header { certain: true }
}

/// Whether `line` begins with `key =`; for text that was not lexed as such.
pub(super) fn begins_with_pair(line: &str) -> bool {
    line.contains('=') && opening(&tokens_of(line), line, 0) == Opening::Pair
}

fn tokens_of(line: &str) -> Vec<Token> {
    let tokens = Source::new(line).lex();
    tokens
        .map(|token| Token {
            kind: token.kind(),
            span: Span::new(token.span().start(), token.span().end()),
            unclosed: false,
        })
        .collect()
}

struct Cursor<'t> {
    tokens: &'t [Token],
    at: usize,
}

impl Cursor<'_> {
    fn kind(&self) -> TokenKind {
        self.tokens
            .get(self.at)
            .map_or(TokenKind::Eof, |token| token.kind)
    }

    fn take(&mut self, kind: TokenKind) -> bool {
        let there = self.kind() == kind;
        if there {
            self.at += 1;
        }
        there
    }

    fn blanks(&mut self) {
        while self.take(TokenKind::Whitespace) {}
    }

    /// Steps over a dotted key and the blanks around it; whether it cannot be a value as well.
    fn key(&mut self, text: &str) -> Option<bool> {
        let mut certain = false;
        loop {
            self.blanks();
            let token = self.tokens.get(self.at)?;
            match token.kind {
                TokenKind::Atom => certain |= !could_be_value(token.span.of(text)),
                TokenKind::BasicString | TokenKind::LiteralString if !token.unclosed => {}
                _ => return None,
            }
            self.at += 1;
            self.blanks();
            if !self.take(TokenKind::Dot) {
                return Some(certain);
            }
        }
    }
}

fn could_be_value(atom: &str) -> bool {
    atom.starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '-')
        || matches!(atom, "true" | "false" | "inf" | "nan")
}

/// For each opening bracket of a value its end: the index of the token that closes it, or of the first token
/// that does not belong to it any more. Zero for every other token.
///
/// `header_follows`: the tokens are those of whole lines, and after them comes a header that can be nothing else.
pub(super) fn bracket_ends(tokens: &[Token], text: &str, header_follows: bool) -> Vec<usize> {
    let (likely, all_closed) = Pass::new(tokens, text, None).run(header_follows);
    if all_closed {
        return likely;
    }
    Pass::new(tokens, text, Some(&likely)).run(header_follows).0
}

/// One walk over all tokens. The first decides without knowing what is closed further down, the second, where
/// something is not, with the ends that the first found.
struct Pass<'t> {
    tokens: &'t [Token],
    text: &'t str,
    likely: Option<&'t [usize]>,
    ends: Vec<usize>,
    open: Vec<usize>,
    /// How many of the open ones are curly.
    curly: usize,
    /// Indentation of the statement at hand.
    indent: usize,
    all_closed: bool,
}

impl<'t> Pass<'t> {
    fn new(tokens: &'t [Token], text: &'t str, likely: Option<&'t [usize]>) -> Self {
        Self {
            tokens,
            text,
            likely,
            ends: vec![0; tokens.len()],
            open: Vec::new(),
            curly: 0,
            indent: 0,
            all_closed: true,
        }
    }

    fn run(mut self, header_follows: bool) -> (Vec<usize>, bool) {
        let mut line = 0;
        let mut at_line_start = true;
        let mut at = 0;
        while at < self.tokens.len() {
            let token = self.tokens[at];
            if at_line_start && token.kind != TokenKind::Whitespace {
                at_line_start = false;
                at = self.line_start(at, line);
                continue;
            }
            match token.kind {
                TokenKind::LeftSquareBracket => self.open.push(at),
                TokenKind::LeftCurlyBracket => {
                    self.open.push(at);
                    self.curly += 1;
                }
                TokenKind::RightSquareBracket if self.open.len() > self.curly => {
                    self.close(TokenKind::LeftSquareBracket, at);
                }
                TokenKind::RightCurlyBracket if self.curly > 0 => {
                    self.close(TokenKind::LeftCurlyBracket, at);
                }
                TokenKind::Newline => {
                    line = at;
                    at_line_start = true;
                }
                TokenKind::Eof => self.cut(if header_follows { line } else { at }),
                _ => {}
            }
            at += 1;
        }
        (self.ends, self.all_closed)
    }

    /// At the first token of a line, whose line break before it is token `line`: cuts what has to be cut, and
    /// returns where to go on.
    fn line_start(&mut self, at: usize, line: usize) -> usize {
        let indent = match at.checked_sub(1).map(|before| self.tokens[before]) {
            Some(blank) if blank.kind == TokenKind::Whitespace => blank.span.len(),
            _ => 0,
        };
        if !self.open.is_empty() {
            match opening(self.tokens, self.text, at) {
                Opening::Header { certain: true } => self.cut(line),
                Opening::Header { certain: false } if self.may_cut(self.open[0], indent) => {
                    self.cut(line);
                }
                Opening::Pair => {
                    while let Some(&innermost) = self.open.last() {
                        let table = self.tokens[innermost].kind == TokenKind::LeftCurlyBracket;
                        if table && !self.may_cut(innermost, indent) {
                            break;
                        }
                        self.pop(line);
                    }
                }
                _ => {}
            }
        }
        if !self.open.is_empty() {
            return at;
        }
        self.indent = indent;
        // The brackets of a header are no brackets of a value.
        let mut next = at;
        for _ in 0..2 {
            if self.tokens[next].kind == TokenKind::LeftSquareBracket {
                next += 1;
            }
        }
        next
    }

    /// Whether a line with `indent` that may begin a statement ends `bracket`.
    fn may_cut(&self, bracket: usize, indent: usize) -> bool {
        let Some(likely) = self.likely else {
            return false;
        };
        !is_closed(self.tokens, bracket, likely[bracket]) && indent <= self.indent
    }

    fn close(&mut self, opener: TokenKind, at: usize) {
        while let Some(innermost) = self.pop(at) {
            if self.tokens[innermost].kind == opener {
                break;
            }
        }
    }

    fn cut(&mut self, at: usize) {
        while self.pop(at).is_some() {}
    }

    fn pop(&mut self, end: usize) -> Option<usize> {
        let bracket = self.open.pop()?;
        if self.tokens[bracket].kind == TokenKind::LeftCurlyBracket {
            self.curly -= 1;
        }
        self.ends[bracket] = end;
        self.all_closed &= is_closed(self.tokens, bracket, end);
        Some(bracket)
    }
}

/// Whether the token at `end` closes `bracket`.
pub(super) fn is_closed(tokens: &[Token], bracket: usize, end: usize) -> bool {
    let closer = match tokens[bracket].kind {
        TokenKind::LeftSquareBracket => TokenKind::RightSquareBracket,
        _ => TokenKind::RightCurlyBracket,
    };
    tokens[end].kind == closer
}
