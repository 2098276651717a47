//! Runs that are kept, recorded, gone on from and said again.

use super::{LOOPLS, data, output};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A user's state folder, and the program with it.
struct User {
    state: tempfile::TempDir,
}

impl User {
    fn new() -> Self {
        let state = tempfile::tempdir().unwrap();
        Self { state }
    }

    fn loopls(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(LOOPLS);
        command
            .args(arguments)
            .current_dir(data())
            .stdin(Stdio::null())
            .env("XDG_STATE_HOME", self.state.path())
            .env("HOME", self.state.path())
            .env_remove("CLICOLOR_FORCE");
        command
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        output(self.loopls(&[&["run"], arguments].concat()))
    }

    /// The records that a run prints.
    fn records(&self, arguments: &[&str]) -> Vec<Value> {
        let (code, out, err) = self.run(&[&["--json"], arguments].concat());
        assert_eq!(code, 0, "{err}");
        lines(&out)
    }

    /// The transcripts that are kept, the oldest first.
    fn kept(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        walk(self.state.path(), &mut found);
        found.retain(|path| {
            path.parent()
                .is_some_and(|folder| folder.ends_with("loopls/runs"))
        });
        found.sort();
        found
    }

    fn path(&self, name: &str) -> PathBuf {
        self.state.path().join(name)
    }
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => walk(&path, found),
            false => found.push(path),
        }
    }
}

fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn every_run_is_kept_unless_told_otherwise() {
    let user = User::new();
    let printed = user.records(&["run.loop.toml"]);
    user.records(&["run.loop.toml", "--no-transcript"]);
    let kept = user.kept();
    assert_eq!(kept.len(), 1);
    assert_eq!(lines(&fs::read_to_string(&kept[0]).unwrap()), printed);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&kept[0]), 0o600);
        assert_eq!(mode(kept[0].parent().unwrap()), 0o700);
    }
}

#[test]
fn a_run_is_made_though_it_cannot_be_kept() {
    let user = User::new();
    fs::create_dir_all(user.path("other")).unwrap();
    fs::write(user.path("other/loopls"), "a file where the folder belongs").unwrap();
    let mut command = user.loopls(&["run", "run.loop.toml"]);
    command
        .env("XDG_STATE_HOME", user.path("other"))
        .env("HOME", "/nowhere");
    let (code, out, err) = output(command);
    assert_eq!((code, out.as_str()), (0, "Order 1042 was shipped.\n"));
    assert!(err.contains("warning: the run is not kept: "), "{err}");
}

#[test]
fn a_record_is_new_and_never_written_over_another_file() {
    let user = User::new();
    let file = user.path("record.jsonl");
    let record = file.to_str().unwrap();
    let arguments = ["run.loop.toml", "--no-transcript", "--record", record];
    let printed = user.records(&arguments);
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(lines(&text), printed);

    let (code, out, err) = user.run(&arguments);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("it is there already"), "{err}");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);

    let (code, _, err) = user.run(&["run.loop.toml", "--record", "nowhere/record.jsonl"]);
    assert_eq!(code, 2, "{err}");
    assert_eq!(user.kept().len(), 0, "nothing was started");
}

#[test]
fn a_next_turn_follows_on_an_earlier_run() {
    let user = User::new();
    let id = |records: &[Value]| records[0]["run"].as_str().unwrap().to_owned();
    let first = id(&user.records(&["run.loop.toml", "First."]));
    // Of another definition.
    user.records(&["write.loop.toml"]);
    let second = user.records(&["run.loop.toml", "--continue", "And the second?"]);
    assert_eq!(second[0]["after"], first.as_str());
    assert_eq!(second[0]["prompt"], "And the second?");
    let third = user.records(&["run.loop.toml", "Third.", "--continue"]);
    assert_eq!(third[0]["after"], id(&second).as_str());
    let other = user.records(&["run.loop.toml", "--continue", &first[..13], "Another."]);
    assert_eq!(other[0]["after"], first.as_str());

    for (arguments, expected) in [
        (
            &["run.loop.toml", "--continue", "nobody", "x"][..],
            "there is no run `nobody`",
        ),
        (
            &["run.loop.toml", "--continue", "", "x"],
            "several runs begin with ``",
        ),
        (
            &["unprompted.loop.toml", "x", "--continue"],
            "there is no run of this definition to go on from",
        ),
        (
            &["run.loop.toml", "--continue", "--replay", "x"],
            "cannot be used with",
        ),
    ] {
        let (code, _, err) = user.run(arguments);
        assert_eq!(code, 2, "{arguments:?}: {err}");
        assert!(err.contains(expected), "{arguments:?}: {err}");
    }

    // What an earlier turn goes on from must be there still.
    fs::remove_file(&user.kept()[0]).unwrap();
    let (code, _, err) = user.run(&["run.loop.toml", "x", "--continue"]);
    assert_eq!(code, 2);
    assert!(err.contains("which is not kept any more"), "{err}");
}

