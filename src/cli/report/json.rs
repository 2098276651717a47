//! `--format json`: version 1, positions as in LSP (zero-based, UTF-16). Every file read is listed.

use super::FileReport;
use crate::check::Diagnostic;
use crate::text::{Encoding, Span, is_hidden, range_of};
use ropey::Rope;
use serde::Serialize;
use serde_json::ser::Formatter;
use std::fmt::Write;
use std::io;

#[derive(Serialize)]
struct Output<'a> {
    version: u32,
    files: Vec<File<'a>>,
}

#[derive(Serialize)]
struct File<'a> {
    path: &'a str,
    diagnostics: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    range: Range,
    related: Vec<Related<'a>>,
    fixes: Vec<Fix<'a>>,
}

#[derive(Serialize)]
struct Related<'a> {
    message: &'a str,
    range: Range,
}

#[derive(Serialize)]
struct Fix<'a> {
    title: &'a str,
}

/// A range as in LSP.
#[derive(Serialize)]
pub struct Range {
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct Position {
    line: u32,
    character: u32,
}

/// The report of `files` as one JSON document with a newline at its end.
pub fn json(files: &[FileReport<'_>]) -> String {
    let output = Output {
        version: 1,
        files: files
            .iter()
            .map(|file| File {
                path: file.path,
                diagnostics: file
                    .diagnostics
                    .iter()
                    .map(|diagnostic| entry(diagnostic, file.rope))
                    .collect(),
            })
            .collect(),
    };
    // Strings, numbers and lists with text keys always serialize.
    let text = serde_json::to_string_pretty(&output).unwrap_or_default();
    format!("{}\n", escape_json(&text))
}

fn entry<'a>(diagnostic: &'a Diagnostic, rope: &Rope) -> Entry<'a> {
    Entry {
        code: diagnostic.code.as_str(),
        severity: diagnostic.severity.as_str(),
        message: &diagnostic.message,
        range: range(rope, diagnostic.span),
        related: diagnostic
            .related
            .iter()
            .map(|related| Related {
                message: &related.message,
                range: range(rope, related.span),
            })
            .collect(),
        fixes: diagnostic
            .remedies
            .iter()
            .map(|remedy| Fix {
                title: &remedy.title,
            })
            .collect(),
    }
}

/// The range of `span` in the text of `rope`.
pub fn range(rope: &Rope, span: Span) -> Range {
    let range = range_of(rope, span, Encoding::Utf16);
    let position = |position: crate::text::Position| Position {
        line: position.line,
        character: position.character,
    };
    Range {
        start: position(range.start),
        end: position(range.end),
    }
}

/// The same JSON with the characters escaped that would steer a terminal: they stand in strings only, where
/// `\uXXXX` means the same.
pub fn escape_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if is_hidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(character);
        }
    }
    out
}

/// Writes `value` as such JSON on one line, piece by piece: escapes make a text of 8 MiB up to six times as long, and nobody
/// needs that in memory.
///
/// # Errors
///
/// Those of `out`.
pub fn write_json(out: impl io::Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, Escaping);
    Ok(value.serialize(&mut serializer)?)
}

/// Escapes what [`escape_json`] does.
struct Escaping;

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(is_hidden) {
            let (plain, from) = rest.split_at(at);
            let length = from.chars().next().map_or(0, char::len_utf8);
            let (character, after) = from.split_at(length);
            out.write_all(plain.as_bytes())?;
            out.write_all(escape_json(character).as_bytes())?;
            rest = after;
        }
        out.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Fixture, three};
    use super::*;
    use crate::check::Code;
    use expect_test::expect;

    #[test]
    fn what_is_written_piece_by_piece_is_the_same() {
        let texts = [
            "plain",
            "",
            "\0\u{1b}\u{7f}\u{85}\r\n\t",
            "a\u{202e}b\u{e0001}é\"\\",
            "\u{feff}",
        ];
        for text in texts {
            let value = serde_json::json!({ text: [text, 1, null] });
            let mut out = Vec::new();
            write_json(&mut out, &value).unwrap();
            assert_eq!(
                String::from_utf8(out).unwrap(),
                escape_json(&value.to_string())
            );
        }
    }

    #[test]
    fn documented_shape() {
        expect![[r#"
            {
              "version": 1,
              "files": [
                {
                  "path": "order.loop.toml",
                  "diagnostics": [
                    {
                      "code": "unknown_key",
                      "severity": "error",
                      "message": "unknown key `iteratons`; did you mean `iterations`?",
                      "range": {
                        "start": {
                          "line": 3,
                          "character": 0
                        },
                        "end": {
                          "line": 3,
                          "character": 9
                        }
                      },
                      "related": [],
                      "fixes": [
                        {
                          "title": "Rename to `iterations`"
                        }
                      ]
                    },
                    {
                      "code": "zero_limit",
                      "severity": "warning",
                      "message": "0 takes the default 100, it does not lift the limit",
                      "range": {
                        "start": {
                          "line": 4,
                          "character": 8
                        },
                        "end": {
                          "line": 4,
                          "character": 9
                        }
                      },
                      "related": [],
                      "fixes": []
                    },
                    {
                      "code": "duplicate_mode",
                      "severity": "error",
                      "message": "a mode before this one is called `fast` too",
                      "range": {
                        "start": {
                          "line": 10,
                          "character": 7
                        },
                        "end": {
                          "line": 10,
                          "character": 13
                        }
                      },
                      "related": [
                        {
                          "message": "the first one",
                          "range": {
                            "start": {
                              "line": 7,
                              "character": 7
                            },
                            "end": {
                              "line": 7,
                              "character": 13
                            }
                          }
                        }
                      ],
                      "fixes": []
                    }
                  ]
                },
                {
                  "path": "order.loop.toml",
                  "diagnostics": []
                }
              ]
            }
        "#]]
        .assert_eq(&json(&[three().report(), Fixture::new("").report()]));
    }

    #[test]
    fn characters_are_utf16_units() {
        let fixture = Fixture::new("\"😀é\" = 1 # x\n").with(Code::UnknownKey, "1", "one");
        let value: serde_json::Value = serde_json::from_str(&json(&[fixture.report()])).unwrap();
        let range = &value["files"][0]["diagnostics"][0]["range"];
        assert_eq!(range["start"]["character"], 8);
        assert_eq!(range["end"]["character"], 9);
    }

    #[test]
    fn escapes_mean_the_same() {
        let message = "\u{1b}[2J \u{9b} \u{202e} \u{e0041} é";
        let fixture = Fixture::new("x = 1\n").with(Code::UnknownKey, "x", message);
        let text = json(&[fixture.report()]);
        assert!(!text.chars().any(is_hidden));
        assert!(text.contains("é"));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["files"][0]["diagnostics"][0]["message"], message);
    }
}
