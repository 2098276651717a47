//! `check --fix`

use super::{data, loopls, output, with_input};
use expect_test::expect;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A folder with copies of these files of the test data.
fn folder(names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        fs::copy(data().join(name), folder.path().join(name)).unwrap();
    }
    folder
}

fn in_folder(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = loopls(arguments);
    command.current_dir(folder);
    output(command)
}

#[test]
fn what_was_done_is_said_and_what_is_left_is_reported() {
    let folder = folder(&["faulty.loop.toml", "warning.loop.toml", "run.loop.toml"]);
    let path = folder.path().join("faulty.loop.toml");
    let before = fs::read_to_string(&path).unwrap();
    let (code, out, err) = in_folder(folder.path(), &["check", "--fix"]);
    assert_eq!((code, err.as_str()), (1, ""));
    let (done, left) = out.split_once("error[").unwrap();
    expect![[r#"
        fixed faulty.loop.toml:11: Remove `calls`, which says the same (zero_limit)
        fixed warning.loop.toml:8: Remove `calls`, which says the same (zero_limit)
        fixed 2 problems in 2 files
    "#]]
    .assert_eq(done);
    assert!(left.ends_with("checked 3 files: 3 errors\n"), "{left}");
    let after = fs::read_to_string(&path).unwrap();
    assert_eq!(after, before.replace("calls = 0\n", ""));

    let (_, out, _) = in_folder(folder.path(), &["check", "--fix"]);
    assert!(out.starts_with("fixed nothing\n"), "{out}");
    assert_eq!(fs::read_to_string(&path).unwrap(), after);
}

#[test]
fn other_reports_have_standard_output_for_themselves() {
    let folder = folder(&["warning.loop.toml"]);
    let (code, out, err) = in_folder(folder.path(), &["check", "--fix", "--format=json"]);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["files"][0]["diagnostics"], serde_json::json!([]));
    assert!(err.ends_with("fixed 1 problem in 1 file\n"), "{err}");
    assert_eq!(code, 0);
}

#[test]
fn standard_input_is_fixed_onto_standard_output() {
    let text = fs::read_to_string(data().join("warning.loop.toml")).unwrap();
    let text = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let (code, out, err) = with_input(&["check", "--fix", "-"], &text);
    assert_eq!(out, text.replace("calls = 0\r\n", ""));
    expect![[r#"
        fixed <stdin>:8: Remove `calls`, which says the same (zero_limit)
        fixed 1 problem in 1 file
        checked 1 file: no errors, no warnings
    "#]]
    .assert_eq(&err);
    assert_eq!(code, 0);

    let (code, out, err) = with_input(&["check", "--fix", "-", "run.loop.toml"], &text);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("`-` stands alone"), "{err}");
}

/// What is not analysed must not be lost either.
#[test]
fn a_text_that_is_too_large_comes_out_as_it_went_in() {
    let text = format!("[limits]\ncalls = 0\n#{}\n", "x".repeat(4 << 20));
    let (code, out, err) = with_input(&["check", "--fix", "-"], &text);
    assert!(out == text, "the text is another");
    assert!(err.contains("the file is larger than 4 MiB"), "{err}");
    assert_eq!(code, 1);
}

#[cfg(unix)]
#[test]
fn files_are_replaced_in_their_place_and_never_through_a_symlink() {
    use std::os::unix::fs::{MetadataExt, symlink};
    let folder = folder(&["warning.loop.toml"]);
    let path = folder.path().join("warning.loop.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o640)).unwrap();
    symlink("warning.loop.toml", folder.path().join("link.loop.toml")).unwrap();

    let (code, out, err) = in_folder(folder.path(), &["check", "--fix", "link.loop.toml"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("link.loop.toml: it was not changed: it is a symlink"),
        "{err}"
    );
    // What was not fixed is still reported.
    assert!(out.ends_with("checked 1 file: 1 warning\n"), "{out}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);

    let before = fs::metadata(&path).unwrap();
    assert_eq!(in_folder(folder.path(), &["check", "--fix"]).0, 0);
    let after = fs::metadata(&path).unwrap();
    assert_ne!(before.ino(), after.ino(), "it is a new file");
    assert_eq!(after.mode() & 0o7777, 0o640);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}
