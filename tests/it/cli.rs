//! The command line, through the program itself.

use expect_test::{Expect, expect, expect_file};
use serde_json::Value;
use snapbox::{assert_data_eq, str};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

mod fixing;
mod formatting;
mod mcp;
mod orphans;
mod processes;
mod settings;
mod starting;
mod terminal;
mod transcripts;

const LOOPLS: &str = env!("CARGO_BIN_EXE_loopls");

/// The program, in the folder of the test data, with nothing on standard input.
fn loopls(arguments: &[&str]) -> Command {
    let mut command = Command::new(LOOPLS);
    command
        .args(arguments)
        .current_dir(data())
        .stdin(Stdio::null())
        .env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE");
    command
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cli")
}

/// Exit status, standard output and standard error.
fn output(mut command: Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().expect("it ends by itself");
    (code, text(output.stdout), text(output.stderr))
}

/// Runs the program with `input` on standard input.
fn with_input(arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(input.as_bytes()).unwrap();
    std::io::Seek::rewind(&mut file).unwrap();
    let mut command = loopls(arguments);
    command.stdin(file);
    output(command)
}

/// Expects exit status, standard output and standard error, in this form.
fn check(arguments: &[&str], expected: Expect) {
    let (code, out, err) = output(loopls(arguments));
    expected.assert_eq(&format!("{out}-- stderr\n{err}-- exit {code}\n"));
}

#[test]
fn check_as_text() {
    check(
        &["check", "faulty.loop.toml", "warning.loop.toml"],
        expect![[r#"
            error[invalid_tool_limits]: `iterations` is -3; a limit is never negative (leave it out for the default)
              --> faulty.loop.toml:10:14
               |
            10 | iterations = -3
               |              ^^

            warning[zero_limit]: 0 does not mean "none" here: `calls` takes its default, 100
              --> faulty.loop.toml:11:9
               |
            11 | calls = 0
               |         ^

            error[unknown_key]: there is no key `iteratons` in `[limits]`
              --> faulty.loop.toml:12:1
               |
            12 | iteratons = 5
               | ^^^^^^^^^

            error[duplicate_mode]: there is already a mode `desk`; rename or remove one
              --> faulty.loop.toml:18:8
               |
            15 | name = "desk"
               |        ------ the first mode of this name
            ...
            18 | name = "desk"
               |        ^^^^^^

            warning[zero_limit]: 0 does not mean "none" here: `calls` takes its default, 100
             --> warning.loop.toml:8:9
              |
            8 | calls = 0
              |         ^

            checked 2 files: 3 errors, 2 warnings
              help: `loopls check --fix` puts 2 of them right
            -- stderr
            -- exit 1
        "#]],
    );
}

#[test]
fn check_as_json() {
    let (code, out, err) = output(loopls(&[
        "check",
        "--format=json",
        "faulty.loop.toml",
        "run.loop.toml",
    ]));
    expect_file!["../data/cli/check.json"].assert_eq(&out);
    assert_eq!((code, err.as_str()), (1, ""));
}

#[test]
fn check_as_github_annotations() {
    check(
        &["check", "--format=github", "faulty.loop.toml"],
        expect![[r#"
            ::error file=faulty.loop.toml,line=10,col=14,title=invalid_tool_limits::`iterations` is -3; a limit is never negative (leave it out for the default)
            ::warning file=faulty.loop.toml,line=11,col=9,title=zero_limit::0 does not mean "none" here: `calls` takes its default, 100
            ::error file=faulty.loop.toml,line=12,col=1,title=unknown_key::there is no key `iteratons` in `[limits]`
            ::error file=faulty.loop.toml,line=18,col=8,title=duplicate_mode::there is already a mode `desk`; rename or remove one%0Aline 15: the first mode of this name
            -- stderr
            checked 1 file: 3 errors, 1 warning
            -- exit 1
        "#]],
    );
}

#[test]
fn check_as_sarif() {
    let absolute = data().join("warning.loop.toml");
    let absolute = absolute.to_str().unwrap();
    let (code, out, err) = output(loopls(&[
        "check",
        "--format=sarif",
        "faulty.loop.toml",
        absolute,
    ]));
    let log: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let found = run["results"].as_array().unwrap().iter().map(|result| {
        let place = &result["locations"][0]["physicalLocation"];
        let (file, line) = (
            &place["artifactLocation"]["uri"],
            &place["region"]["startLine"],
        );
        format!(
            "{}:{line}: {}",
            file.as_str().unwrap(),
            result["ruleId"].as_str().unwrap()
        )
    });
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            "faulty.loop.toml:10: invalid_tool_limits",
            "faulty.loop.toml:11: zero_limit",
            "faulty.loop.toml:12: unknown_key",
            "faulty.loop.toml:18: duplicate_mode",
            "warning.loop.toml:8: zero_limit",
        ]
    );
    assert_eq!((code, err.as_str()), (1, ""));
}

#[test]
fn check_exit_statuses() {
    for (arguments, expected, words) in [
        (
            &["run.loop.toml"][..],
            0,
            "checked 1 file: no errors, no warnings",
        ),
        (&["warning.loop.toml"], 0, "checked 1 file: 1 warning"),
        (
            &["--deny-warnings", "warning.loop.toml"],
            1,
            "checked 1 file: 1 warning",
        ),
        (
            &["--level=zero_limit=hint", "warning.loop.toml"],
            0,
            "checked 1 file: 1 hint",
        ),
        (
            &["--level=syntax=off", "warning.loop.toml"],
            2,
            "--level syntax=off: `syntax` is an error",
        ),
        (&["--level=zero_limit", "warning.loop.toml"], 2, "  help: "),
        (&["faulty.loop.toml"], 1, "checked 1 file: "),
        (&["run.loop.toml", "./run.loop.toml"], 0, "checked 1 file: "),
        // What is there is checked all the same.
        (
            &["faulty.loop.toml", "nowhere.loop.toml"],
            2,
            "error: nowhere.loop.toml: ",
        ),
        (
            &["faulty.loop.toml", "nowhere.loop.toml"],
            2,
            "checked 1 file: ",
        ),
        (&["--format=nothing"], 2, "possible values"),
    ] {
        let (code, out, err) = output(loopls(&[&["check"], arguments].concat()));
        let seen = format!("{out}{err}");
        assert_eq!(code, expected, "{arguments:?}: {seen}");
        assert!(seen.contains(words), "{arguments:?}: {seen}");
    }
}

#[test]
fn check_searches_a_directory() {
    let root = tempfile::tempdir().unwrap();
    let clean = std::fs::read(data().join("run.loop.toml")).unwrap();
    for name in [
        "b/loop.toml",
        "a.loop.toml",
        "ignored/x.loop.toml",
        ".hidden/x.loop.toml",
        "Cargo.toml",
    ] {
        let path = root.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &clean).unwrap();
    }
    std::fs::write(root.path().join(".gitignore"), "ignored\n").unwrap();
    let mut command = loopls(&["check", "--format", "json"]);
    command.current_dir(&root);
    let (code, out, _) = output(command);
    let report: Value = serde_json::from_str(&out).unwrap();
    let files = report["files"].as_array().unwrap();
    let paths: Vec<&str> = files
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["a.loop.toml", "b/loop.toml"]);
    assert_eq!(code, 0);
}