#[test]
fn a_next_turn_keeps_the_mode_of_the_run_it_follows() {
    let user = User::new();
    let path = user.path("modes.loop.toml");
    let text = r#"
        name = "desk"
        prompt = "Go."
        initial_mode = "slow"
        model = { provider = "scripted", name = "m", script = [{ text = "Done." }] }
        modes = [{ name = "slow" }, { name = "fast" }]
    "#;
    fs::write(&path, text).unwrap();
    let run = |arguments: &[&str]| {
        let records = user.records(&[&[path.to_str().unwrap()], arguments].concat());
        records[0]["mode"].as_str().unwrap().to_owned()
    };
    assert_eq!(run(&["--mode", "fast"]), "fast");
    assert_eq!(run(&["--continue"]), "fast");
    assert_eq!(run(&["--continue", "--mode", "slow"]), "slow");
    assert_eq!(run(&["--continue"]), "slow");
    assert_eq!(run(&["--mode", "fast"]), "fast");
    // A mode that is gone gives way to the initial one.
    fs::write(&path, text.replace("\"fast\"", "\"quick\"")).unwrap();
    assert_eq!(run(&["--continue"]), "slow");
    assert_eq!(run(&[]), "slow");
}

#[test]
fn a_replay_runs_nothing_and_stops_where_it_parts() {
    let user = User::new();
    let file = user.path("record.jsonl");
    let definition = user.path("desk.loop.toml");
    let text = fs::read_to_string(data().join("run.loop.toml")).unwrap();
    fs::write(&definition, &text).unwrap();
    let [record, path] = [&file, &definition].map(|path| path.to_str().unwrap());
    user.records(&[path, "Where is it?", "--record", record]);

    // Neither the program nor the model of the record is there.
    let other = text
        .replace("\"printf\"", "\"sh\", \"nowhere\"")
        .replace("Let me look.", "Something else.");
    fs::write(&definition, &other).unwrap();
    let again = user.records(&[path, "--replay", record]);
    assert_eq!(again[0]["prompt"], "Where is it?");
    let answer = again.last().unwrap();
    assert_eq!(answer["answer"], "Order 1042 was shipped.");

    let denied = format!("{other}\n[access]\ndeny = [\"lookup\"]\n");
    fs::write(&definition, denied).unwrap();
    let (code, out, err) = user.run(&[path, "--replay", record]);
    assert_eq!((code, out.as_str()), (5, ""));
    let parts = "failed: the replay parts from its record at step 1, call 1 (`lookup`): ";
    assert!(err.contains(parts), "{err}");

    for (file, expected) in [
        ("run.loop.toml", "it is no transcript"),
        ("nowhere", "nowhere: "),
    ] {
        let (code, _, err) = user.run(&["run.loop.toml", "--replay", file]);
        assert_eq!(code, 2, "{err}");
        assert!(err.contains(expected), "{err}");
    }
}

/// rust-analyzer#21325: the file is read anew for each run.
#[cfg(unix)]
#[test]
fn a_key_in_an_environment_file_is_used_and_shown_nowhere() {
    let user = User::new();
    let file = user.path("keys.env");
    let arguments = ["secret.loop.toml", "--env-file", file.to_str().unwrap()];
    for value in ["s3cr3t-k3y-0001", "0ther-k3y-0002"] {
        fs::write(&file, format!("# Keys.\nexport SHOP_ACCESS=\"{value}\"\n")).unwrap();
        let mut command = user.loopls(&[&["run", "--json"], &arguments[..]].concat());
        command.env("SHOP_ACCESS", "a-value-that-does-not-count");
        let (code, out, err) = output(command);
        assert_eq!(code, 0, "{err}");
        let last = user.kept().pop().unwrap();
        let everything = format!("{out}{err}{}", fs::read_to_string(last).unwrap());
        assert!(!everything.contains(value), "{everything}");
        // Of `user:s3cr3t…` in Base64 the middle.
        for part in ["czNjcjN0", "MHRoZXIt"] {
            assert!(!everything.contains(part), "{everything}");
        }
        let result = lines(&out)
            .into_iter()
            .find(|record| record["type"] == "tool_completed")
            .unwrap();
        let result = result["result"].as_str().unwrap().to_owned();
        assert_eq!(result.matches("[SHOP_ACCESS]").count(), 3, "{result}");
        let chunks: String = lines(&out)
            .iter()
            .filter(|record| record["type"] == "tool_output")
            .map(|record| record["text"].as_str().unwrap())
            .collect();
        assert_eq!(chunks, result);
    }
    fs::write(&file, "SHOP_ACCESS\n").unwrap();
    let (code, _, err) = user.run(&arguments);
    assert_eq!(code, 2);
    assert!(err.contains("keys.env: line 1: there is no `=`"), "{err}");
}

#[cfg(unix)]
#[test]
fn a_record_is_not_written_through_a_symlink() {
    let user = User::new();
    let link = user.path("record.jsonl");
    std::os::unix::fs::symlink(user.path("elsewhere"), &link).unwrap();
    let (code, _, err) = user.run(&["run.loop.toml", "--record", link.to_str().unwrap()]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("it is there already"), "{err}");
    assert!(!user.path("elsewhere").exists());
}
