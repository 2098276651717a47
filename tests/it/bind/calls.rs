//! What comes of calls: results, arguments, paths, environment, output.

use super::*;

#[tokio::test]
async fn results_are_what_was_printed_and_how_it_ended() {
    for (script, more, expected, is_error) in [
        ("printf 'a\\377b\\n\\n'", "", &b"a\xffb\n\n"[..], false),
        ("true", "", b"(no output)", false),
        ("echo quiet >&2", "", b"(no output)", false),
        (
            "printf out; printf err >&2; exit 3",
            "",
            b"error: out\nerr\n[exit status 3]",
            true,
        ),
        ("exit 1", "", b"error: [exit status 1]", true),
        ("exit 1", "ok_exit = [0, 1]", b"(no output)", false),
        (
            "echo x",
            "ok_exit = [1]",
            b"error: x\n[exit status 0]",
            true,
        ),
        (
            "echo x; kill -9 $$",
            "",
            b"error: x\n[killed by signal 9]",
            true,
        ),
        ("cat", "", br#"{"text":"a b","n":1}"#, false),
        (
            "cat",
            "stdin = \"<{{text}}>\"\ninput.properties.text.type = \"string\"",
            b"<a b>",
            false,
        ),
        ("cat", "stdin = \"\"", b"(no output)", false),
        (
            "read line || echo end of input",
            "stdin = \"\"",
            b"end of input\n",
            false,
        ),
    ] {
        let desk = Desk::new(&tool(script, more)).await;
        let outcome = desk.call(json!({ "text": "a b", "n": 1 })).await;
        assert_eq!(
            (
                outcome.bytes.escape_ascii().to_string(),
                outcome.is_error,
                outcome.dropped
            ),
            (expected.escape_ascii().to_string(), is_error, 0),
            "{script}"
        );
    }
}

#[tokio::test]
async fn long_input_blocks_nobody() {
    let long = json!({ "text": "x".repeat(1_000_000) });
    for (script, expected) in [
        ("true", "(no output)".to_owned()),
        ("exec <&-; echo closed", "closed\n".to_owned()),
        ("cat", long.to_string()),
    ] {
        let outcome = Desk::script(script).await.call(long.clone()).await;
        assert!(
            text(&outcome) == expected,
            "{script}: {} bytes",
            outcome.bytes.len()
        );
    }
}

#[tokio::test]
async fn a_program_that_does_not_start_is_an_error_result() {
    let desk = Desk::new(&tool("true", "cwd = \"later\"")).await;
    let outcome = desk.call(json!({})).await;
    assert!(outcome.is_error);
    assert!(
        text(&outcome).starts_with("error: the working directory "),
        "{}",
        text(&outcome)
    );
    fs::create_dir(desk.folder.path().join("later")).unwrap();
    assert_eq!(text(&desk.call(json!({})).await), "(no output)");

    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("tool");
    fs::write(&program, "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let tools = "[[tools]]\nname = \"t\"\ndescription = \"A tool.\"\ncommand = [\"./tool\"]\n";
    let bound = bind_with(&format!("{HEADER}{tools}"), bindings(folder.path()))
        .await
        .unwrap();
    let desk = Desk { folder, bound };
    let outcome = desk.call(json!({})).await;
    assert!(
        text(&outcome).ends_with(
            "tool could not be started: it is there, and what it is run with is not (see its first line)"
        ),
        "{}",
        text(&outcome)
    );
}

#[tokio::test]
async fn what_a_model_puts_in_stays_within_its_argument() {
    let desk = Desk::new(
        r#"[[tools]]
           name = "t"
           description = "A tool."
           command = ["printf", "<%s>", "a {{text}}", ["-n", "{{n}}"], "{{list}}", "--", "{{text}}"]
           input.properties.text.type = "string"
           input.properties.n.type = "integer"
           input.properties.list = { type = "array", items.type = "string", default = [] }
           input.required = ["text"]
        "#,
    )
    .await;
    for (input, expected) in [
        (json!({ "text": "x" }), "<a x><[]><--><x>"),
        (
            json!({ "text": "-$(id) '\"\n;{{n}}", "n": -7 }),
            "<a -$(id) '\"\n;{{n}}><-n><-7><[]><--><-$(id) '\"\n;{{n}}>",
        ),
        (
            json!({ "text": "", "list": ["a", "b"] }),
            "<a ><[\"a\",\"b\"]><--><>",
        ),
    ] {
        assert_eq!(text(&desk.call(input).await), expected);
    }
    for (input, expected) in [
        (json!({}), "input: \"text\" is a required property"),
        (
            json!({ "text": 1 }),
            "input.text: 1 is not of type \"string\"",
        ),
        (
            json!({ "text": "a\0" }),
            "input.text contains a NUL character",
        ),
        (json!("text"), "input: \"text\" is not of type \"object\""),
    ] {
        let problem = desk.prepare(input).map(|_| ()).unwrap_err();
        assert_eq!(problem.to_string(), expected);
    }
}

#[tokio::test]
async fn paths_stay_under_the_working_directory() {
    let desk = Desk::new(
        r#"cwd = "work"
           [[tools]]
           name = "t"
           description = "A tool."
           command = ["cat", "{{file}}"]
           input.properties.file = { type = "string", format = "path" }
           input.required = ["file"]
        "#,
    )
    .await;
    fs::create_dir(desk.folder.path().join("work")).unwrap();
    fs::write(desk.folder.path().join("work/in.txt"), "in").unwrap();
    fs::write(desk.folder.path().join("out.txt"), "out").unwrap();
    assert_eq!(text(&desk.call(json!({ "file": "in.txt" })).await), "in");
    for file in ["../out.txt", "/etc/hostname", "-n"] {
        assert!(desk.prepare(json!({ "file": file })).is_err(), "{file}");
    }
}

/// codex#11112.
#[tokio::test]
async fn what_is_shown_is_what_runs() {
    let desk = Desk::new(
        r#"[[tools]]
           name = "t"
           description = "A tool."
           command = ["./refund", "--to", "{{to}}"]
           stdin = "{{note}}"
           input.properties.to.type = "string"
           input.properties.note = { type = "string", default = "" }
           input.required = ["to"]
        "#
        .replace("./refund", "echo")
        .as_str(),
    )
    .await;
    for (input, expected) in [
        (json!({ "to": "Ann" }), "/echo --to Ann"),
        (
            json!({ "to": "a b", "note": "x\u{202e}y\n" }),
            r"/echo --to 'a b' <<< 'x\u{202e}y\n'",
        ),
    ] {
        let shown = desk.prepare(input).unwrap().shown();
        assert!(
            shown.starts_with('/') && shown.ends_with(expected),
            "{shown}"
        );
    }
}

/// opencode#31778, librefang#1098.
#[tokio::test]
async fn a_tool_gets_an_allowlist_of_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let tools = tool(
        "env | sort | grep -v -e ^_= -e ^PWD= -e ^SHLVL=",
        "env = { REGION = \"eu-${ZONE}\" }",
    );
    let path = std::env::var("PATH").unwrap();
    let pairs = [
        ("PATH", path.as_str()),
        ("HOME", "/h"),
        ("LC_ALL", "C"),
        ("API_TOKEN", "secret"),
        ("ZONE", "1"),
    ];
    let bindings = Bindings {
        environment: pairs
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect(),
        ..bindings(folder.path())
    };
    let bound = bind_with(&format!("{HEADER}{tools}"), bindings)
        .await
        .unwrap();
    let outcome = Desk { folder, bound }.call(json!({})).await;
    assert_eq!(
        text(&outcome),
        format!("HOME=/h\nLC_ALL=C\nLOOPLS_TOOL=t\nPATH={path}\nREGION=eu-1\n")
    );
}

#[tokio::test]
async fn replies_are_fixed() {
    for (reply, expected) in [
        ("\"as it is\\n\"", "as it is\n"),
        ("{ b = 1, a = [true, 1.5] }", r#"{"b":1,"a":[true,1.5]}"#),
        ("[]", "[]"),
        ("42", "42"),
        ("\"\"", ""),
        ("2026-01-02", "2026-01-02"),
    ] {
        let entry =
            format!("[[tools]]\nname = \"t\"\ndescription = \"A tool.\"\nreply = {reply}\n");
        let outcome = Desk::new(&entry).await.call(json!({ "any": 1 })).await;
        assert_eq!((text(&outcome), outcome.is_error), (expected, false));
    }
}

#[tokio::test]
async fn output_comes_while_the_tool_runs() {
    let desk = Desk::script("echo first; echo second >&2; read wait < latch; echo third").await;
    let latch = desk.folder.path().join("latch");
    assert!(
        Command::new("mkfifo")
            .arg(&latch)
            .status()
            .unwrap()
            .success()
    );
    let seen = Arc::new(Mutex::new(Vec::new()));
    let context = CallContext {
        output: Arc::new({
            let seen = seen.clone();
            move |stream, chunk: &[u8]| seen.lock().unwrap().push((stream, chunk.to_vec()))
        }),
        ..context(&CancellationToken::new())
    };
    let run = tokio::spawn(desk.prepare(json!({})).unwrap().run(context));
    eventually(|| (seen.lock().unwrap().len() == 2).then_some(())).await;
    assert!(!run.is_finished());
    fs::write(&latch, "go\n").unwrap();
    assert_eq!(text(&finished(run).await.unwrap()), "first\nthird\n");
    let seen = seen.lock().unwrap();
    let of = |wanted: Stream| -> Vec<u8> {
        seen.iter()
            .filter(|(stream, _)| *stream == wanted)
            .flat_map(|(_, chunk)| chunk.clone())
            .collect()
    };
    assert_eq!(of(Stream::Stdout), b"first\nthird\n");
    assert_eq!(of(Stream::Stderr), b"second\n");
}
