//! `fmt`

use super::{loopls, output, with_input};
use std::fs;
use std::path::Path;

const UNFORMATTED: &str = "name=\"a\"\n[limits]\ncalls = 1\n";
const FORMATTED: &str = "name = \"a\"\n\n[limits]\ncalls = 1\n";

fn in_folder(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = loopls(arguments);
    command.current_dir(folder);
    output(command)
}

#[test]
fn files_are_formatted_in_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.loop.toml"), UNFORMATTED).unwrap();
    let windows = format!("\u{feff}{}", UNFORMATTED.replace('\n', "\r\n"));
    fs::write(at("b.loop.toml"), windows).unwrap();
    fs::write(at("c.loop.toml"), FORMATTED).unwrap();
    fs::write(at("Cargo.toml"), UNFORMATTED).unwrap();

    let (code, out, err) = in_folder(folder.path(), &["fmt", "--check"]);
    assert_eq!(
        out,
        "would format a.loop.toml\nwould format b.loop.toml\n2 files would be formatted, 1 file already formatted\n"
    );
    assert_eq!((code, err.as_str()), (1, ""));
    assert_eq!(fs::read_to_string(at("a.loop.toml")).unwrap(), UNFORMATTED);

    let (code, out, err) = in_folder(folder.path(), &["fmt"]);
    assert_eq!(
        out,
        "formatted a.loop.toml\nformatted b.loop.toml\n2 files formatted, 1 file already formatted\n"
    );
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(fs::read_to_string(at("a.loop.toml")).unwrap(), FORMATTED);
    let windows = format!("\u{feff}{}", FORMATTED.replace('\n', "\r\n"));
    assert_eq!(fs::read_to_string(at("b.loop.toml")).unwrap(), windows);
    assert_eq!(fs::read_to_string(at("Cargo.toml")).unwrap(), UNFORMATTED);

    for arguments in [&["fmt", "--check"][..], &["fmt"]] {
        let (code, out, _) = in_folder(folder.path(), arguments);
        assert_eq!((code, out.as_str()), (0, "3 files already formatted\n"));
    }
}

#[test]
fn standard_input_is_formatted_onto_standard_output() {
    for text in [UNFORMATTED, FORMATTED] {
        let (code, out, err) = with_input(&["fmt", "-"], text);
        assert_eq!((code, out.as_str(), err.as_str()), (0, FORMATTED, ""));
    }
    let (code, out, _) = with_input(&["fmt", "--check", "-"], UNFORMATTED);
    assert_eq!((code, out.as_str()), (1, "would format <stdin>\n"));
    let (code, out, _) = with_input(&["fmt", "--check", "-"], FORMATTED);
    assert_eq!((code, out.as_str()), (0, ""));
    let (code, out, err) = with_input(&["fmt", "-", "x.loop.toml"], FORMATTED);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("`-` stands alone"), "{err}");
}

#[test]
fn what_is_not_toml_is_said_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.loop.toml");
    fs::write(&path, "name=\nb=1\n").unwrap();
    fs::write(folder.path().join("b.loop.toml"), UNFORMATTED).unwrap();
    let (code, out, err) = in_folder(folder.path(), &["fmt"]);
    assert_eq!(
        out,
        "formatted b.loop.toml\n1 file formatted, 1 file could not be formatted\n"
    );
    assert!(
        err.starts_with("error[syntax]: a value is missing after `=`\n"),
        "{err}"
    );
    assert!(
        err.ends_with("error: a.loop.toml: it was not formatted\n"),
        "{err}"
    );
    assert_eq!(code, 1);
    assert_eq!(fs::read_to_string(&path).unwrap(), "name=\nb=1\n");

    // Nothing comes out that a filter would put in the place of what went in.
    let (code, out, _) = with_input(&["fmt", "-"], "a=\n");
    assert_eq!((code, out.as_str()), (1, ""));
}

#[test]
fn what_cannot_be_read_is_unusable() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, err) = in_folder(folder.path(), &["fmt", "none.loop.toml"]);
    assert!(err.starts_with("error: none.loop.toml: "), "{err}");
    assert_eq!(code, 2);
    let (code, _, err) = in_folder(folder.path(), &["fmt"]);
    assert!(
        err.starts_with("error: there was nothing to format\n  help: "),
        "{err}"
    );
    assert_eq!(code, 2);
}

#[cfg(unix)]
#[test]
fn a_symlink_is_not_written_through() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.loop.toml");
    fs::write(&path, UNFORMATTED).unwrap();
    std::os::unix::fs::symlink("a.loop.toml", folder.path().join("b.loop.toml")).unwrap();
    let (code, _, err) = in_folder(folder.path(), &["fmt", "b.loop.toml"]);
    assert!(
        err.contains("b.loop.toml: it was not changed: it is a symlink"),
        "{err}"
    );
    assert_eq!(code, 2);
    assert_eq!(fs::read_to_string(&path).unwrap(), UNFORMATTED);
}
