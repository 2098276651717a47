//! `loopls.toml`

use super::{data, loopls, output};
use expect_test::{Expect, expect};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A folder with these files; `warning.loop.toml` and the like stand for those of the test data.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match *text {
            "" if name.ends_with(".loop.toml") => {
                let name = path.file_name().unwrap();
                fs::copy(data().join(name), &path).map(drop).unwrap();
            }
            text => fs::write(path, text).unwrap(),
        }
    }
    folder
}

fn in_folder(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = loopls(arguments);
    command.current_dir(folder);
    output(command)
}

fn check(folder: &TempDir, arguments: &[&str], expected: Expect) {
    let (code, out, err) = in_folder(folder.path(), arguments);
    expected.assert_eq(&format!("{out}-- stderr\n{err}-- exit {code}\n"));
}

#[test]
fn levels_count_and_the_command_line_counts_more() {
    let folder = folder(&[
        ("loopls.toml", "levels = { zero_limit = \"hint\" }\n"),
        ("sub/warning.loop.toml", ""),
    ]);
    let said = |arguments: &[&str]| {
        let (code, out, _) = in_folder(folder.path(), &[&["check"], arguments].concat());
        let summary = out.lines().find(|line| line.starts_with("checked "));
        (code, summary.unwrap_or_default().to_owned())
    };
    assert_eq!(said(&[]), (0, "checked 1 file: 1 hint".into()));
    assert_eq!(
        said(&["--level=zero_limit=information"]),
        (0, "checked 1 file: 1 information".into())
    );
    assert_eq!(
        said(&["--level=zero_limit=warning", "--deny-warnings"]),
        (1, "checked 1 file: 1 warning".into())
    );
    // What is off is not fixed.
    fs::write(
        folder.path().join("loopls.toml"),
        "[levels]\nzero_limit = \"off\"\n",
    )
    .unwrap();
    let (_, out, _) = in_folder(folder.path(), &["check", "--fix"]);
    assert_eq!(
        out,
        "fixed nothing\nchecked 1 file: no errors, no warnings\n"
    );
}

#[test]
fn the_nearest_project_counts() {
    let folder = folder(&[
        ("loopls.toml", "levels = { zero_limit = \"off\" }\n"),
        ("a/warning.loop.toml", ""),
        ("own/loopls.toml", ""),
        ("own/warning.loop.toml", ""),
        ("git/.git/HEAD", "ref: refs/heads/main\n"),
        ("git/warning.loop.toml", ""),
    ]);
    let (_, out, _) = in_folder(folder.path(), &["check", "--format=github"]);
    let files: Vec<&str> = out
        .lines()
        .map(|line| line.split(['=', ',']).nth(1).unwrap())
        .collect();
    assert_eq!(files, ["git/warning.loop.toml", "own/warning.loop.toml"]);
}

