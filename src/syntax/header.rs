//! `[table]` and `[[array of tables]]`.

use super::parse::{DEPTH_LIMIT, Parser, too_deep};
use super::{Header, Keys, Statement};
use crate::text::Span;
use toml_parser::lexer::TokenKind;

impl Parser<'_> {
    /// `[name]` or `[[name]]`, or what there is of it; whether there is an error in it.
    pub fn header(&mut self) -> bool {
        let start = self.token().span.start;
        self.advance();
        let mut array = self.kind() == TokenKind::LeftSquareBracket;
        if array {
            self.advance();
        }
        let mut end = self.tokens[self.at - 1].span.end;
        self.skip_blanks();
        let before = self.errors.len();
        let keys = if self.begins_key() || self.kind() == TokenKind::Dot {
            self.keys()
        } else {
            Keys::new()
        };
        self.skip_blanks();
        let mut last = keys.last().map_or(end, |key| key.span.end);
        if self.kind() != TokenKind::RightSquareBracket && !self.ends_line() {
            last = self.junk_in_header(last, before);
        }
        end = end.max(last);
        let closers = self.close_header();
        let wanted = if array { 2 } else { 1 };
        if closers > 0 {
            end = self.tokens[self.at - 1].span.end;
        }
        let told = self.errors.len() > before;
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
        let keys = if deep { Keys::new() } else { keys };
        self.header_depth = keys.len();
        self.statements
            .push(Statement::Header(Header { span, array, keys }));
        self.errors.len() > before
    }

    /// Steps over what stands between the name and the end of a header; returns where it ends on the line.
    fn junk_in_header(&mut self, name_end: usize, told: usize) -> usize {
        let start = self.token().span.start;
        let mut end = name_end;
        while !self.ends_line() && self.kind() != TokenKind::RightSquareBracket {
            if self.kind() != TokenKind::Whitespace {
                end = self.token().span.end;
            }
            self.step();
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
}
