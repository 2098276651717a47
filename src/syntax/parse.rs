//! Text to statements.

use super::errors::{Errors, MOST};
use super::lex::{Lexed, Strings, Token, lex};
use super::reparse::Faults;
use super::structure::{Opening, bracket_ends, is_closed, opening};
use super::{Comment, Statement, SyntaxError, Tree, ValueKind};
use crate::text::Span;
use toml_parser::lexer::TokenKind;

/// How deep headers, dotted keys and brackets may nest, all counted together.
///
/// TOML has no limit. This one keeps whatever walks a tree from running out of stack.
pub const DEPTH_LIMIT: usize = 160;

/// The statements of `text` and everything in it that is not TOML 1.1. Never panics, never gives up; its time and
/// memory are proportional to the length of `text`, however broken it is.
///
/// A mistake is told once, at the smallest place that is wrong; what only follows from it is not told. The errors
/// are in order of the text. What was understood of a broken statement is in the tree, with [`ValueKind::Missing`]
/// or [`ValueKind::Bad`] for its value.
pub fn parse(text: &str) -> (Tree, Vec<SyntaxError>) {
    let written = attempt(text, Strings::AsWritten, Around::default());
    if !written.errors.is_empty() && written.swallows {
        let cut = attempt(text, Strings::CutBeforeNext, Around::default());
        if cut.errors.len() <= written.errors.len() {
            return (cut.tree, cut.errors);
        }
    }
    (written.tree, written.errors)
}

/// What one way to take the strings of a text finds in it.
pub(super) struct Attempt {
    pub tree: Tree,
    pub errors: Vec<SyntaxError>,
    /// Whether a string seems to end with the quotes that open the next.
    pub swallows: bool,
}

/// What stands around a text, if that is a part of another.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    /// How many tables deep the header above it leads.
    pub depth: usize,
    /// Whether the line after it is a header that can be nothing else.
    pub header_follows: bool,
}

/// What `text` says.
pub(super) fn attempt(text: &str, strings: Strings, around: Around) -> Attempt {
    let mut errors = Errors::default();
    let Lexed {
        tokens,
        swallows,
        lone_return,
    } = lex(text, strings, &mut errors);
    let comments = tokens
        .iter()
        .filter(|token| token.kind == TokenKind::Comment)
        .map(|token| Comment { span: token.span })
        .collect();
    let ends = bracket_ends(&tokens, text, around.header_follows);
    let open_block = tokens.iter().any(Token::is_open_block);
    let mut parser = Parser {
        text,
        tokens,
        ends,
        at: 0,
        errors,
        header_depth: around.depth,
        unclosed: 0,
        pardoned: None,
        in_error: false,
        statements: Vec::new(),
    };
    parser.document();
    let errors = parser.errors.into_sorted();
    let places = errors.iter().map(SyntaxError::place).chain(parser.pardoned);
    let all_told = !lone_return && errors.len() < MOST;
    let faults = match places.reduce(Span::cover) {
        _ if open_block || !all_told || swallows => Faults::Anywhere,
        None => Faults::None,
        Some(place) => Faults::Within(place),
    };
    Attempt {
        tree: Tree {
            span: Span::new(0, text.len()),
            statements: parser.statements,
            comments,
            faults,
        },
        errors,
        swallows,
    }
}

pub(super) struct Parser<'s> {
    pub text: &'s str,
    /// All tokens, `Eof` last.
    pub tokens: Vec<Token>,
    /// Where brackets end; see [`bracket_ends`].
    pub ends: Vec<usize>,
    /// The token at hand; never past `Eof`.
    pub at: usize,
    pub errors: Errors,
    /// How deep the last header leads.
    pub header_depth: usize,
    /// How many brackets were cut and may have their closing bracket further down.
    pub unclosed: usize,
    /// Where something was not told because of them.
    pardoned: Option<Span>,
    /// Whether the statement before has an error.
    in_error: bool,
    pub statements: Vec<Statement>,
}