#[test]
fn what_is_excluded_is_not_found_and_can_be_named() {
    let folder = folder(&[
        ("loopls.toml", "exclude = [\"drafts\", \"**/old-*\"]\n"),
        ("run.loop.toml", ""),
        ("drafts/deep/warning.loop.toml", ""),
        ("sub/old-a.loop.toml", "broken\n"),
    ]);
    check(
        &folder,
        &["check"],
        expect![[r#"
        checked 1 file: no errors, no warnings
        -- stderr
        -- exit 0
    "#]],
    );
    check(
        &folder,
        &["fmt", "--check"],
        expect![[r#"
        1 file already formatted
        -- stderr
        -- exit 0
    "#]],
    );
    check(
        &folder,
        &["check", "drafts"],
        expect![[r#"
        checked 0 files: no errors, no warnings
        -- stderr
        error: there was nothing to check
          help: a directory is searched for `*.loop.toml` and `loop.toml`; hidden, ignored and excluded files are left out
        -- exit 2
    "#]],
    );
    let named = [
        "check",
        "drafts/deep/warning.loop.toml",
        "sub/old-a.loop.toml",
        "--format=github",
    ];
    let (code, out, _) = in_folder(folder.path(), &named);
    assert_eq!(code, 1);
    for name in &named[1..3] {
        assert!(out.contains(&format!("file={name},")), "{out}");
    }
    // Patterns are relative to the project, wherever one stands.
    let (_, out, _) = in_folder(&folder.path().join("drafts"), &["check", ".."]);
    assert_eq!(out, "checked 1 file: no errors, no warnings\n");
}

#[test]
fn what_is_wrong_with_settings_is_said_at_its_place() {
    let folder = folder(&[
        (
            "loopls.toml",
            "exclude = \"drafts\"\nserver = \"x\"\n\n[levels]\nsyntax = \"off\"\nzero_limit = \"hint\"\n",
        ),
        ("warning.loop.toml", ""),
    ]);
    check(
        &folder,
        &["check"],
        expect![[r#"
            error[wrong_type]: `exclude` is an array of patterns, as in `exclude = ["drafts"]`
             --> loopls.toml:1:11
              |
            1 | exclude = "drafts"
              |           ^^^^^^^^

            error[unknown_key]: there is no key `server` in `loopls.toml`; there are `levels` and `exclude`
             --> loopls.toml:2:1
              |
            2 | server = "x"
              | ^^^^^^

            error[invalid_value]: `syntax` is an error, and no setting lowers it: a definition that has it cannot be run
             --> loopls.toml:5:1
              |
            5 | syntax = "off"
              | ^^^^^^

            hint[zero_limit]: 0 does not mean "none" here: `calls` takes its default, 100
             --> warning.loop.toml:8:9
              |
            8 | calls = 0
              |         ^

            checked 2 files: 3 errors, 1 hint
            -- stderr
            -- exit 1
        "#]],
    );
    // `exclude` may be what is wrong, so nothing is written.
    let path = folder.path().join("warning.loop.toml");
    let text = fs::read_to_string(&path).unwrap();
    for arguments in [&["check", "--fix"][..], &["fmt"]] {
        let (code, out, err) = in_folder(folder.path(), arguments);
        assert_eq!((code, out.as_str()), (2, ""));
        assert!(
            err.ends_with("error: loopls.toml: it has errors, so no file was changed\n"),
            "{err}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    let (_, out, _) = in_folder(folder.path(), &["check", "--format=sarif"]);
    assert!(out.contains("\"uri\": \"loopls.toml\""), "{out}");
}

#[test]
fn settings_are_no_definition() {
    let folder = folder(&[("loopls.toml", "exclude = []\n")]);
    let (code, out, _) = in_folder(folder.path(), &["check", "loopls.toml"]);
    assert_eq!(
        (code, out.as_str()),
        (0, "checked 1 file: no errors, no warnings\n")
    );
    let (code, _, err) = in_folder(folder.path(), &["check"]);
    assert_eq!(code, 2);
    assert!(
        err.starts_with("error: there was nothing to check\n"),
        "{err}"
    );
    let (code, _, err) = in_folder(folder.path(), &["check", "sub/loopls.toml"]);
    assert_eq!(code, 2);
    assert!(
        err.starts_with("error: sub/loopls.toml: No such file"),
        "{err}"
    );
}

#[test]
fn settings_that_cannot_be_read_are_told() {
    let folder = folder(&[("run.loop.toml", ""), ("loopls.toml/x", "")]);
    check(
        &folder,
        &["check"],
        expect![[r#"
        checked 1 file: no errors, no warnings
        -- stderr
        error: loopls.toml: it cannot be read: it is no regular file
        -- exit 2
    "#]],
    );
    check(
        &folder,
        &["fmt"],
        expect![[r#"
        -- stderr
        error: loopls.toml: it cannot be read: it is no regular file
        -- exit 2
    "#]],
    );
}