#[test]
fn check_says_that_there_was_nothing() {
    let empty = tempfile::tempdir().unwrap();
    let mut command = loopls(&["check"]);
    command.current_dir(&empty);
    let (code, out, err) = output(command);
    assert_eq!(code, 2);
    assert!(out.starts_with("checked 0 files"), "{out}");
    assert!(
        err.starts_with("error: there was nothing to check\n  help: "),
        "{err}"
    );
}

#[test]
fn check_reads_standard_input() {
    let text = std::fs::read_to_string(data().join("warning.loop.toml")).unwrap();
    let (code, out, _) = with_input(&["check", "-"], &text);
    assert_eq!(code, 0);
    assert!(out.contains("--> <stdin>:8:9\n"), "{out}");
    // A byte order mark counts for nothing.
    let (_, marked, _) = with_input(&["check", "-"], &format!("\u{feff}{text}"));
    assert_eq!(marked, out);
}

#[test]
fn what_is_no_text_is_unusable() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("x.loop.toml");
    std::fs::write(&path, b"name = \"\xff\"\n").unwrap();
    for subcommand in ["check", "resolve", "run"] {
        let (code, _, err) = output(loopls(&[subcommand, path.to_str().unwrap()]));
        assert_eq!(code, 2, "{subcommand}");
        assert!(
            err.contains("it is not UTF-8 (at byte 8)"),
            "{subcommand}: {err}"
        );
    }
}

#[test]
fn colour_is_for_terminals_and_those_who_force_it() {
    for (set, expected) in [
        (&[][..], false),
        (&["CLICOLOR_FORCE"], true),
        (&["CLICOLOR_FORCE", "NO_COLOR"], false),
    ] {
        let mut command = loopls(&["check", "faulty.loop.toml"]);
        command.envs(set.iter().map(|name| (*name, "1")));
        let (_, out, _) = output(command);
        assert_eq!(out.contains('\u{1b}'), expected, "{set:?}");
    }
}

