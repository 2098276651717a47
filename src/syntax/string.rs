//! The four kinds of string, decoded.

use super::errors::Errors;
use super::lex::{Token, is_control};
use crate::text::{Span, Text};
use toml_parser::lexer::TokenKind;

/// What the closed string `token` says. Reports its first fault, if it has one, and is `None` then.
pub(super) fn decode(text: &str, token: Token, errors: &mut Errors) -> Option<Text> {
    let quotes = match token.kind {
        TokenKind::MlBasicString | TokenKind::MlLiteralString => 3,
        _ => 1,
    };
    let multiline = quotes == 3;
    let basic = matches!(
        token.kind,
        TokenKind::BasicString | TokenKind::MlBasicString
    );
    let mut content = Span::new(token.span.start + quotes, token.span.end - quotes);
    if multiline {
        let begins_with_newline = [("\r\n", 2), ("\n", 1)];
        let newline = begins_with_newline
            .iter()
            .find(|(newline, _)| content.of(text).starts_with(newline));
        content.start += newline.map_or(0, |(_, len)| *len);
    }
    let decoder = Decoder {
        source: content.of(text),
        at: 0,
        multiline,
        basic,
    };
    match decoder.run() {
        Ok(decoded) => Some(decoded),
        Err(fault) => {
            let span = Span::new(
                content.start + fault.span.start,
                content.start + fault.span.end,
            );
            errors.report(span, fault.message);
            None
        }
    }
}

struct Fault {
    span: Span,
    message: String,
}

struct Decoder<'s> {
    source: &'s str,
    at: usize,
    multiline: bool,
    basic: bool,
}

impl<'s> Decoder<'s> {
    fn run(mut self) -> Result<Text, Fault> {
        if !self.source.bytes().any(|byte| self.is_special(byte)) {
            return Ok(self.source.into());
        }
        let mut decoded = String::with_capacity(self.source.len());
        loop {
            let rest = &self.source[self.at..];
            let plain = rest
                .bytes()
                .position(|byte| self.is_special(byte))
                .unwrap_or(rest.len());
            decoded.push_str(&rest[..plain]);
            self.at += plain;
            let rest = &rest[plain..];
            let Some(special) = rest.chars().next() else {
                return Ok(decoded.into());
            };
            if special == '\\' {
                self.escape(&mut decoded)?;
            } else if self.multiline && rest.starts_with("\r\n") {
                decoded.push_str("\r\n");
                self.at += 2;
            } else {
                return Err(self.control_character(special));
            }
        }
    }

    fn is_special(&self, byte: u8) -> bool {
        match byte {
            b'\\' => self.basic,
            b'\n' => !self.multiline,
            byte => is_control(char::from(byte)),
        }
    }

    /// Takes the escape at the current backslash.
    fn escape(&mut self, decoded: &mut String) -> Result<(), Fault> {
        let rest = &self.source[self.at + 1..];
        let Some(letter) = rest.chars().next() else {
            return Err(self.fault(1, "a backslash is written `\\\\`".to_owned()));
        };
        let character = match letter {
            'b' => '\u{8}',
            't' => '\t',
            'n' => '\n',
            'f' => '\u{c}',
            'r' => '\r',
            'e' => '\u{1b}',
            '"' => '"',
            '\\' => '\\',
            'x' => return self.code_point(2, decoded),
            'u' => return self.code_point(4, decoded),
            'U' => return self.code_point(8, decoded),
            ' ' | '\t' | '\n' | '\r' if self.multiline => return self.line_continuation(),
            _ if letter.is_control() || letter == ' ' => {
                return Err(self.fault(1, "a backslash is written `\\\\`".to_owned()));
            }
            _ => {
                let message = format!(
                    "`\\{letter}` is no escape; a backslash is written `\\\\`, or stands as it is \
                     in a string in single quotes"
                );
                return Err(self.fault(1 + letter.len_utf8(), message));
            }
        };
        decoded.push(character);
        self.at += 1 + letter.len_utf8();
        Ok(())
    }

    /// `\xHH`, `\uHHHH` or `\UHHHHHHHH`.
    fn code_point(&mut self, digits: usize, decoded: &mut String) -> Result<(), Fault> {
        let rest = &self.source[self.at + 2..];
        let there = rest
            .bytes()
            .take(digits)
            .take_while(u8::is_ascii_hexdigit)
            .count();
        let letter = &self.source[self.at + 1..self.at + 2];
        if there < digits {
            let message = format!(
                "`\\{letter}` needs {digits} hexadecimal digits; a backslash is written `\\\\`"
            );
            return Err(self.fault(2 + there, message));
        }
        let code = &rest[..digits];
        let character = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
        let Some(character) = character else {
            return Err(self.fault(2 + digits, format!("U+{code} is no character")));
        };
        decoded.push(character);
        self.at += 2 + digits;
        Ok(())
    }

    /// A backslash at the end of a line: leaves out all blanks and line breaks that follow.
    fn line_continuation(&mut self) -> Result<(), Fault> {
        let rest = &self.source[self.at + 1..];
        let after_blanks = rest.trim_start_matches([' ', '\t']);
        if !after_blanks.starts_with('\n') && !after_blanks.starts_with("\r\n") {
            return Err(self.fault(1, "a backslash is written `\\\\`".to_owned()));
        }
        let mut left = after_blanks;
        loop {
            let trimmed = left.trim_start_matches([' ', '\t', '\n']);
            let trimmed = trimmed.strip_prefix("\r\n").unwrap_or(trimmed);
            if trimmed.len() == left.len() {
                break;
            }
            left = trimmed;
        }
        self.at = self.source.len() - left.len();
        Ok(())
    }

    fn control_character(&self, character: char) -> Fault {
        let code = u32::from(character);
        let written = match character {
            '\r' => "\\r".to_owned(),
            _ => format!("\\u{code:04X}"),
        };
        let message = if self.basic {
            format!("the control character U+{code:04X} in a string is written `{written}`")
        } else {
            format!(
                "the control character U+{code:04X} cannot stand in single quotes; in double \
                 quotes it is written `{written}`"
            )
        };
        self.fault(character.len_utf8(), message)
    }

    fn fault(&self, len: usize, message: String) -> Fault {
        Fault {
            span: Span::new(self.at, self.at + len),
            message,
        }
    }
}
