//! Beginning: a new definition, and completion in a shell.

use super::{loopls, output};
use expect_test::expect;

#[test]
fn a_new_definition_has_no_diagnostics_runs_without_a_key_and_is_never_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let at = |arguments: &[&str]| {
        let mut command = loopls(arguments);
        command.current_dir(folder.path());
        output(command)
    };
    let (code, out, err) = at(&["new", "desk"]);
    assert_eq!((code, err.as_str()), (0, ""));
    expect![[r#"
        desk.loop.toml is begun
          loopls run desk.loop.toml
          loopls test desk.loop.toml
    "#]]
    .assert_eq(&out);
    let text = std::fs::read_to_string(folder.path().join("desk.loop.toml")).unwrap();
    assert!(text.contains("\nname = \"desk\"\n"), "{text}");

    let (code, out, err) = at(&["check", "--format", "json", "desk.loop.toml"]);
    assert_eq!(code, 0, "{err}");
    assert!(!out.contains("\"severity\""), "{out}");
    assert_eq!(at(&["fmt", "--check", "desk.loop.toml"]).0, 0);
    assert_eq!(at(&["test", "desk.loop.toml"]).0, 0);
    let (code, out, err) = at(&["run", "desk.loop.toml"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.ends_with("You are who the tool says you are.\n"),
        "{out}"
    );
    assert!(err.contains("✓ current_user"), "{err}");

    let own = format!("{text}# mine\n");
    std::fs::write(folder.path().join("desk.loop.toml"), &own).unwrap();
    let (code, _, err) = at(&["new", "desk"]);
    assert_eq!(code, 2);
    expect![[r#"
        error: desk.loop.toml: it is there already
          help: give the loop another name; nothing is overwritten
    "#]]
    .assert_eq(&err);
    let after = std::fs::read_to_string(folder.path().join("desk.loop.toml")).unwrap();
    assert_eq!(after, own);
}

#[test]
fn each_shell_has_its_script() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, out, err) = output(loopls(&["completions", shell]));
        assert_eq!((code, err.as_str()), (0, ""), "{shell}");
        for word in ["resolve", "env-file", "completions"] {
            assert!(out.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(output(loopls(&["completions", "dos"])).0, 2);
}
