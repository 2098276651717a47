//! Text to statements.

use super::errors::Errors;
use super::lex::{Lexed, Strings, Token, lex};
use super::structure::{Opening, bracket_ends, is_closed, opening};
use super::{Comment, Header, Key, KeyValue, Statement, SyntaxError, Tree, Value, ValueKind};
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
    let (tree, errors, swallows) = attempt(text, Strings::AsWritten);
    if !errors.is_empty() && swallows {
        let (other_tree, other_errors, _) = attempt(text, Strings::CutBeforeNext);
        if other_errors.len() <= errors.len() {
            return (other_tree, other_errors);
        }
    }
    (tree, errors)
}

/// The tree and errors of `text`, and whether a string in it seems to end with the quotes that open the next.
fn attempt(text: &str, strings: Strings) -> (Tree, Vec<SyntaxError>, bool) {
    let mut errors = Errors::default();
    let Lexed { tokens, swallows } = lex(text, strings, &mut errors);
    let comments = tokens
        .iter()
        .filter(|token| token.kind == TokenKind::Comment)
        .map(|token| Comment { span: token.span })
        .collect();
    let ends = bracket_ends(&tokens, text);
    let mut parser = Parser {
        text,
        tokens,
        ends,
        at: 0,
        errors,
        header_depth: 0,
        unclosed: 0,
        statements: Vec::new(),
    };
    parser.document();
    let tree = Tree {
        span: Span::new(0, text.len()),
        statements: parser.statements,
        comments,
    };
    (tree, parser.errors.into_sorted(), swallows)
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
    header_depth: usize,
    /// How many brackets were cut and may have their closing bracket further down.
    pub unclosed: usize,
    statements: Vec<Statement>,
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
                TokenKind::LeftSquareBracket => {
                    self.header();
                    self.end_of_statement(false);
                }
                TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                    self.stray_bracket();
                }
                TokenKind::LeftCurlyBracket | TokenKind::Comma => {
                    let span = self.token().span;
                    let message = match self.kind() {
                        TokenKind::Comma => "a comma cannot begin a line; remove it",
                        _ => "braces cannot begin a line; write a line `key = value` for each key",
                    };
                    self.errors.report(span, message);
                    self.skip_line();
                }
                _ => {
                    let told = self.errors.len();
                    if let Some(pair) = self.key_value(self.header_depth, false) {
                        self.statements.push(Statement::KeyValue(pair));
                    }
                    self.end_of_statement(self.errors.len() > told);
                }
            }
        }
    }

    fn stray_bracket(&mut self) {
        if self.unclosed > 0 {
            self.unclosed -= 1;
        } else {
            let span = self.token().span;
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

    fn header(&mut self) {
        let start = self.token().span.start;
        self.advance();
        let mut array = self.kind() == TokenKind::LeftSquareBracket;
        if array {
            self.advance();
        }
        let mut end = self.tokens[self.at - 1].span.end;
        self.skip_blanks();
        let told = self.errors.len();
        let keys = if self.begins_key() || self.kind() == TokenKind::Dot {
            self.keys()
        } else {
            Vec::new()
        };
        self.skip_blanks();
        let mut last = keys.last().map_or(end, |key| key.span.end);
        if self.kind() != TokenKind::RightSquareBracket && !self.ends_line() {
            last = self.junk_in_header(last, told);
        }
        end = end.max(last);
        let closers = self.close_header();
        let wanted = if array { 2 } else { 1 };
        if closers > 0 {
            end = self.tokens[self.at - 1].span.end;
        }
        let told = self.errors.len() > told;
        let span = Span::new(start, end);
        let deep = keys.len() > DEPTH_LIMIT;
        if told {
            // One error is enough for one header.
        } else if deep {
            self.errors.report(span, too_deep());
        } else if keys.is_empty() {
            self.errors
                .report(span, "a table name is missing between the brackets");
        } else if closers == 0 || closers < wanted {
            let message = match (array, closers) {
                (true, 0) => "this header has no closing `]]`",
                (true, _) => "one more `]` is missing; `[[name]]` has two on either side",
                _ => "this header has no closing `]`",
            };
            self.errors.report(span, message);
        } else if closers > wanted {
            let message = "one `]` too many, or write `[[name]]` for an item of an array of tables";
            let extra = Span::new(end - 1, end);
            self.errors.report(extra, message);
            array = true;
        }
        let keys = if deep { Vec::new() } else { keys };
        self.header_depth = keys.len();
        self.statements
            .push(Statement::Header(Header { span, array, keys }));
    }

    /// Steps over what stands between the name and the end of a header; returns where it ends.
    fn junk_in_header(&mut self, name_end: usize, told: usize) -> usize {
        let start = self.token().span.start;
        let mut end = name_end;
        while !self.ends_line() && self.kind() != TokenKind::RightSquareBracket {
            if self.kind() != TokenKind::Whitespace {
                end = self.token().span.end;
            }
            self.advance();
        }
        if self.errors.len() == told {
            self.errors.report(
                Span::new(start, end),
                "a table name is one word, or words with dots between; put others in quotes",
            );
        }
        end
    }

    /// Steps over the closing brackets of a header, up to three; returns how many there are.
    fn close_header(&mut self) -> usize {
        let mut closers = 0;
        while closers < 3 && self.kind() == TokenKind::RightSquareBracket {
            self.advance();
            closers += 1;
        }
        closers
    }

    /// `key = value`, or what there is of it. `depth` is that of the table it belongs to.
    pub fn key_value(&mut self, depth: usize, inline: bool) -> Option<KeyValue> {
        let told = self.errors.len();
        let keys = self.keys();
        let start = keys[0].span.start;
        let keys_end = keys[keys.len() - 1].span.end;
        let key_told = self.errors.len() > told;
        if depth + keys.len() > DEPTH_LIMIT {
            self.errors.report(Span::new(start, keys_end), too_deep());
            self.skip_value(inline);
            return None;
        }
        let keys_span = Span::new(start, keys_end);
        self.skip_blanks();
        let (equals, broken) = self.equals(keys_span, inline, key_told)?;
        self.skip_blanks();
        if equals.is_some() && self.ends_line() {
            self.value_on_another_line(inline);
        }
        let missing_at = equals.map_or(keys_end, |span| span.end);
        let value = if self.ends_line() || self.ends_item(inline) {
            if !broken {
                match equals {
                    Some(span) => self.errors.report(span, "a value is missing after `=`"),
                    None => self
                        .errors
                        .report(keys_span, "`=` and a value are missing after this key"),
                }
            }
            missing(missing_at)
        } else {
            if equals.is_none() && !broken {
                let gap = Span::new(keys_end, self.token().span.start);
                let gap = if gap.is_empty() {
                    self.token().span
                } else {
                    gap
                };
                self.errors
                    .report(gap, "`=` is missing between key and value");
            }
            // Whatever is wrong with the value may follow from what is wrong before it.
            let unsure = broken || equals.is_none();
            if unsure {
                self.errors.mute();
            }
            let value = self.value(depth + keys.len(), inline);
            if unsure {
                self.errors.unmute();
            }
            value
        };
        Some(KeyValue {
            span: Span::new(start, value.span.end.max(missing_at)),
            keys,
            equals,
            value,
        })
    }

    /// Whether what is at hand ends an item of an array or a table that was begun.
    fn ends_item(&self, inline: bool) -> bool {
        inline
            && matches!(
                self.kind(),
                TokenKind::Comma | TokenKind::RightCurlyBracket | TokenKind::RightSquareBracket
            )
    }

    /// Steps over the equals sign, or over what stands there instead. The second value tells that an error was
    /// reported for it. `None`: the key is not to be understood.
    fn equals(&mut self, keys: Span, inline: bool, told: bool) -> Option<(Option<Span>, bool)> {
        if self.kind() == TokenKind::Atom && self.slice(self.token().span).starts_with(':') {
            let atom = self.token().span;
            let colon = Span::new(atom.start, atom.start + 1);
            if !told {
                self.errors.report(colon, "`:` should be `=`");
            }
            if colon == atom {
                self.advance();
            } else {
                self.tokens[self.at].span.start = colon.end;
            }
            self.skip_blanks();
            if self.kind() == TokenKind::Equals {
                self.advance();
            }
            return Some((Some(colon), true));
        }
        let mut broken = told;
        if self.ends_line() {
            let next = self.next_line();
            if self.tokens[next].kind == TokenKind::Equals {
                if !broken {
                    let span = self.tokens[next].span;
                    self.errors
                        .report(span, "`=` belongs on the line of its key");
                }
                broken = true;
                self.at = next;
            }
        } else if self.kind() != TokenKind::Equals
            && !self.ends_item(inline)
            && let Some(end) = self.words_before_equals()
        {
            if !broken {
                let span = Span::new(keys.start, end);
                let name = super::render::string(self.slice(span));
                let message = format!("a key of several words needs quotes: {name}");
                self.errors.report(span, message);
            }
            self.skip_value(inline);
            return None;
        }
        if self.kind() != TokenKind::Equals {
            return Some((None, broken));
        }
        let equals = self.token().span;
        self.advance();
        self.skip_blanks();
        let second = self.token();
        if second.kind == TokenKind::Equals
            || (second.kind == TokenKind::Atom && self.slice(second.span).starts_with('>'))
        {
            if !broken {
                self.errors
                    .report(second.span, "one `=` is enough; remove this");
            }
            broken = true;
            self.advance();
        }
        Some((Some(equals), broken))
    }

    /// Steps to the value that belongs to the key at hand, if it stands on one of the next lines.
    fn value_on_another_line(&mut self, inline: bool) {
        let next = self.next_line();
        let token = self.tokens[next];
        let is_value = match token.kind {
            TokenKind::BasicString
            | TokenKind::LiteralString
            | TokenKind::MlBasicString
            | TokenKind::MlLiteralString
            | TokenKind::LeftCurlyBracket => true,
            TokenKind::Atom | TokenKind::LeftSquareBracket => inline,
            _ => false,
        };
        if is_value && opening(&self.tokens, self.text, next) == Opening::Other {
            self.errors
                .report(token.span, "the value belongs on the line of its `=`");
            self.at = next;
        }
    }

    /// The next token that is on a later line and no blank, comment or line break.
    fn next_line(&self) -> usize {
        let mut next = self.at;
        while matches!(
            self.tokens[next].kind,
            TokenKind::Whitespace | TokenKind::Newline | TokenKind::Comment
        ) {
            next += 1;
        }
        next
    }

    /// Steps to the equals sign if only words stand before it; returns where they end.
    fn words_before_equals(&mut self) -> Option<usize> {
        let mut at = self.at;
        let mut end = None;
        loop {
            let token = self.tokens[at];
            match token.kind {
                TokenKind::Equals => break,
                TokenKind::Atom | TokenKind::Dot => end = Some(token.span.end),
                TokenKind::Whitespace => {}
                _ => return None,
            }
            at += 1;
        }
        self.at = at;
        end
    }

    /// Steps over the rest of an item whose key was too deep.
    fn skip_value(&mut self, inline: bool) {
        while !self.ends_line() && !self.ends_item(inline) {
            self.step();
        }
    }

    pub fn begins_key(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Atom
                | TokenKind::BasicString
                | TokenKind::LiteralString
                | TokenKind::MlBasicString
                | TokenKind::MlLiteralString
        )
    }

    /// A dotted key; at least one part. A part that was not written is an empty name with an empty span.
    pub fn keys(&mut self) -> Vec<Key> {
        let mut keys = Vec::new();
        let mut told = false;
        let mut last_dot: Option<Span> = None;
        loop {
            self.skip_blanks();
            if self.begins_key() {
                let key = self.key();
                keys.push(key);
            } else {
                let here = self.token().span;
                let (at, span, message) = match last_dot {
                    Some(dot) => (dot.end, dot, "a name is missing after this dot"),
                    None => (here.start, here, "a key is missing before this"),
                };
                if !told {
                    self.errors.report(span, message);
                    told = true;
                }
                keys.push(Key {
                    name: String::new(),
                    span: Span::empty(at),
                });
            }
            let mark = self.at;
            self.skip_blanks();
            if self.kind() != TokenKind::Dot {
                self.at = mark;
                return keys;
            }
            last_dot = Some(self.token().span);
            self.advance();
        }
    }

    /// One part of a key, at a token that can be one.
    fn key(&mut self) -> Key {
        let token = self.token();
        match token.kind {
            TokenKind::Atom => self.bare_key(token),
            TokenKind::BasicString | TokenKind::LiteralString if !token.unclosed => {
                self.advance();
                let name = super::string::decode(self.text, token, &mut self.errors);
                Key {
                    name: name.unwrap_or_else(|| self.slice(token.span).to_owned()),
                    span: token.span,
                }
            }
            TokenKind::BasicString | TokenKind::LiteralString => {
                self.advance();
                self.errors
                    .report(token.span, "this key has no closing quote");
                Key {
                    name: self.slice(token.span)[1..].to_owned(),
                    span: token.span,
                }
            }
            _ => {
                self.advance();
                self.errors.report(
                    token.span,
                    "a key cannot be a string in three quotes; use one quote",
                );
                Key {
                    name: self.slice(token.span).to_owned(),
                    span: token.span,
                }
            }
        }
    }

    fn bare_key(&mut self, token: Token) -> Key {
        let atom = self.slice(token.span);
        let is_bare =
            |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
        let Some(wrong) = atom.find(|character| !is_bare(character)) else {
            let name = atom.to_owned();
            self.advance();
            return Key {
                name,
                span: token.span,
            };
        };
        if wrong > 0 && atom[wrong..].starts_with(':') {
            // `key: value`; the colon and what follows stay as a token of their own.
            let name = atom[..wrong].to_owned();
            let colon = token.span.start + wrong;
            self.tokens[self.at].span.start = colon;
            return Key {
                name,
                span: Span::new(token.span.start, colon),
            };
        }
        let name = atom.to_owned();
        self.advance();
        self.errors.report(
            token.span,
            format!(
                "a key without quotes holds only `A` to `Z`, `a` to `z`, digits, `-` and `_`; \
                 write {}",
                super::render::string(&name)
            ),
        );
        Key {
            name,
            span: token.span,
        }
    }
}

pub(super) fn missing(at: usize) -> Value {
    Value {
        span: Span::empty(at),
        kind: ValueKind::Missing,
    }
}

pub(super) fn too_deep() -> String {
    format!("this nests more than {DEPTH_LIMIT} levels deep")
}
