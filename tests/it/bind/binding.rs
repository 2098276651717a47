//! What a bind makes, and what it refuses.

use super::*;
use loopls::definition::Nowhere;

#[tokio::test]
async fn a_definition_makes_a_tool_for_each_produced_name() {
    let tools = tool(
        "printf %s \"$LOOPLS_TOOL\"",
        "produces = [\"get\", \" put \"]\neffect = \"irreversible\"\ntimeout = \"2s\"",
    );
    let modes = "initial_mode = \"a\"\nmodes = [{ name = \"a\", tools = [\"t\"] }]\n";
    let desk = Desk::new(&format!("{modes}{tools}")).await;
    let text_of_desk = format!("{HEADER}{modes}{tools}");
    for name in ["get", "put"] {
        let call = desk.tool(name).prepare(&json!({})).unwrap();
        let outcome = finished(call.run(context(&CancellationToken::new()))).await;
        assert_eq!(text(&outcome), name);
        let info = desk.tool(name).info();
        assert_eq!((info.definition.as_str(), info.timeout), ("t", Some(2_000)));
    }
    // Built once: the mode has the very instances of the base.
    let [base, mode] = &desk.bound.modes[..] else {
        panic!("a base and a mode");
    };
    assert!(
        base.tools
            .iter()
            .zip(&mode.tools)
            .all(|(a, b)| Arc::ptr_eq(a, b))
    );
    assert_eq!((base.tools.len(), mode.tools.len()), (2, 2));
    // Of another bind nothing is shared.
    let again = bind_with(&text_of_desk, bindings(desk.folder.path())).await;
    let again = &again.unwrap().modes[0].tools;
    assert!(
        base.tools
            .iter()
            .zip(again)
            .all(|(a, b)| !Arc::ptr_eq(a, b) && a.info().name == b.info().name)
    );
}

