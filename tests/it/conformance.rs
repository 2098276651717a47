//! What loopls says of generated definitions is what looprig/harness itself answered (`tests/data/conformance`).

use loopls::check::{Analysis, Code, Severity};
use loopls::definition::{Nowhere, resolve};
use ropey::Rope;
use serde_json::{Value, json};

/// One JSON value a line.
fn cases(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a case is JSON"))
        .collect()
}

#[test]
fn definitions_are_judged_as_harness_judges_them() {
    let cases = cases(include_str!("../data/conformance/definitions.jsonl"));
    assert_eq!(cases.len(), 470);
    let mut wrong = Vec::new();
    for case in &cases {
        let analysis = Analysis::new(Rope::from_str(case["toml"].as_str().expect("toml")));
        let errors: Vec<Code> = analysis
            .diagnostics_in(&Nowhere)
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .map(|diagnostic| diagnostic.code)
            .collect();
        let right = match case["stage"].as_str() {
            Some("ok") => errors.is_empty() && modes(&analysis) == case["modes"],
            _ => errors.iter().any(|code| case["kind"] == code.as_str()),
        };
        if !right {
            wrong.push(format!(
                "{}: harness {}, loopls {errors:?} {}",
                case["id"],
                case["kind"],
                modes(&analysis)
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

/// The resolved modes in the words of the cases.
fn modes(analysis: &Analysis) -> Value {
    let definition = &analysis.definition;
    resolve(definition)
        .iter()
        .map(|mode| {
            let tools = mode.tools.iter().flat_map(|index| {
                let names = definition.tools[*index]
                    .produced_names()
                    .unwrap_or_default();
                names.into_iter().map(|name| name.value.to_owned())
            });
            let model = mode.model.expect("an accepted definition has a model");
            let mut answer = json!({
                "name": mode.name,
                "model": format!("{}/{}", model.provider.text(), model.name.text()),
                "effort": mode.effort.map_or("", |effort| effort.as_str()),
                "tools": tools.collect::<Vec<_>>(),
                "limits": {
                    "iterations": mode.limits.iterations.value,
                    "calls": mode.limits.calls.value,
                    "parallel": mode.limits.parallel.value,
                    "result_bytes": mode.limits.result_bytes.value,
                },
            });
            answer["system"] = mode
                .system(definition, &Nowhere)
                .expect("no files are named")
                .into();
            answer
        })
        .collect()
}
