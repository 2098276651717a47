//! `loopls test`, through the program itself.

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};

/// Exit status, standard output and standard error of `loopls test`, without the times.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_loopls"))
        .arg("test")
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/testing"))
        .stdin(Stdio::null())
        .env_remove("CLICOLOR_FORCE")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let times = regex::Regex::new(r#"\d+ ms|time="[0-9.]+"|"ms": \d+"#).unwrap();
    let timeless = |text: String| {
        let replaced = times.replace_all(&text, |found: &regex::Captures| match &found[0] {
            time if time.starts_with("time") => "time=\"T\"",
            time if time.starts_with('"') => "\"ms\": 0",
            _ => "T ms",
        });
        replaced.into_owned()
    };
    let code = output.status.code().expect("it ends by itself");
    (code, timeless(text(output.stdout)), text(output.stderr))
}

fn check(arguments: &[&str], expected: Expect) {
    let (code, out, err) = run(arguments);
    expected.assert_eq(&format!("{out}-- stderr\n{err}-- exit {code}\n"));
}

#[test]
fn for_people() {
    check(
        &["desk.loop.toml", "untested.loop.toml"],
        expect![[r#"
        desk.loop.toml
          ✓ finds an order · T ms
          ✗ tells <when> · T ms
              desk.loop.toml:27:12: the answer is `It was shipped.`, which does not contain `Monday`
              desk.loop.toml:28:14: the run had 0 iterations, not 1
          ✗ pays back · T ms
              desk.loop.toml:30:1: `refund` (write) was reached without a given result and did not run; add one to the test's `results`, or allow `refund` by name
          - asks the model · skipped: it has no script and asks the real model; --live runs it
        4 tests: 1 passed, 2 failed, 1 skipped
        -- stderr
        -- exit 1
    "#]],
    );
}

#[test]
fn for_build_servers() {
    check(
        &["--format=junit", "desk.loop.toml", "faulty.loop.toml"],
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites tests="5" failures="3" errors="0" skipped="1" time="T">
              <testsuite name="desk.loop.toml" tests="4" failures="2" errors="0" skipped="1" time="T">
                <testcase classname="desk.loop.toml" name="finds an order" file="desk.loop.toml" line="17" time="T"/>
                <testcase classname="desk.loop.toml" name="tells &lt;when&gt;" file="desk.loop.toml" line="22" time="T">
                  <failure message="the answer is `It was shipped.`, which does not contain `Monday`">desk.loop.toml:27:12: the answer is `It was shipped.`, which does not contain `Monday`&#10;desk.loop.toml:28:14: the run had 0 iterations, not 1</failure>
                </testcase>
                <testcase classname="desk.loop.toml" name="pays back" file="desk.loop.toml" line="30" time="T">
                  <failure message="`refund` (write) was reached without a given result and did not run; add one to the test's `results`, or allow `refund` by name">desk.loop.toml:30:1: `refund` (write) was reached without a given result and did not run; add one to the test's `results`, or allow `refund` by name</failure>
                </testcase>
                <testcase classname="desk.loop.toml" name="asks the model" file="desk.loop.toml" line="35" time="T">
                  <skipped message="it has no script and asks the real model; --live runs it"/>
                </testcase>
              </testsuite>
              <testsuite name="faulty.loop.toml" tests="1" failures="1" errors="0" skipped="0" time="T">
                <testcase classname="faulty.loop.toml" name="finds an order" file="faulty.loop.toml" line="5" time="T">
                  <failure message="the definition has 1 error: the test expects nothing; say what must come of it, such as `contains` [invalid_value]">faulty.loop.toml:8:10: the definition has 1 error: the test expects nothing; say what must come of it, such as `contains` [invalid_value]</failure>
                </testcase>
              </testsuite>
            </testsuites>
            -- stderr
            -- exit 1
        "#]],
    );
}

#[test]
fn for_programs() {
    let (code, out, _) = run(&["--format=json", "desk.loop.toml"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, 1);
    assert_eq!(
        (
            &report["version"],
            &report["passed"],
            &report["failed"],
            &report["skipped"]
        ),
        (&json!(1), &json!(1), &json!(2), &json!(1))
    );
    assert_eq!(
        report["tests"][1],
        json!({
            "path": "desk.loop.toml",
            "name": "tells <when>",
            "range": { "start": { "line": 21, "character": 0 }, "end": { "line": 21, "character": 9 } },
            "status": "failed",
            "ms": 0,
            "misses": [
                {
                    "message": "the answer is `It was shipped.`, which does not contain `Monday`",
                    "range": { "start": { "line": 26, "character": 11 }, "end": { "line": 26, "character": 19 } },
                },
                {
                    "message": "the run had 0 iterations, not 1",
                    "range": { "start": { "line": 27, "character": 13 }, "end": { "line": 27, "character": 14 } },
                },
            ],
        })
    );
    assert_eq!(report["tests"][3]["status"], "skipped");
    assert_eq!(
        report["tests"][3]["reason"],
        "it has no script and asks the real model; --live runs it"
    );
}

#[test]
fn what_is_run_and_how_it_ends() {
    for (arguments, expected, words) in [
        (
            &["--filter=finds", "desk.loop.toml"][..],
            0,
            "1 test: 1 passed\n",
        ),
        (
            &["--allow=refund", "--filter=pays", "desk.loop.toml"],
            0,
            "1 test: 1 passed\n",
        ),
        (
            &["--filter=asks", "desk.loop.toml"],
            0,
            "1 test: 0 passed, 1 skipped\n",
        ),
        (
            &["--filter=asks", "--live", "desk.loop.toml"],
            1,
            "✗ asks the model",
        ),
        (
            &["--shard=1/2", "desk.loop.toml"],
            1,
            "2 tests: 1 passed, 1 failed\n",
        ),
        (
            &["--shard=2/2", "desk.loop.toml"],
            1,
            "2 tests: 0 passed, 1 failed, 1 skipped\n",
        ),
        // A machine too many has nothing to do, which is no fault.
        (&["--shard=5/5", "desk.loop.toml"], 0, "0 tests: 0 passed\n"),
        (
            &["--jobs=1", "desk.loop.toml"],
            1,
            "4 tests: 1 passed, 2 failed, 1 skipped\n",
        ),
        (&["."], 1, "5 tests: 1 passed, 3 failed, 1 skipped\n"),
        (&["faulty.loop.toml"], 1, "the definition has 1 error: "),
        (
            &["untested.loop.toml"],
            2,
            "there was nothing to test\n  help: ",
        ),
        (
            &["--filter=nothing", "desk.loop.toml"],
            2,
            "none of the 4 tests has such a name",
        ),
        (
            &["nowhere.loop.toml", "desk.loop.toml"],
            2,
            "error: nowhere.loop.toml: ",
        ),
        (&["nowhere.loop.toml", "desk.loop.toml"], 2, "4 tests: "),
        (&["--shard=3/2"], 2, "such as `2/3`"),
        (&["--jobs=0"], 2, "--jobs"),
    ] {
        let (code, out, err) = run(arguments);
        let seen = format!("{out}{err}");
        assert_eq!(code, expected, "{arguments:?}: {seen}");
        assert!(seen.contains(words), "{arguments:?}: {seen}");
    }
}
