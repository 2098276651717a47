//! The JSON Schema of the format takes what is right and refuses what the checks of keys and types refuse.

use crate::world::World;
use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, Validator};
use loopls::check::{Analysis, Code, Severity};
use loopls::definition::{Nowhere, parse_duration};
use loopls::format::schema::schema;
use loopls::ide::{Step, place_at};
use ropey::Rope;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The schema as editors read it that know draft 7, and those that know draft 4 only.
fn validators() -> [Validator; 2] {
    [Draft::Draft7, Draft::Draft4].map(|draft| {
        let mut schema = schema();
        if draft == Draft::Draft4 {
            schema["$schema"] = "http://json-schema.org/draft-04/schema#".into();
        }
        jsonschema::options()
            .with_draft(draft)
            .build(&schema)
            .expect("the schema is one")
    })
}

fn analysis(text: &str) -> Analysis {
    Analysis::new(Rope::from_str(text))
}

fn conformance() -> impl Iterator<Item = Value> {
    let cases = include_str!("../data/conformance/definitions.jsonl").lines();
    cases.map(|line| serde_json::from_str(line).expect("a case is JSON"))
}

/// The definitions of `tests/data/check`, each with where it stands.
fn checked() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/check");
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder of cases") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a file of cases");
        for (number, case) in text.split("\n\n# ----\n\n").enumerate() {
            let name = path.file_name().expect("a name").display();
            cases.push((
                format!("{name}, {}", number + 1),
                case.replace("...", crate::check::BEGINNING),
            ));
        }
    }
    cases
}

/// The places that the schema refuses, as JSON pointers; a key that is not known is its own place.
fn refused(validator: &Validator, document: &Value) -> BTreeSet<String> {
    let mut places = BTreeSet::new();
    for error in validator.iter_errors(document) {
        let place = error.instance_path().to_string();
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                places.extend(unexpected.iter().map(|key| format!("{place}/{key}")));
            }
            _ => {
                places.insert(place);
            }
        }
    }
    places
}

#[test]
fn the_schema_is_one_and_keeps_to_what_draft_4_has() {
    let schema = schema();
    assert!(jsonschema::draft7::meta::is_valid(&schema));
    assert!(jsonschema::draft4::meta::is_valid(&schema));
    fn keywords(schema: &Value, seen: &mut BTreeSet<String>) {
        let Some(schema) = schema.as_object() else {
            return;
        };
        for (keyword, value) in schema {
            seen.insert(keyword.clone());
            match keyword.as_str() {
                "properties" | "definitions" => {
                    value
                        .as_object()
                        .expect("named schemas")
                        .values()
                        .for_each(|inner| keywords(inner, seen));
                }
                "items" | "additionalProperties" => keywords(value, seen),
                _ => {}
            }
        }
        assert!(
            !schema.contains_key("$ref") || schema.len() == 1,
            "draft 4 ignores what stands beside `$ref`"
        );
    }
    let mut seen = BTreeSet::new();
    keywords(&schema, &mut seen);
    let known = [
        "$ref",
        "$schema",
        "additionalProperties",
        "default",
        "definitions",
        "description",
        "enum",
        "items",
        "pattern",
        "properties",
        "required",
        "title",
        "type",
    ];
    assert_eq!(seen, known.map(String::from).into());
}

#[test]
fn every_accepted_definition_fits() {
    let validators = validators();
    let mut accepted = 0;
    for case in conformance().filter(|case| case["stage"] == "ok") {
        accepted += 1;
        let text = case["toml"].as_str().expect("a definition");
        let document = analysis(text).table.to_json();
        for validator in &validators {
            let refused = refused(validator, &document);
            assert!(refused.is_empty(), "{}: {refused:?}\n{text}", case["id"]);
        }
    }
    assert!(accepted > 100, "{accepted}");
}

/// Each place of `unknown_key` and `wrong_type` in the cases of the checks is a place that the schema refuses.
#[test]
fn unknown_keys_and_wrong_types_are_refused_where_they_stand() {
    let validators = validators();
    let mut marks = 0;
    for (name, text) in checked() {
        let analysis = analysis(&text);
        let document = analysis.table.to_json();
        let refused = validators
            .each_ref()
            .map(|validator| refused(validator, &document));
        let diagnostics = analysis.diagnostics_in(&World);
        for diagnostic in diagnostics
            .iter()
            .filter(|found| matches!(found.code, Code::UnknownKey | Code::WrongType))
        {
            marks += 1;
            let place = place_at(&analysis.table, diagnostic.span.start).expect("a place");
            let steps = place.path.iter().map(|step| match step {
                Step::Key(key) => format!("/{key}"),
                Step::Index(index) => format!("/{index}"),
            });
            let pointer: String = steps.collect();
            for refused in &refused {
                assert!(
                    refused.contains(&pointer),
                    "{name}: {pointer} is not among {refused:?}"
                );
            }
        }
    }
    assert!(marks > 10, "{marks}");
}

/// Whoever writes with the schema alone is never told that something right is wrong.
#[test]
fn what_the_schema_refuses_is_an_error() {
    let [draft7, _] = validators();
    let generated = conformance().map(|case| {
        (
            case["id"].to_string(),
            case["toml"].as_str().expect("a definition").to_owned(),
        )
    });
    for (name, text) in generated.chain(checked()) {
        let analysis = analysis(&text);
        let refused = refused(&draft7, &analysis.table.to_json());
        let mut errors = analysis.diagnostics_in(&Nowhere).into_iter();
        let faulty = errors.any(|found| found.severity == Severity::Error);
        assert!(refused.is_empty() || faulty, "{name}: {refused:?}\n{text}");
    }
}

/// Every text of up to five of these characters is a duration to the schema if it is one to the parser.
#[test]
fn durations_are_what_the_parser_reads() {
    let schema = schema();
    let validator =
        jsonschema::validator_for(&schema["properties"]["drain_timeout"]).expect("a schema");
    let mut texts = vec![std::string::String::new()];
    let mut read = 0;
    for length in 0..=5 {
        for text in &texts {
            let is_duration = parse_duration(text).is_ok();
            assert_eq!(validator.is_valid(&json!(text)), is_duration, "{text:?}");
            read += usize::from(is_duration);
        }
        if length < 5 {
            let longer = texts
                .iter()
                .flat_map(|text| "05-hms ".chars().map(move |c| format!("{text}{c}")));
            texts = longer.collect();
        }
    }
    assert!(read > 100, "{read}");
}

#[test]
fn defaults_fit_their_own_keys() {
    fn visit(schema: &Value, found: &mut usize) {
        let Some(schema) = schema.as_object() else {
            return;
        };
        if let Some(default) = schema.get("default") {
            *found += 1;
            assert!(
                jsonschema::is_valid(&json!(schema), default),
                "{default} in {schema:#?}"
            );
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        properties
            .into_iter()
            .flat_map(|named| named.values())
            .for_each(|inner| visit(inner, found));
        schema
            .get("items")
            .into_iter()
            .for_each(|inner| visit(inner, found));
    }
    let mut found = 0;
    visit(&schema()["properties"], &mut found);
    visit(&schema(), &mut found);
    assert!(found > 10, "{found}");
}

#[test]
fn the_command_prints_it() {
    let output = Command::new(env!("CARGO_BIN_EXE_loopls"))
        .arg("schema")
        .output()
        .expect("it runs");
    assert!(output.status.success());
    let printed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(printed, schema());
}
