//! `--format sarif`: the Static Analysis Results Interchange Format 2.1.0 of OASIS, which code hosts and editors import.
//!
//! Only the properties that say something here; lines and columns count from 1, columns in UTF-16 units.

use super::{FileReport, escape_json};
use crate::check::{Code, Diagnostic, Severity, pages};
use crate::text::{Encoding, Span, range_of};
use ropey::Rope;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool,
    column_kind: &'static str,
    artifacts: Vec<Artifact>,
    results: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Message<String>,
    help: Message<String>,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Message<T> {
    text: T,
}

#[derive(Serialize)]
struct Artifact {
    location: ArtifactLocation,
}

#[derive(Clone, Serialize)]
struct ArtifactLocation {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
}

/// A result; the word means another thing in Rust.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding<'a> {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Message<&'a str>,
    locations: [Location<'a>; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'a> {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message<&'a str>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

/// The report of `files` as one SARIF log with a newline at its end. Files below `folder`, the working directory, are
/// named relative to it.
pub fn sarif(files: &[FileReport<'_>], folder: &Path) -> String {
    let all = || files.iter().flat_map(|file| file.diagnostics);
    let codes: BTreeSet<Code> = all().map(|diagnostic| diagnostic.code).collect();
    let codes: Vec<Code> = codes.into_iter().collect();
    let mut artifacts = Vec::new();
    let mut results = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let mut location = ArtifactLocation {
            uri: uri(file.path, folder),
            index: None,
        };
        artifacts.push(Artifact {
            location: location.clone(),
        });
        location.index = Some(index);
        let findings = file.diagnostics.iter();
        results
            .extend(findings.map(|diagnostic| finding(diagnostic, &codes, &location, file.rope)));
    }
    let driver = Driver {
        name: "loopls",
        semantic_version: env!("CARGO_PKG_VERSION"),
        rules: codes.iter().copied().map(rule).collect(),
    };
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver },
            column_kind: "utf16CodeUnits",
            artifacts,
            results,
        }],
    };
    // Strings, numbers and lists with text keys always serialize.
    let text = serde_json::to_string_pretty(&log).unwrap_or_default();
    format!("{}\n", escape_json(&text))
}

fn rule(code: Code) -> Rule {
    Rule {
        id: code.as_str(),
        short_description: Message {
            text: pages::summary(code),
        },
        help: Message {
            text: format!("`loopls explain {code}` says more."),
        },
        default_configuration: Configuration {
            level: level(code.severity()),
        },
    }
}

fn finding<'a>(
    diagnostic: &'a Diagnostic,
    codes: &[Code],
    file: &ArtifactLocation,
    rope: &Rope,
) -> Finding<'a> {
    let location = |span: Span, message: Option<&'a str>| Location {
        physical_location: PhysicalLocation {
            artifact_location: file.clone(),
            region: region(rope, span),
        },
        message: message.map(|text| Message { text }),
    };
    let related = diagnostic.related.iter();
    Finding {
        rule_id: diagnostic.code.as_str(),
        // Every code of a diagnostic is among them.
        rule_index: codes.partition_point(|code| *code < diagnostic.code),
        level: level(diagnostic.severity),
        message: Message {
            text: &diagnostic.message,
        },
        locations: [location(diagnostic.span, None)],
        related_locations: related
            .map(|related| location(related.span, Some(&related.message)))
            .collect(),
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "note",
    }
}

fn region(rope: &Rope, span: Span) -> Region {
    let range = range_of(rope, span, Encoding::Utf16);
    Region {
        start_line: range.start.line + 1,
        start_column: range.start.character + 1,
        end_line: range.end.line + 1,
        end_column: range.end.character + 1,
    }
}

/// `path` as a URI: relative where it is, or where it is below `folder`.
fn uri(path: &str, folder: &Path) -> String {
    let below = Path::new(path).strip_prefix(folder);
    let path = below.map_or(path.into(), |path| path.to_string_lossy());
    let path = match cfg!(windows) {
        true => path.replace('\\', "/"),
        false => path.into_owned(),
    };
    let path = path.strip_prefix("./").unwrap_or(&path);
    let mut uri = match (path.starts_with('/'), Path::new(path).is_absolute()) {
        (true, _) => "file://".to_owned(),
        // With the letter of a drive.
        (false, true) => "file:///".to_owned(),
        (false, false) => String::new(),
    };
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            // Writing to a string does not fail.
            other => drop(write!(uri, "%{other:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Fixture, three};
    use super::*;
    use expect_test::expect;
    use serde_json::Value;

    fn log(files: &[FileReport<'_>]) -> Value {
        serde_json::from_str(&sarif(files, Path::new("/home/me/loops"))).unwrap()
    }

    #[test]
    fn shape() {
        let clean = Fixture::new("");
        let log = log(&[three().report(), clean.report()]);
        let run = &log["runs"][0];
        assert_eq!(run["artifacts"].as_array().unwrap().len(), 2);
        expect![[r#"
            {
              "id": "unknown_key",
              "shortDescription": {
                "text": "The format has no such key in this table."
              },
              "help": {
                "text": "`loopls explain unknown_key` says more."
              },
              "defaultConfiguration": {
                "level": "error"
              }
            }"#]]
        .assert_eq(&format!("{:#}", run["tool"]["driver"]["rules"][1]));
        expect![[r#"
            {
              "ruleId": "zero_limit",
              "ruleIndex": 2,
              "level": "warning",
              "message": {
                "text": "0 takes the default 100, it does not lift the limit"
              },
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "order.loop.toml",
                      "index": 0
                    },
                    "region": {
                      "startLine": 5,
                      "startColumn": 9,
                      "endLine": 5,
                      "endColumn": 10
                    }
                  }
                }
              ]
            }"#]]
        .assert_eq(&format!("{:#}", run["results"][1]));
    }

    #[test]
    fn every_result_finds_its_rule() {
        let log = log(&[three().report()]);
        let run = &log["runs"][0];
        for result in run["results"].as_array().unwrap() {
            let rule = result["ruleIndex"].as_u64().unwrap() as usize;
            assert_eq!(run["tool"]["driver"]["rules"][rule]["id"], result["ruleId"]);
        }
        let related = &run["results"][2]["relatedLocations"][0];
        assert_eq!(related["message"]["text"], "the first one");
        assert_eq!(related["physicalLocation"]["region"]["startLine"], 8);
    }

    #[test]
    fn columns_are_utf16_units_from_one() {
        let fixture = Fixture::new("\"😀é\" = 1 # x\n").with(Code::UnknownKey, "1", "one");
        let log = log(&[fixture.report()]);
        let location = &log["runs"][0]["results"][0]["locations"][0];
        let region = &location["physicalLocation"]["region"];
        assert_eq!(
            *region,
            serde_json::json!({ "startLine": 1, "startColumn": 9, "endLine": 1, "endColumn": 10 })
        );
    }

    #[test]
    fn uris() {
        for (path, expected) in [
            ("a.loop.toml", "a.loop.toml"),
            ("./a/b.loop.toml", "a/b.loop.toml"),
            ("../a.loop.toml", "../a.loop.toml"),
            ("/home/me/loops/a/b.loop.toml", "a/b.loop.toml"),
            ("/home/me/a.loop.toml", "file:///home/me/a.loop.toml"),
            ("é [b]:%.loop.toml", "%C3%A9%20%5Bb%5D%3A%25.loop.toml"),
            ("<stdin>", "%3Cstdin%3E"),
        ] {
            assert_eq!(uri(path, Path::new("/home/me/loops")), expected);
        }
    }
}
