//! Faults that people met in other tools of this kind, each as the scenario in which it would show here.

use super::world::World;
use loopls::check::{Accepted, Analysis, Code, Diagnostic, Severity};
use loopls::definition::Nowhere;
use loopls::ide::{self, Act};
use ropey::Rope;
use std::sync::Arc;

const BEGINNING: &str = "name = \"a\"\nmodel = { provider = \"scripted\", name = \"demo\" }\n";

fn analysis(text: &str) -> Analysis {
    Analysis::new(Rope::from_str(text))
}

fn found(text: &str) -> Vec<Diagnostic> {
    analysis(text).diagnostics_in(&Nowhere)
}

/// What is said of `lines` behind a beginning that is right: each as code and the text it marks.
fn told(lines: &str) -> Vec<(Code, String)> {
    let text = format!("{BEGINNING}{lines}");
    let all = found(&text).into_iter();
    all.map(|found| (found.code, found.span.of(&text).to_owned()))
        .collect()
}

fn message(lines: &str) -> String {
    let all = found(&format!("{BEGINNING}{lines}"));
    all.iter()
        .map(|found| found.message.as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn three_faults_are_told_at_once() {
    let lines =
        "[limits]\ncalls = \"5\"\niteratons = 1\n[[modes]]\ntools = [\"gone\"]\nname = \"a\"\n";
    let codes: Vec<Code> = told(lines).into_iter().map(|(code, _)| code).collect();
    for code in [
        Code::WrongType,
        Code::UnknownKey,
        Code::UnknownTool,
        Code::MissingInitialMode,
    ] {
        assert!(codes.contains(&code), "{code} in {codes:?}");
    }
}

#[test]
fn a_misspelt_source_is_an_error_at_its_key_and_not_a_tool_without_a_source() {
    let tool = "[[tools]]\nname = \"find\"\ndescription = \"Finds.\"\neffect = \"read\"\ncomand = [\"find\"]\n";
    let told = told(tool);
    assert!(
        told.contains(&(Code::UnknownKey, "comand".to_owned())),
        "{told:?}"
    );
    assert!(message(tool).contains("did you mean `command`?"));
}

#[test]
fn an_unknown_key_is_marked_as_the_key_and_the_right_place_is_named() {
    assert_eq!(
        told("[limits]\niteratons = 3\n"),
        [(Code::UnknownKey, "iteratons".to_owned())]
    );
    assert!(message("[limits]\niteratons = 3\n").contains("did you mean `iterations`?"));
    // A right key in the wrong table.
    assert_eq!(
        told("[access]\niterations = 3\n"),
        [(Code::UnknownKey, "iterations".to_owned())]
    );
    assert!(message("[access]\niterations = 3\n").contains("belongs to `[limits]`"));
}

#[test]
fn a_server_that_is_not_running_makes_no_noise_about_its_tools() {
    let lines = "initial_mode = \"m\"\n[[tools]]\nname = \"files\"\neffect = \"read\"\nmcp = { command = [\"server\"] }\n\
                 [access]\nallow = [\"read_file\", \"list_*\"]\n[[modes]]\nname = \"m\"\ntools = [\"files\"]\n";
    assert_eq!(told(lines), []);
}

#[test]
fn empty_arrays_a_byte_order_mark_and_crlf_are_understood() {
    let text = format!("\u{feff}{BEGINNING}secrets = []\ndelegates = []\n[access]\nallow = []\n");
    assert_eq!(found(&text), []);
    assert_eq!(found(&text.replace('\n', "\r\n")), []);
}

#[test]
fn typing_in_a_comment_says_nothing() {
    let comment = "# the desk's \"limits\" = [ { ''' and more: \\ é📦\n";
    for (end, _) in comment.char_indices().skip(1) {
        let text = format!("{BEGINNING}{}\n[limits]\ncalls = 3\n", &comment[..end]);
        assert_eq!(found(&text), [], "{text}");
    }
}

#[test]
fn json_that_is_pasted_is_told_of_and_the_rest_is_read_on() {
    let json = "{\n  \"name\": \"a\",\n  \"tools\": [ { \"name\": \"b\", \"loop\": null } ]\n}\n";
    let analysis = analysis(&format!("{BEGINNING}{json}\n[limits]\ncalls = 3\n"));
    assert!(!analysis.syntax_errors.is_empty());
    let limits = analysis.definition.limits.get().expect("limits are read");
    assert_eq!(limits.calls.get(), Some(&3));
}

#[test]
fn a_syntax_error_keeps_the_lenses_and_the_run_is_refused() {
    let whole = format!("{BEGINNING}initial_mode = \"m\"\n[[modes]]\nname = \"m\"\n");
    let broken = whole.replace("\"a\"\n", "\"a\n");
    let acts = |text: &str| -> Vec<Act> {
        let lenses = ide::lenses(&analysis(text)).into_iter();
        lenses.map(|lens| lens.act).collect()
    };
    assert_eq!(acts(&broken), acts(&whole));
    assert_eq!(acts(&broken).len(), 3);
    let rejected =
        Accepted::new(Arc::new(analysis(&broken)), &Nowhere).expect_err("it has an error");
    assert!(rejected.0.iter().any(|error| error.code == Code::Syntax));
}

#[test]
fn what_the_editor_offers_to_test_is_what_the_definition_has() {
    let desk = include_str!("../../examples/order-desk.loop.toml");
    let analysis = analysis(desk);
    let offered: Vec<String> = ide::lenses(&analysis)
        .into_iter()
        .filter_map(|lens| match lens.act {
            Act::RunTest { test } => Some(test),
            _ => None,
        })
        .collect();
    let tests = analysis
        .definition
        .tests
        .iter()
        .map(|test| test.name.text().to_owned());
    assert_eq!(offered, tests.collect::<Vec<_>>());
    assert_eq!(offered.len(), 4);
}

/// What is an error while typing is one for the run, for the whole corpus, as it is and with the other line ending.
#[test]
fn check_and_run_agree_about_every_definition() {
    let corpus = include_str!("../data/conformance/definitions.jsonl");
    let mut accepted = 0;
    for line in corpus.lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("a case is JSON");
        let text = case["toml"].as_str().expect("a case has a text");
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            let analysis = Arc::new(analysis(&text));
            let found = analysis.diagnostics_in(&World);
            let is_faulty = found.iter().any(|found| found.severity == Severity::Error);
            assert_eq!(
                Accepted::new(analysis, &World).is_err(),
                is_faulty,
                "{text}"
            );
            accepted += usize::from(!is_faulty);
        }
    }
    assert!(accepted > 100, "{accepted}");
}

#[test]
fn a_variable_is_what_a_run_reads_and_nothing_else() {
    // `${a b}` stays what it is when the tool runs, so nothing is said of a variable of that name.
    let tool = |value: &str| {
        format!(
            "{BEGINNING}[[tools]]\nname = \"find\"\ndescription = \"Finds.\"\neffect = \"read\"\ncommand = [\"sh\"]\nenv = {{ A = '{value}' }}\n"
        )
    };
    let codes = |value: &str| -> Vec<Code> {
        let found = analysis(&tool(value)).diagnostics_in(&World);
        found.iter().map(|found| found.code).collect()
    };
    assert!(codes("${NOT_SET_ANYWHERE}").contains(&Code::EnvironmentNotSet));
    assert!(!codes("${not a name} ${} ${1}").contains(&Code::EnvironmentNotSet));
}