#[tokio::test]
async fn what_cannot_be_bound_is_told_with_its_place() {
    let entry =
        |source: &str| format!("{HEADER}[[tools]]\nname = \"t\"\ndescription = \"d\"\n{source}\n");
    for (text, place, expected) in [
        (
            entry(r#"command = ["no-such-program", "x"]"#),
            r#""no-such-program""#,
            "tool `t`: there is no program `no-such-program` on PATH",
        ),
        (
            entry(r#"command = ["bin/none"]"#),
            r#""bin/none""#,
            "tool `t`: there is no program at `bin/none`",
        ),
        (
            entry("command = [\"true\"]\nenv = { A = \"${LOOPLS_TEST_UNSET}\" }"),
            r#""${LOOPLS_TEST_UNSET}""#,
            "tool `t`: the environment variable `LOOPLS_TEST_UNSET` is not set",
        ),
        (
            entry(r#"mcp = { command = ["true"] }"#).replace("description = \"d\"\n", ""),
            "mcp",
            "tool `t`: the server cannot be used: it ended; exit status 0",
        ),
        (
            format!("delegates = [\"other\"]\n{HEADER}"),
            r#""other""#,
            "delegate `other`: no loop of this project has this name",
        ),
        (
            format!("{HEADER}[[middlewares]]\nkind = \"log\"\nfile = \"other.jsonl\"\n"),
            r#""other.jsonl""#,
            "the log `other.jsonl`: it was not begun by loopls, which appends to logs of its own only",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("other.jsonl"), "{}\n").unwrap();
        let error = bind_with(&text, bindings(folder.path()))
            .await
            .err()
            .unwrap();
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.span().unwrap().of(&text), place);
    }
}

/// A tool of the host's own.
struct Extra(ToolInfo);

impl Extra {
    fn named(name: &str) -> Arc<dyn Tool> {
        Arc::new(Self(ToolInfo {
            name: name.into(),
            definition: name.into(),
            description: String::new(),
            input_schema: json!({ "type": "object" }),
            effect: loopls::definition::Effect::Read,
            sequential: false,
            timeout: None,
            span: loopls::text::Span::empty(0),
        }))
    }
}

impl Tool for Extra {
    fn info(&self) -> &ToolInfo {
        &self.0
    }

    fn prepare(&self, _input: &Value) -> Result<Box<dyn PreparedCall>, InputProblem> {
        Err(InputProblem("never called".into()))
    }
}

#[tokio::test]
async fn bindings_are_checked_in_order() {
    let modes = "initial_mode = \"m\"\nmodes = [{ name = \"m\" }]\n";
    let text = format!("{HEADER}{modes}{}", tool("true", ""));
    let nil = Uuid::nil();
    for (session_id, loop_id, extra, expected) in [
        (nil, nil, &[][..], Err("the session id is zero")),
        (Uuid::from_u128(1), nil, &[""], Err("the loop id is zero")),
        (
            Uuid::from_u128(1),
            Uuid::from_u128(1),
            &[" "],
            Err("tool ` `: its name is blank"),
        ),
        (
            Uuid::from_u128(1),
            Uuid::from_u128(1),
            &["_looprig_final_output"],
            Err("tool `_looprig_final_output`: this name is reserved"),
        ),
        (
            Uuid::from_u128(1),
            Uuid::from_u128(1),
            &["a", "a "],
            Err("two tools are named `a`"),
        ),
        (
            Uuid::from_u128(1),
            Uuid::from_u128(1),
            &["t"],
            Err("two tools are named `t`"),
        ),
        (
            Uuid::from_u128(1),
            Uuid::from_u128(1),
            &["b", "a"],
            Ok(&["t", "b", "a"][..]),
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let bindings = Bindings {
            session_id,
            loop_id,
            extra_tools: extra.iter().map(|name| Extra::named(name)).collect(),
            ..bindings(folder.path())
        };
        let names = bind_with(&text, bindings).await.map(|bound| {
            let names = bound.modes.iter().map(|mode| {
                let tools = mode.tools.iter();
                tools.map(|tool| tool.info().name.clone()).collect()
            });
            let names: Vec<Vec<_>> = names.collect();
            assert_eq!(names[0], names[1], "every mode has them");
            names[0].clone()
        });
        let expected = expected.map(|names| names.iter().map(ToString::to_string).collect());
        assert_eq!(
            names.map_err(|error| error.to_string()),
            expected.map_err(str::to_owned)
        );
    }
}

#[tokio::test]
async fn prompts_come_from_files_under_the_root() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("system.md"), "\u{feff}Be brief.\r\n").unwrap();
    let text = format!("system_file = \"system.md\"\n{HEADER}");
    let bound = bind_with(&text, bindings(folder.path())).await.unwrap();
    assert_eq!(bound.modes[0].system, "Be brief.");

    let (accepted, _) = accept(&text, folder.path());
    let unsaved = bind(&accepted, bindings(folder.path()), &Nowhere).await;
    let error = unsaved.err().unwrap();
    assert!(
        error
            .to_string()
            .starts_with("\"system.md\": the definition is not saved"),
        "{error}"
    );
    assert_eq!(error.span().unwrap().of(&text), "\"system.md\"");
}

#[tokio::test]
async fn a_bare_name_is_never_taken_from_an_untrusted_folder() {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    for name in ["cat", "own"] {
        fs::write(bin.join(name), "#!/bin/sh\necho from the workspace\n").unwrap();
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let bind = |program: &str, untrusted: bool| {
        let text = format!(
            "{HEADER}[[tools]]\nname = \"t\"\ndescription = \"d\"\ncommand = [\"{program}\"]\n"
        );
        let bindings = Bindings {
            environment: vec![("PATH".into(), path.clone())],
            untrusted_folders: untrusted
                .then(|| folder.path().to_owned())
                .into_iter()
                .collect(),
            ..bindings(folder.path())
        };
        async move { bind_with(&text, bindings).await }
    };
    for (program, untrusted, expected) in [
        ("cat", false, "from the workspace\n"),
        ("cat", true, "{}"),
        ("./bin/cat", true, "from the workspace\n"),
    ] {
        let bound = bind(program, untrusted).await.unwrap();
        let call = bound.modes[0].tools[0].prepare(&json!({})).unwrap();
        let outcome = finished(call.run(context(&CancellationToken::new()))).await;
        assert_eq!(text(&outcome), expected, "{program}");
    }
    let error = bind("own", true).await.err().unwrap().to_string();
    assert!(
        error.contains("`own` is on PATH only in a folder of the workspace"),
        "{error}"
    );
}