impl Parser<'_> {
    pub fn token(&self) -> Token {
        self.tokens[self.at]
    }

    pub fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    pub fn slice(&self, span: Span) -> &str {
        span.of(self.text)
    }

    /// Steps over the token at hand, or over all of the brackets that it opens.
    pub fn step(&mut self) {
        let past = match self.ends[self.at] {
            0 => self.at + 1,
            end => end + usize::from(is_closed(&self.tokens, self.at, end)),
        };
        self.at = past.min(self.tokens.len() - 1);
    }

    pub fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub fn skip_blanks(&mut self) {
        while self.kind() == TokenKind::Whitespace {
            self.advance();
        }
    }

    /// Holds back errors on the rest of this line: its quotes or brackets are no longer those that were meant.
    pub fn hush_line(&mut self) {
        if self.errors.is_hushed(self.token().span.start) {
            return;
        }
        let rest = self.tokens[self.at..].iter();
        let mut ends =
            rest.filter(|token| matches!(token.kind, TokenKind::Newline | TokenKind::Eof));
        if let Some(end) = ends.next() {
            self.errors.hush_to(end.span.start);
        }
    }

    pub fn ends_line(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Newline | TokenKind::Comment | TokenKind::Eof
        )
    }

    fn document(&mut self) {
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::Whitespace | TokenKind::Newline | TokenKind::Comment => self.advance(),
                _ => self.statement(),
            }
        }
    }

    /// Whatever begins here, up to the end of its line.
    ///
    /// A line that has nothing of a statement, after one with an error, belongs to what that one lost: the rest of a
    /// text without its first quotes, the items of an array without its first bracket. It is passed over.
    fn statement(&mut self) {
        let start = self.token().span.start;
        let (errors, statements) = (self.errors.len(), self.statements.len());
        let header_depth = self.header_depth;
        let may_be_lost = self.in_error || self.unclosed > 0;
        let lost = match self.kind() {
            TokenKind::LeftSquareBracket if self.in_error && self.is_list() => {
                self.skip_line();
                self.pardon(start);
                return;
            }
            TokenKind::LeftSquareBracket => {
                let told = self.header();
                self.skip_blanks();
                let more = !self.ends_line()
                    && opening(&self.tokens, self.text, self.at) == Opening::Other;
                self.end_of_statement(told);
                more && !told
            }
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                self.stray_bracket();
                true
            }
            TokenKind::LeftCurlyBracket => {
                let message = "braces cannot begin a line; write a line `key = value` for each key";
                self.stray(message.to_owned());
                true
            }
            TokenKind::Comma => {
                self.stray("a comma cannot begin a line; remove it".to_owned());
                true
            }
            TokenKind::MlBasicString | TokenKind::MlLiteralString if self.token().is_stray() => {
                let quotes = self.slice(self.token().span).to_owned();
                self.stray(format!(
                    "this `{quotes}` stands alone; where the string with it begins or ends, they are missing"
                ));
                true
            }
            _ => self.pair(),
        };
        if lost && may_be_lost {
            self.pardon(start);
            self.errors.truncate(errors);
            self.statements.truncate(statements);
            self.header_depth = header_depth;
        } else {
            self.in_error = self.errors.len() > errors;
        }
    }

    /// `key = value`; whether nothing on the line says that it is meant to be that.
    fn pair(&mut self) -> bool {
        let told = self.errors.len();
        let start = self.token().span.start;
        let pair = self.key_value(self.header_depth, false);
        self.skip_blanks();
        let whole = self.ends_line();
        self.end_of_statement(self.errors.len() > told);
        let Some(pair) = pair else {
            return false;
        };
        let is_pair = pair.equals.is_some() || (whole && pair.value.kind != ValueKind::Bad);
        let is_word = !pair.value.span.of(self.text).contains([' ', '\t']);
        if is_pair || (whole && is_word) {
            self.statements.push(Statement::KeyValue(pair));
        } else {
            self.errors.truncate(told);
            let line = Span::new(start, self.line_end());
            let message = "this is neither `key = value` nor a header; text needs quotes, a comment needs `#`";
            self.errors.report(line, message);
        }
        !is_pair
    }

    /// Notes that what stands from `start` up to the token at hand is wrong, or was passed over, and is not told.
    fn pardon(&mut self, start: usize) {
        let place = Span::new(start, self.token().span.start);
        self.pardoned = Some(self.pardoned.map_or(place, |others| others.cover(place)));
    }

    /// Where the last token before the one at hand ends, blanks left out.
    fn line_end(&self) -> usize {
        let before = self.tokens[..self.at].iter();
        let last = before
            .rev()
            .find(|token| token.kind != TokenKind::Whitespace);
        last.map_or(0, |token| token.span.end)
    }

    /// Whether the line at hand has a comma, as a header never does.
    fn is_list(&self) -> bool {
        let rest = self.tokens[self.at..].iter();
        rest.take_while(|token| !matches!(token.kind, TokenKind::Newline | TokenKind::Eof))
            .any(|token| token.kind == TokenKind::Comma)
    }

    /// Steps over a line that begins with what cannot begin one.
    fn stray(&mut self, message: String) {
        self.errors.report(self.token().span, message);
        self.skip_line();
    }

    fn stray_bracket(&mut self) {
        let span = self.token().span;
        if self.unclosed > 0 {
            self.unclosed -= 1;
            self.pardon(span.start);
        } else {
            let (this, other) = match self.kind() {
                TokenKind::RightCurlyBracket => ("}", "{"),
                _ => ("]", "["),
            };
            self.errors.report(
                span,
                format!("nothing opens this `{this}`; remove it, or put `{other}` before"),
            );
        }
        self.advance();
        self.skip_blanks();
        if self.kind() == TokenKind::Comma {
            self.advance();
        }
        self.skip_blanks();
        if !matches!(
            self.kind(),
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket
        ) {
            self.skip_line();
        }
    }

    /// To the end of the line, or of the line that a bracket opened on it ends on.
    fn skip_line(&mut self) {
        while !self.ends_line() {
            self.step();
        }
    }

    /// What may follow a statement on its line: nothing. `told`: the statement had an error already.
    fn end_of_statement(&mut self, told: bool) {
        self.skip_blanks();
        if self.ends_line() {
            return;
        }
        if !told && opening(&self.tokens, self.text, self.at) != Opening::Other {
            let span = self.token().span;
            self.errors
                .report(span, "start a new line here; a line holds one statement");
            return;
        }
        let first = self.token();
        if first.kind == TokenKind::Comma && !told && self.pair_after_comma() {
            self.errors
                .report(first.span, "start a new line instead of this comma");
            self.advance();
            return;
        }
        let start = first.span.start;
        let mut end = start;
        while !self.ends_line() {
            if self.kind() != TokenKind::Whitespace {
                end = self.token().span.end;
            }
            let before = self.at;
            self.step();
            if self.at > before + 1 {
                end = self.tokens[self.at - 1].span.end;
            }
        }
        if told {
            return;
        }
        let span = Span::new(start, end);
        let message = match first.kind {
            TokenKind::Comma | TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket
                if self.unclosed > 0 =>
            {
                self.unclosed -= usize::from(first.kind != TokenKind::Comma);
                self.pardon(start);
                return;
            }
            TokenKind::Comma if span.len() == 1 => {
                "remove this comma; a line ends without one".to_owned()
            }
            TokenKind::Comma => self.after_comma(span),
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                let closer = &self.text[start..start + 1];
                format!("nothing opens this `{closer}`; remove it")
            }
            TokenKind::Atom if self.slice(span).starts_with("//") => {
                "a comment begins with `#`".to_owned()
            }
            TokenKind::Atom if self.slice(span).starts_with(';') => {
                "a value ends without a semicolon; remove it".to_owned()
            }
            _ => "nothing but a comment can follow on this line".to_owned(),
        };
        self.errors.report(span, message);
    }

    /// Whether the comma at hand is followed by another `key =`.
    fn pair_after_comma(&self) -> bool {
        let next = self.at + 1;
        let blank = usize::from(self.tokens[next].kind == TokenKind::Whitespace);
        opening(&self.tokens, self.text, next + blank) == Opening::Pair
    }

    /// What to say of a comma and more after a value.
    fn after_comma(&self, span: Span) -> String {
        let groups = |text: &str| {
            text.strip_prefix(',').is_some_and(|digits| {
                digits.split(',').all(|group| {
                    group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit())
                })
            })
        };
        let after_digit = self.text[..span.start].ends_with(|c: char| c.is_ascii_digit());
        if after_digit && groups(self.slice(span)) {
            return "digits are grouped with `_`, as in `1_000`".to_owned();
        }
        "only one value can stand here; several need brackets: `[a, b]`".to_owned()
    }
}

pub(super) fn too_deep() -> String {
    format!("this nests more than {DEPTH_LIMIT} levels deep")
}