#[test]
fn a_reader_that_went_away_is_no_panic() {
    for arguments in [
        &["check", "faulty.loop.toml"][..],
        &["check", "--format=json", "faulty.loop.toml"],
        &["resolve", "modes.loop.toml"],
        &["run", "run.loop.toml"],
        &["run", "--json", "run.loop.toml"],
        &["--help"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = loopls(arguments);
        let child = command
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(!err.contains("panicked"), "{arguments:?}: {err}");
        assert_ne!(output.status.code(), Some(101), "{arguments:?}");
        assert!(
            output.status.code().is_some(),
            "{arguments:?}: {:?}",
            output.status
        );
    }
}

#[test]
fn resolve_as_a_table() {
    check(
        &["resolve", "modes.loop.toml"],
        expect![[r#"
            order-desk (base)
              iterations         8  base, line 13
              calls            100  default
              parallel           8  default
              result_bytes  no cap  default
              tokens        no cap  default
              time           1m30s  base, line 14
              tools         lookup, read_books, write_books
              model         scripted desk-1
              effort        low
              system        You are the order desk.
              delegates     billing

            desk (mode, initial)
              iterations         8  base, line 13
              calls            100  default
              parallel           8  default
              result_bytes  no cap  default
              tokens        no cap  default
              time           1m30s  base, line 14
              tools         lookup
              model         scripted desk-1
              effort        low
              system        You are the order desk.

            refund (mode)
              iterations         3  mode, line 41
              calls            100  default
              parallel           8  default
              result_bytes    4096  mode, line 42
              tokens        no cap  default
              time           1m30s  base, line 14
              tools         lookup, read_books, write_books
              model         scripted desk-2
              effort        high
              system        You are the order desk. … (4 lines, 67 characters)
            -- stderr
            -- exit 0
        "#]],
    );
    check(
        &["resolve", "modes.loop.toml", "--mode", "desk"],
        expect![[r#"
            desk (mode, initial)
              iterations         8  base, line 13
              calls            100  default
              parallel           8  default
              result_bytes  no cap  default
              tokens        no cap  default
              time           1m30s  base, line 14
              tools         lookup
              model         scripted desk-1
              effort        low
              system        You are the order desk.
            -- stderr
            -- exit 0
        "#]],
    );
    check(
        &["resolve", "modes.loop.toml", "--mode", "dsk"],
        expect![[r#"
            -- stderr
            error: there is no mode `dsk`
              help: its modes are `desk`, `refund`
            -- exit 2
        "#]],
    );
}

#[test]
fn resolve_as_json() {
    let (code, out, err) = output(loopls(&["resolve", "--format=json", "modes.loop.toml"]));
    expect_file!["../data/cli/resolve.json"].assert_eq(&out);
    assert_eq!((code, err.as_str()), (0, ""));
    let (_, out, _) = output(loopls(&[
        "resolve",
        "--format=json",
        "--mode=",
        "modes.loop.toml",
    ]));
    let base: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(base["modes"].as_array().unwrap().len(), 1);
    assert_eq!(base["modes"][0]["name"], "");
}

#[test]
fn a_definition_with_errors_is_neither_resolved_nor_run() {
    let (_, errors, _) = output(loopls(&["check", "faulty.loop.toml"]));
    let first = errors.lines().next().unwrap();
    for arguments in [
        &["resolve", "faulty.loop.toml"],
        &["run", "faulty.loop.toml"],
    ] {
        let (code, out, err) = output(loopls(arguments));
        assert_eq!((code, out.as_str()), (1, ""), "{arguments:?}: {err}");
        assert!(err.contains(first), "{arguments:?}: {err}");
        assert!(
            err.contains("error: faulty.loop.toml: the definition has "),
            "{arguments:?}: {err}"
        );
    }
}

#[test]
fn run_prints_the_answer_alone_on_standard_output() {
    let (code, out, err) = output(loopls(&["run", "run.loop.toml"]));
    assert_eq!(
        (code, out.as_str()),
        (0, "Order 1042 was shipped.\n"),
        "{err}"
    );
    assert_data_eq!(
        err,
        str![[r#"
Let me look.
▶ lookup {"order":1042} #1
✓ lookup #1 · [..]
  order 1042: shipped
✓ answer · 1/8 iterations · 1/20 calls · [..]

"#]]
    );
}

/// docker-agent#2208: a limit without a terminal ends with a status, and nobody is asked.
/// docker-agent PR#2208: nobody is asked whether to go on.
#[test]
fn run_exit_statuses() {
    for (arguments, expected, words) in [
        (&["limit.loop.toml"][..], 3, "✗ limit: "),
        (&["refusal.loop.toml"], 4, "✗ refusal"),
        (&["cut.loop.toml"], 4, "✗ max_tokens"),
        (&["failed.loop.toml"], 5, "the model is gone"),
        (&["nowhere.loop.toml"], 2, "nowhere.loop.toml: "),
        (&["modes.loop.toml"], 2, "there is no prompt\n  help: "),
        (&["modes.loop.toml", " "], 2, "the prompt is blank"),
        (
            &["run.loop.toml", "--mode", "fast"],
            2,
            "there is no mode `fast`",
        ),
        (
            &["run.loop.toml", "--allow", "lokup"],
            2,
            "there is no tool `lokup`\n  help: the tools are `lookup`",
        ),
    ] {
        let (code, out, err) = output(loopls(&[&["run"], arguments].concat()));
        assert_eq!(code, expected, "{arguments:?}: {err}");
        assert_eq!(out, "", "{arguments:?}: nothing that looks like an answer");
        assert!(err.contains(words), "{arguments:?}: {err}");
    }
}

#[test]
fn a_key_that_is_not_there_is_told_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("loop.toml");
    let text = r#"
        name = "d"
        prompt = "Go."
        model = { provider = "openai", name = "m", base_url = "http://localhost:1", api_key_env = "NO_SUCH_KEY" }
    "#;
    std::fs::write(&file, text).unwrap();
    let (code, out, err) = output(loopls(&["run", file.to_str().unwrap()]));
    assert_eq!((code, out.as_str()), (5, ""));
    let expected = "error: the environment variable `NO_SUCH_KEY` is not set, and the model's key is read from it\n  \
                    help: set it, or write it into a file and name that with --env-file\n";
    assert_eq!(err, expected);
}

#[test]
fn run_prints_the_transcript_as_json_lines() {
    let (code, out, err) = output(loopls(&["run", "run.loop.toml", "--json", "Where is it?"]));
    assert_eq!((code, err.as_str()), (0, ""));
    let records: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let types: Vec<&str> = records
        .iter()
        .map(|record| record["type"].as_str().unwrap())
        .collect();
    let known: Vec<&str> = types
        .iter()
        .copied()
        .filter(|kind| *kind != "tool_output")
        .collect();
    assert_eq!(
        known,
        [
            "run_started",
            "step_started",
            "text_delta",
            "tool_started",
            "access_decided",
            "tool_completed",
            "step_completed",
            "step_started",
            "text_delta",
            "step_completed",
            "run_ended"
        ]
    );
    let seqs: Vec<u64> = records
        .iter()
        .map(|record| record["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(seqs, (0..seqs.len() as u64).collect::<Vec<_>>());
    assert_eq!(records[0]["prompt"], "Where is it?");
    let uri = records[0]["uri"].as_str().unwrap();
    assert!(
        uri.starts_with("file:///") && uri.ends_with("/run.loop.toml"),
        "{uri}"
    );
    assert_eq!(records.last().unwrap()["answer"], "Order 1042 was shipped.");
}

#[test]
fn a_call_runs_if_a_flag_says_so_and_nobody_can_be_asked() {
    for (flags, refund, close) in [
        (&[][..], "✗", "✗"),
        (&["--yes"], "✓", "✗"),
        (&["--allow=close"], "✗", "✓"),
        (&["--yes", "--allow=close"], "✓", "✓"),
    ] {
        let (code, out, err) = output(loopls(&[&["run", "write.loop.toml"], flags].concat()));
        assert_eq!((code, out.as_str()), (0, "Done.\n"), "{flags:?}: {err}");
        for (tool, mark) in [("refund", refund), ("close", close)] {
            assert!(
                err.contains(&format!("{mark} {tool} #")),
                "{flags:?}: {err}"
            );
        }
        let hint = "nobody could be asked about close (irreversible); --allow close lets it run";
        assert_eq!(err.contains(hint), close == "✗", "{flags:?}: {err}");
    }
}

/// The same answer that the editor keeps, of a folder and with what its definitions reach.
#[test]
fn trust_lists_what_is_reached_and_keeps_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let state = tempfile::tempdir().unwrap();
    let text = "name = \"x\"\nmodel = { provider = \"scripted\", name = \"m\" }\n\
                [[tools]]\nname = \"t\"\ncommand = [\"touch\", \"x\"]\n";
    std::fs::write(folder.path().join("a.loop.toml"), text).unwrap();
    let trust = |folder: &std::path::Path| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_loopls"));
        command
            .arg("trust")
            .arg(folder)
            .env("XDG_STATE_HOME", state.path())
            .output()
            .unwrap()
    };
    let output = trust(folder.path());
    assert!(
        String::from_utf8_lossy(&output.stdout)
            .ends_with("from 1 definition:\n  program `touch`\n")
    );
    let answers = loopls::lsp::trust::Answers::new(&state.path().join("loopls"));
    let reach = |program: &str| [format!("program `{program}`")].into();
    assert!(answers.cover(folder.path(), &reach("touch")));
    assert!(!answers.cover(folder.path(), &reach("rm")));
    assert_eq!(trust(&folder.path().join("none")).status.code(), Some(2));
}
