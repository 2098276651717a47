//! MCP servers on the command line: what a bind lists, what a run does with one, and that nothing is left of it.
#![cfg(unix)]

use super::{loopls, output};
use expect_test::expect;
use rustix::process::{Pid, test_kill_process};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

const SERVER: &str = include_str!("../../data/mcp/server.sh");

/// A folder with a server and a definition that uses it.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    /// `calls` is what the model says first, `more` stands in the tool's entry.
    fn new(calls: &str, more: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("server.sh"), SERVER).unwrap();
        let text = format!(
            r#"name = "desk"
prompt = "Go."

[model]
provider = "scripted"
name = "m"
script = [{{ calls = [{calls}] }}, {{ text = "Done." }}]

[[tools]]
name = "server"
mcp = {{ command = ["sh", "server.sh"], prefix = "s_" }}
{more}
"#
        );
        let desk = Self { folder };
        std::fs::write(desk.file(), text).unwrap();
        desk
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("desk.loop.toml")
    }

    /// Runs the program with these arguments, the file among them, in its folder.
    fn loopls(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = loopls(arguments);
        command
            .arg("desk.loop.toml")
            .current_dir(self.folder.path());
        output(command)
    }

    /// The process that the server is or was.
    fn pid(&self) -> Pid {
        let text = std::fs::read_to_string(self.folder.path().join("pids")).unwrap();
        Pid::from_raw(text.trim().parse().unwrap()).unwrap()
    }

    fn server_is_gone(&self) -> bool {
        test_kill_process(self.pid()).is_err()
    }
}

const ODD: &str = r#"env = { MORE = '{"name":"none"},' }"#;

