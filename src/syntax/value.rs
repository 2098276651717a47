//! Values: strings, words, arrays and inline tables.

use super::pair::missing;
use super::parse::{DEPTH_LIMIT, Parser, too_deep};
use super::scalar::{Fault, is_dated, scalar, word_message};
use super::structure::{Opening, is_closed, opening};
use super::{Array, InlineTable, Value, ValueKind, string};
use crate::text::Span;
use toml_parser::lexer::TokenKind;

impl Parser<'_> {
    /// The value at hand; `inline` within brackets. `depth` is how deep it lies.
    pub fn value(&mut self, depth: usize, inline: bool) -> Value {
        let token = self.token();
        match token.kind {
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => self.bracketed(depth),
            TokenKind::Atom | TokenKind::Dot => self.word(inline),
            TokenKind::BasicString
            | TokenKind::LiteralString
            | TokenKind::MlBasicString
            | TokenKind::MlLiteralString => {
                self.advance();
                let kind = if token.unclosed {
                    let quotes = match token.kind {
                        TokenKind::MlBasicString | TokenKind::MlLiteralString => 3,
                        _ => 1,
                    };
                    let (span, message) = if quotes == 3 {
                        let quotes = Span::new(token.span.start, token.span.start + 3);
                        let message =
                            format!("this string has no closing `{}`", self.slice(quotes));
                        (quotes, message)
                    } else {
                        (token.span, "this string has no closing quote".to_owned())
                    };
                    self.errors.report(span, message);
                    self.hush_line();
                    ValueKind::Bad
                } else {
                    string::decode(self.text, token, &mut self.errors)
                        .map_or(ValueKind::Bad, ValueKind::String)
                };
                self.quote_trouble(kind, token.span)
            }
            _ => {
                // A comma, an equals sign or a closing bracket.
                let text = self.slice(token.span).to_owned();
                self.errors.report(
                    token.span,
                    format!("a value is missing before this `{text}`"),
                );
                missing(token.span.start)
            }
        }
    }

    /// The string value that ends here; if more text touches it, a quote within it ended it.
    fn quote_trouble(&mut self, kind: ValueKind, span: Span) -> Value {
        let next = self.token();
        let touches = next.span.start == span.end
            && match next.kind {
                TokenKind::BasicString | TokenKind::LiteralString => true,
                TokenKind::Atom => !self.slice(next.span).starts_with([';', '/']),
                _ => false,
            };
        if !touches || kind == ValueKind::Bad {
            return Value { span, kind };
        }
        let mut end = span.end;
        while !self.ends_line()
            && !matches!(
                self.kind(),
                TokenKind::Comma | TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket
            )
        {
            if self.kind() != TokenKind::Whitespace {
                end = self.token().span.end;
            }
            self.advance();
        }
        let message = if self.slice(span).starts_with('"') {
            "the string ended before this: a quote is missing, or one inside it needs a backslash: `\\\"`"
        } else {
            "the string ended before this: a quote is missing, or a string with `'` in it needs double quotes"
        };
        self.errors.report(Span::new(span.end, end), message);
        self.hush_line();
        Value {
            span: Span::new(span.start, end),
            kind: ValueKind::Bad,
        }
    }

    fn word(&mut self, inline: bool) -> Value {
        let start = self.token().span.start;
        let mut end = self.word_end();
        let next = self.tokens[(self.at + 1).min(self.tokens.len() - 1)];
        let one_space = self.kind() == TokenKind::Whitespace && self.token().span.len() == 1;
        if one_space
            && next.kind == TokenKind::Atom
            && is_dated(self.slice(next.span))
            && is_dated(self.slice(Span::new(start, end)))
        {
            self.advance();
            end = self.word_end();
        }
        let word = self.slice(Span::new(start, end));
        if let Some(stripped) = word.strip_suffix(';')
            && let Ok(kind) = scalar(stripped)
        {
            let span = Span::new(start, end - 1);
            self.errors.report(
                Span::new(span.end, end),
                "a value ends without a semicolon; remove it",
            );
            return Value { span, kind };
        }
        let kind = match scalar(word) {
            Ok(kind) if inline || !self.continues_word() => kind,
            Err(Fault::Malformed(message)) => {
                self.errors.report(Span::new(start, end), message);
                ValueKind::Bad
            }
            Ok(_) | Err(Fault::Word) => {
                end = self.words_end(end, inline);
                let span = Span::new(start, end);
                if !self.errors.is_muted() {
                    let message = word_message(self.slice(span));
                    self.errors.report(span, message);
                }
                ValueKind::Bad
            }
        };
        Value {
            span: Span::new(start, end),
            kind,
        }
    }

    /// Whether a word follows that makes a string out of the one before it.
    fn continues_word(&self) -> bool {
        let blank = usize::from(self.kind() == TokenKind::Whitespace);
        let next = self.tokens[self.at + blank];
        next.kind == TokenKind::Atom
            && !self.slice(next.span).starts_with("//")
            && opening(&self.tokens, self.text, self.at + blank) == Opening::Other
    }

    /// Steps over tokens of one word; returns where it ends.
    fn word_end(&mut self) -> usize {
        let mut end = self.token().span.end;
        while matches!(self.kind(), TokenKind::Atom | TokenKind::Dot) {
            end = self.token().span.end;
            self.advance();
        }
        end
    }

    /// Steps over all words that follow on the line, as long as they belong to one value.
    fn words_end(&mut self, mut end: usize, inline: bool) -> usize {
        loop {
            let mark = self.at;
            self.skip_blanks();
            let after_dot = self.tokens[mark - 1].kind == TokenKind::Dot;
            let starts_pair =
                inline && !after_dot && opening(&self.tokens, self.text, self.at) == Opening::Pair;
            if starts_pair || !matches!(self.kind(), TokenKind::Atom | TokenKind::Dot) {
                self.at = mark;
                return end;
            }
            end = self.word_end();
        }
    }

    fn bracketed(&mut self, depth: usize) -> Value {
        let open = self.at;
        let opener = self.token();
        let end = self.ends[open];
        let closed = is_closed(&self.tokens, open, end);
        let array = opener.kind == TokenKind::LeftSquareBracket;
        if !closed {
            let (this, other) = if array { ("[", "]") } else { ("{", "}") };
            self.errors.report(
                opener.span,
                format!("this `{this}` has no closing `{other}`"),
            );
            if self.tokens[end].kind != TokenKind::Eof {
                self.unclosed += 1;
            }
            // What is wrong inside may follow from that.
            self.errors.mute();
        }
        let kind = if depth >= DEPTH_LIMIT {
            self.errors.report(opener.span, too_deep());
            ValueKind::Bad
        } else {
            self.advance();
            if array {
                let items = self.items(end, depth + 1);
                ValueKind::Array(Array { items, closed })
            } else {
                let entries = self.entries(end, depth + 1);
                ValueKind::InlineTable(InlineTable { entries, closed })
            }
        };
        self.at = end;
        let mut last = end;
        if closed {
            self.advance();
        } else {
            self.errors.unmute();
            last -= 1;
            while matches!(
                self.tokens[last].kind,
                TokenKind::Newline | TokenKind::Whitespace | TokenKind::Comment
            ) {
                last -= 1;
            }
        }
        Value {
            span: Span::new(opener.span.start, self.tokens[last].span.end),
            kind,
        }
    }

    /// The items of an array that ends at token `end`.
    fn items(&mut self, end: usize, depth: usize) -> Vec<Value> {
        let mut items: Vec<Value> = Vec::new();
        let mut needs_comma = false;
        while self.at < end {
            let token = self.token();
            if self.step_over_gap(&mut needs_comma, "a value is missing before this comma") {
                continue;
            }
            match token.kind {
                TokenKind::RightSquareBracket
                | TokenKind::RightCurlyBracket
                | TokenKind::Equals => {
                    let text = self.slice(token.span).to_owned();
                    self.errors
                        .report(token.span, format!("`{text}` cannot stand here; remove it"));
                    self.hush_line();
                    self.advance();
                }
                _ if opening(&self.tokens, self.text, self.at) == Opening::Pair => {
                    let start = token.span.start;
                    while self.kind() != TokenKind::Equals {
                        self.advance();
                    }
                    let span = Span::new(start, self.token().span.end);
                    self.errors.report(
                        span,
                        "an array holds values without keys; a table is written `{ key = value }`",
                    );
                    self.skip_item(end);
                    needs_comma = true;
                }
                _ => {
                    let told = self.errors.len();
                    let value = self.value(depth, true);
                    if needs_comma && self.errors.len() == told {
                        self.missing_comma(value.span, &items);
                    }
                    items.push(value);
                    needs_comma = true;
                }
            }
        }
        items
    }

    /// Steps over what stands between the items of a bracket: blanks, comments, line breaks and one comma. Whether there
    /// was any of it; `missing` is what to say of a comma that no item stands before.
    fn step_over_gap(&mut self, needs_comma: &mut bool, missing: &'static str) -> bool {
        match self.kind() {
            TokenKind::Whitespace | TokenKind::Newline | TokenKind::Comment => {}
            TokenKind::Comma => {
                if !std::mem::take(needs_comma) {
                    self.errors.report(self.token().span, missing);
                }
            }
            _ => return false,
        }
        self.advance();
        true
    }

    fn missing_comma(&mut self, value: Span, items: &[Value]) {
        let after = items.last().map_or(value.start, |item| item.span.end);
        let first = Span::new(after, value.start);
        let span = if first.is_empty() || self.slice(first).contains('\n') {
            value
        } else {
            first
        };
        self.errors
            .report(span, "a comma is missing before this item");
    }

    /// To the comma or bracket that ends an item, at most to token `end`.
    fn skip_item(&mut self, end: usize) {
        while self.at < end
            && !matches!(
                self.kind(),
                TokenKind::Comma
                    | TokenKind::RightSquareBracket
                    | TokenKind::RightCurlyBracket
                    | TokenKind::Newline
            )
        {
            self.step();
        }
    }

    /// The entries of an inline table that ends at token `end`.
    fn entries(&mut self, end: usize, depth: usize) -> Vec<super::KeyValue> {
        let mut entries = Vec::new();
        let mut needs_comma = false;
        let mut colon_told = false;
        while self.at < end {
            let token = self.token();
            if self.step_over_gap(&mut needs_comma, "a key is missing before this comma") {
                continue;
            }
            match token.kind {
                TokenKind::RightSquareBracket
                | TokenKind::RightCurlyBracket
                | TokenKind::LeftSquareBracket
                | TokenKind::LeftCurlyBracket => {
                    let span = token.span;
                    let text = self.slice(span).to_owned();
                    self.errors
                        .report(span, format!("a key is missing before this `{text}`"));
                    self.hush_line();
                    self.step();
                    self.skip_item(end);
                    needs_comma = true;
                }
                _ => {
                    if needs_comma {
                        self.errors
                            .report(token.span, "a comma is missing before this key");
                    }
                    let told = self.errors.len();
                    if colon_told {
                        self.errors.mute();
                    }
                    let pair = self.key_value(depth, true);
                    if colon_told {
                        self.errors.unmute();
                    }
                    let pair_told = self.errors.len() > told;
                    if let Some(pair) = pair {
                        let equals = pair.equals.map(|span| self.slice(span));
                        colon_told |= equals == Some(":");
                        entries.push(pair);
                    }
                    needs_comma = true;
                    self.end_of_entry(end, pair_told);
                }
            }
        }
        entries
    }

    /// What follows an entry on its line and is neither comma nor the next entry.
    fn end_of_entry(&mut self, end: usize, told: bool) {
        self.skip_blanks();
        if self.at >= end
            || self.ends_line()
            || self.kind() == TokenKind::Comma
            || opening(&self.tokens, self.text, self.at) == Opening::Pair
        {
            return;
        }
        let start = self.token().span.start;
        self.skip_item(end);
        if !told {
            let last = self.tokens[self.at - 1].span.end;
            self.errors.report(
                Span::new(start, last),
                "a comma or `}` is missing before this",
            );
            self.hush_line();
        }
    }
}
