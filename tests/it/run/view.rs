//! The fold over the events of a run, on the recorded runs that the editors' own folds are tested on.

use loopls::run::{Record, RunStatus, RunView};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// What every fold knows of a run.
fn state(view: &RunView) -> Map<String, Value> {
    let status = match view.status {
        RunStatus::Starting => "starting",
        RunStatus::Replying => "replying",
        RunStatus::Calling => "calling",
        RunStatus::Asking => "asking",
        RunStatus::Ended(_) => "ended",
    };
    let open = view.open_calls.iter().map(|open| {
        let mark = if open.asked { "?" } else { "" };
        format!("{} {}{mark}", open.call, open.tool)
    });
    let mut state = json!({
        "status": status,
        "mode": view.mode,
        "step": view.step,
        "iterations": view.iterations,
        "calls": view.calls,
        "tokens": view.tokens,
        "open": open.collect::<Vec<_>>(),
    });
    let end = json!({
        "stop": view.stop(),
        "reason": view.reason,
        "limit": view.limit,
        "answer": view.answer,
        "counters": view.stop().map(|_| view.summary()),
    });
    let state = state.as_object_mut().unwrap();
    for (key, value) in end.as_object().unwrap() {
        if !value.is_null() {
            state.insert(key.clone(), value.clone());
        }
    }
    state.clone()
}

fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn recorded_runs_stand_after_each_event_as_their_states_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/runs");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    let states: Vec<PathBuf> = files
        .map(|file| file.path())
        .filter(|path| path.to_str().unwrap().ends_with(".states.jsonl"))
        .collect();
    assert!(states.len() >= 10);
    for path in states {
        let transcript = path.to_str().unwrap().replace(".states", "");
        let (states, records) = (lines(&path), lines(Path::new(&transcript)));
        assert_eq!(states.len(), records.len(), "{transcript}");
        let mut view = RunView::default();
        let mut expected = Map::new();
        for (number, (record, changed)) in records.iter().zip(&states).enumerate() {
            let record: Record = serde_json::from_str(record).unwrap();
            let mut changed: Map<String, Value> = serde_json::from_str(changed).unwrap();
            let after = changed.remove("after").unwrap();
            assert_eq!(after, serde_json::to_value(&record).unwrap()["type"]);
            view.apply(&record);
            expected.extend(changed);
            assert_eq!(state(&view), expected, "{transcript}:{}", number + 1);
        }
    }
}