#[test]
fn a_bind_lists_tools_with_their_inputs_and_what_was_left_out() {
    let desk = Desk::new("", &format!("{ODD}\neffects = {{ echo = \"read\" }}"));
    let (code, out, err) = desk.loopls(&["bind"]);
    expect![[r#"
        s_echo  read, of `server`
          Says it.
          n  integer

        s_fail  write, of `server`

        s_slow  write, of `server`

        s_die  write, of `server`

        (base): s_echo, s_fail, s_slow, s_die
        -- stderr
        warning: desk.loop.toml:11:1: tool `server`: `none` is left out: it has no input schema
        -- exit 0
    "#]]
    .assert_eq(&format!("{out}-- stderr\n{err}-- exit {code}\n"));
    assert!(desk.server_is_gone(), "it ended before the command did");
}

#[test]
fn a_bind_as_json() {
    let desk = Desk::new("", &format!("{ODD}\nproduces = [\"s_echo\"]"));
    let (code, out, _) = desk.loopls(&["bind", "--format", "json"]);
    assert_eq!(code, 0);
    expect![[r#"
        {
          "version": 1,
          "name": "desk",
          "modes": [
            {
              "name": "",
              "tools": [
                {
                  "name": "s_echo",
                  "definition": "server",
                  "description": "Says it.",
                  "effect": "write",
                  "input_schema": {
                    "type": "object",
                    "properties": {
                      "n": {
                        "type": "integer"
                      }
                    }
                  }
                }
              ]
            }
          ],
          "notices": []
        }
    "#]]
    .assert_eq(&out);
}

#[test]
fn what_cannot_be_bound_is_told_with_its_place() {
    let desk = Desk::new("", "produces = [\"s_other\"]");
    let (code, out, err) = desk.loopls(&["bind"]);
    expect![[r#"
        -- stderr
        error: desk.loop.toml:12:13: tool `server`: the server offers no tool `s_other`; it offers `s_echo`, `s_fail`, `s_slow`, `s_die`
        -- exit 5
    "#]]
    .assert_eq(&format!("{out}-- stderr\n{err}-- exit {code}\n"));
    assert!(desk.server_is_gone());

    std::fs::write(desk.file(), "name = 1\n").unwrap();
    assert_eq!(desk.loopls(&["bind"]).0, 1);
}

#[test]
fn a_run_calls_a_server_and_ends_it() {
    let calls = r#"{ tool = "s_echo", input = { n = 7 } }, { tool = "s_fail" }"#;
    let desk = Desk::new(calls, &format!("{ODD}\neffect = \"read\""));
    let (code, out, err) = desk.loopls(&["run"]);
    assert_eq!((code, out.as_str()), (0, "Done.\n"), "{err}");
    for words in [
        "warning: desk.loop.toml:11:1: tool `server`: `none` is left out",
        "✓ s_echo",
        "{'n':7}",
        "✗ s_fail",
        "error: no such luck",
    ] {
        assert!(err.contains(words), "{words}: {err}");
    }
    assert!(desk.server_is_gone());
}

#[test]
fn only_a_name_that_is_spelt_out_allows_a_tool_of_a_server() {
    let calls = r#"{ tool = "s_echo" }"#;
    for (access, decision) in [
        ("allow = [\"s_*\"]", "deny"),
        ("allow = [\"s_echo\"]", "allow"),
        ("deny = [\"s_*\"]", "deny"),
    ] {
        let desk = Desk::new(calls, &format!("[access]\n{access}"));
        let (_, out, _) = desk.loopls(&["run", "--json"]);
        let events = out.lines().map(|line| serde_json::from_str(line).unwrap());
        let decided: Vec<Value> = events
            .filter(|event: &Value| event["type"] == "access_decided")
            .collect();
        assert_eq!(decided[0]["decision"], decision, "{access}");
    }
}

#[test]
fn what_a_server_knows_that_is_secret_is_nowhere_in_a_transcript() {
    let calls = r#"{ tool = "s_echo", input = { n = 1 } }, { tool = "s_die" }"#;
    let more = r#"
effect = "read"
sequential = true
[tools.env]
KEY = "${THE_KEY}"
MORE = '{"name":"told","description":"Uses ${THE_KEY}.","inputSchema":{"type":"object","properties":{"${THE_KEY}":{}}}},'
"#;
    let desk = Desk::new(calls, more);
    for arguments in [&["bind", "--format", "json"][..], &["run", "--json"]] {
        let mut command = loopls(arguments);
        command
            .arg("desk.loop.toml")
            .current_dir(desk.folder.path());
        command.env("THE_KEY", "k-0123456789");
        let (_, out, err) = output(command);
        assert!(!out.contains("k-0123456789"), "{out}");
        assert!(!err.contains("k-0123456789"), "{err}");
        let told = match arguments[0] {
            "bind" => "Uses [THE_KEY].",
            _ => "it said: the key is [THE_KEY]",
        };
        assert!(out.contains(told), "{out}");
    }
}

/// A call ends at its timeout, and the server can be called again.
#[test]
fn a_call_that_takes_too_long_ends_and_the_server_stays_usable() {
    let calls = r#"{ tool = "s_slow" }, { tool = "s_echo", input = { n = 2 } }"#;
    let more = "effect = \"read\"\ntimeout = \"2s\"\nsequential = true";
    let desk = Desk::new(calls, more);
    let (code, _, err) = desk.loopls(&["run"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("timed out after 2s"), "{err}");
    assert!(err.contains("{'n':2}"), "{err}");
}

#[test]
fn nothing_is_left_of_a_server_when_the_run_is_killed() {
    let desk = Desk::new("{ tool = \"s_slow\" }", "effect = \"read\"");
    let mut command = loopls(&["run", "--json"]);
    command.arg(desk.file()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut lines = lines.map_while(Result::ok);
    assert!(lines.any(|line| line.contains("tool_started")));
    child.kill().unwrap();
    child.wait().unwrap();
    let start = Instant::now();
    while !desk.server_is_gone() {
        assert!(start.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether the server was started.
fn was_started(desk: &Desk) -> bool {
    desk.folder.path().join("pids").exists()
}

#[test]
fn a_test_starts_a_server_only_where_a_call_may_reach_it() {
    let given = r#"results = [{ tool = "s_echo", input = { n = 1 }, result = "one" }]"#;
    let other = "[[tools]]\nname = \"here\"\neffect = \"read\"\nreply = \"here\"\n";
    for (what, entry, script, results, started) in [
        (
            "a result that is given",
            "",
            r#"tool = "s_echo", input = { n = 1 }"#,
            given,
            false,
        ),
        (
            "one that the entry names",
            "produces = [\"s_echo\"]",
            r#"tool = "s_echo", input = { n = 1 }"#,
            given,
            false,
        ),
        (
            "one for another input",
            "",
            r#"tool = "s_echo", input = { n = 2 }"#,
            given,
            true,
        ),
        (
            "no result that is given",
            "",
            r#"tool = "s_echo", input = { n = 1 }"#,
            "",
            true,
        ),
        (
            "a tool of the loop's own",
            "",
            r#"tool = "here""#,
            "",
            false,
        ),
        (
            "a tool with another prefix",
            "",
            r#"tool = "t_echo""#,
            "",
            false,
        ),
        (
            "a tool that the server may have",
            "",
            r#"tool = "s_new""#,
            "",
            true,
        ),
        (
            "a tool that the entry does not name",
            "produces = [\"s_echo\"]",
            r#"tool = "s_new""#,
            "",
            false,
        ),
    ] {
        let test = format!(
            "effect = \"read\"\n{entry}\n{other}\n[[tests]]\nname = \"t\"\nscript = [{{ calls = [{{ {script} }}] }}, {{ text = \"Done.\" }}]\n{results}\nexpect = {{ answer = \"Done.\" }}\n"
        );
        let desk = Desk::new("", &test);
        let (code, out, err) = desk.loopls(&["test"]);
        assert_eq!(code, 0, "{what}: {out}{err}");
        assert_eq!(was_started(&desk), started, "{what}");
    }
}

#[test]
fn a_test_gets_the_given_result_of_a_server_that_is_not_there() {
    let tests = r#"
[[tests]]
name = "given"
script = [{ calls = [{ tool = "s_echo" }, { tool = "s_fail" }] }, { text = "Done." }]
results = [{ tool = "s_echo", result = "one" }, { tool = "s_fail", result = "no", error = true }]
expect.results = [{ tool = "s_echo", contains = "one" }, { tool = "s_fail", contains = "error: no", is_error = true }]
"#;
    let desk = Desk::new("", tests);
    std::fs::remove_file(desk.folder.path().join("server.sh")).unwrap();
    let (code, out, err) = desk.loopls(&["test"]);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn a_replay_needs_no_server() {
    let desk = Desk::new(
        r#"{ tool = "s_echo", input = { n = 1 } }, { tool = "s_echo", input = { n = "x" } }, { tool = "s_none" }"#,
        "effect = \"read\"",
    );
    let (code, out, err) = desk.loopls(&["run", "--record", "record.jsonl"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(was_started(&desk));
    for file in ["pids", "server.sh"] {
        std::fs::remove_file(desk.folder.path().join(file)).unwrap();
    }
    let (code, out, err) = desk.loopls(&["run", "--replay", "record.jsonl"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        out.contains("{'n':1}") || err.contains("{'n':1}"),
        "{out}{err}"
    );
    assert!(!was_started(&desk));
}
