//! `key = value`, and dotted keys.

use super::lex::Token;
use super::parse::{DEPTH_LIMIT, Parser, too_deep};
use super::structure::{Opening, opening};
use super::{Key, KeyValue, Keys, Value, ValueKind, render, string};
use crate::text::{Span, Text};
use toml_parser::lexer::TokenKind;

impl Parser<'_> {
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
                if inline {
                    self.hush_line();
                }
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
                let name = render::string(self.slice(span));
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
            TokenKind::Atom => inline,
            // One of a header has no end.
            TokenKind::LeftSquareBracket => inline && self.ends[next] > 0,
            _ => false,
        };
        if is_value && opening(&self.tokens, self.text, next) != Opening::Pair {
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
    pub fn keys(&mut self) -> Keys {
        let mut keys = Keys::new();
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
                    name: Text::default(),
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
                let name = string::decode(self.text, token, &mut self.errors);
                Key {
                    name: name.unwrap_or_else(|| self.slice(token.span).into()),
                    span: token.span,
                }
            }
            TokenKind::BasicString | TokenKind::LiteralString => {
                self.advance();
                self.errors
                    .report(token.span, "this key has no closing quote");
                Key {
                    name: self.slice(token.span)[1..].into(),
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
                    name: self.slice(token.span).into(),
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
            let name = Text::new(atom);
            self.advance();
            return Key {
                name,
                span: token.span,
            };
        };
        if wrong > 0 && atom[wrong..].starts_with(':') {
            // `key: value`; the colon and what follows stay as a token of their own.
            let name = Text::new(&atom[..wrong]);
            let colon = token.span.start + wrong;
            self.tokens[self.at].span.start = colon;
            return Key {
                name,
                span: Span::new(token.span.start, colon),
            };
        }
        let name = Text::new(atom);
        self.advance();
        self.errors.report(
            token.span,
            format!(
                "a key without quotes holds only `A` to `Z`, `a` to `z`, digits, `-` and `_`; \
                 write {}",
                render::string(&name)
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
