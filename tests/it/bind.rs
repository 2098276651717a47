//! Binding definitions, and calling the tools that come of it: real programs under a real guard.

#![cfg(unix)]

use loopls::bind::{
    BindError, Bindings, Bound, CallContext, InputProblem, Outcome, PreparedCall, RESULT_BYTES,
    Stream, Tool, ToolInfo, bind,
};
use loopls::check::{Accepted, Analysis};
use loopls::host::Host;
use ropey::Rope;
use rustix::process::{Pid, test_kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Far longer than anything here takes, and far shorter than the sleeps that must not be waited for.
const PATIENCE: Duration = Duration::from_secs(30);

const HEADER: &str = "name = \"desk\"\nmodel = { provider = \"scripted\", name = \"m\" }\n";

fn bindings(folder: &Path) -> Bindings {
    Bindings {
        session_id: Uuid::from_u128(1),
        loop_id: Uuid::from_u128(2),
        extra_tools: Vec::new(),
        folder: folder.to_owned(),
        guard: env!("CARGO_BIN_EXE_loopls").into(),
        untrusted_folders: Vec::new(),
        environment: loopls::host::environment(),
    }
}

fn accept(text: &str, folder: &Path) -> (Accepted, Host) {
    let host = Host::new(&folder.join("desk.loop.toml"));
    let analysis = Arc::new(Analysis::new(Rope::from_str(text)));
    let accepted = Accepted::new(analysis, &host).unwrap_or_else(|rejected| {
        panic!("{text}\n{:#?}", rejected.0);
    });
    (accepted, host)
}

async fn bind_with(text: &str, bindings: Bindings) -> Result<Bound, BindError> {
    let (accepted, host) = accept(text, &bindings.folder);
    bind(&accepted, bindings, &host).await
}

/// A definition bound in a folder of its own.
struct Desk {
    folder: TempDir,
    bound: Bound,
}

impl Desk {
    async fn new(tools: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text = format!("{HEADER}{tools}");
        let bound = bind_with(&text, bindings(folder.path())).await.unwrap();
        Self { folder, bound }
    }

    /// A desk with one tool `t` that runs `script` in a shell.
    async fn script(script: &str) -> Self {
        Self::new(&tool(script, "")).await
    }

    fn tool(&self, name: &str) -> &Arc<dyn Tool> {
        let mut tools = self.bound.modes[0].tools.iter();
        tools.find(|tool| tool.info().name == name).unwrap()
    }

    fn prepare(&self, input: Value) -> Result<Box<dyn PreparedCall>, InputProblem> {
        self.bound.modes[0].tools[0].prepare(&input)
    }

    async fn call(&self, input: Value) -> Outcome {
        let call = self.prepare(input).unwrap();
        finished(call.run(context(&CancellationToken::new()))).await
    }

    /// The number of the process that a script wrote into the file `name`.
    async fn pid(&self, name: &str) -> Pid {
        pid(&self.folder.path().join(name)).await
    }
}

/// The number of the process that a script wrote into the file at `path`.
async fn pid(path: &Path) -> Pid {
    eventually(|| {
        let text = fs::read_to_string(path).ok()?;
        Pid::from_raw(text.strip_suffix('\n')?.parse().ok()?)
    })
    .await
}

/// A `[[tools]]` entry `t` that runs `script` in a shell.
fn tool(script: &str, more: &str) -> String {
    format!(
        "[[tools]]\nname = \"t\"\ndescription = \"A tool.\"\ncommand = [\"sh\", \"-c\", '''{script}''']\n{more}\n"
    )
}

fn context(cancel: &CancellationToken) -> CallContext {
    CallContext {
        cancel: cancel.clone(),
        drain: 200,
        output: Arc::new(|_, _| {}),
    }
}

async fn finished<T>(future: impl Future<Output = T>) -> T {
    let finished = tokio::time::timeout(PATIENCE, future).await;
    finished.expect("it ends by itself")
}

/// The first answer that `ask` gives.
async fn eventually<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    finished(async {
        loop {
            if let Some(answer) = ask() {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
}

/// Whether no such process is left, not even an unreaped one.
fn is_gone(pid: Pid) -> bool {
    test_kill_process(pid).is_err()
}

fn text(outcome: &Outcome) -> &str {
    std::str::from_utf8(&outcome.bytes).unwrap()
}

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
        text(&outcome).contains("tool could not be started: No such file"),
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
async fn a_definition_makes_a_tool_for_each_produced_name() {
    let tools = tool(
        "printf %s \"$LOOPLS_TOOL\"",
        "produces = [\"get\", \" put \"]\neffect = \"irreversible\"\ntimeout = \"2s\"",
    );
    let modes = "initial_mode = \"a\"\nmodes = [{ name = \"a\", tools = [\"t\"] }]\n";
    let desk = Desk::new(&format!("{modes}{tools}")).await;
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
            entry(r#"http = { url = "https://example.com/" }"#),
            "http",
            "tool `t`: this version of loopls cannot run a tool with `http` yet",
        ),
        (
            format!("delegates = [\"other\"]\n{HEADER}"),
            r#""other""#,
            "delegate `other`: this version of loopls cannot bind delegates yet",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
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
    let text = format!("{HEADER}{}", tool("true", ""));
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
            let tools = bound.modes[0].tools.iter();
            tools
                .map(|tool| tool.info().name.clone())
                .collect::<Vec<_>>()
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

#[tokio::test]
async fn however_much_is_printed_memory_is_bounded() {
    const PRINTED: u64 = 50_000_000;
    for (end, prefix, suffix) in [("", "", ""), ("; exit 1", "error: ", "\n[exit status 1]")] {
        let desk = Desk::script(&format!("yes 1234567 | head -c {PRINTED}{end}")).await;
        let outcome = desk.call(json!({})).await;
        let own = (prefix.len() + suffix.len()) as u64;
        // `yes` leaves the last line whole, so a failure adds no line break.
        let own = own - u64::from(!suffix.is_empty());
        assert_eq!(outcome.bytes.len() as u64 + outcome.dropped, PRINTED + own);
        assert!((RESULT_BYTES..RESULT_BYTES + 128 * 1024).contains(&outcome.bytes.len()));
        let (head, tail) = outcome.bytes.split_at(outcome.dropped_at);
        assert!(head.starts_with(format!("{prefix}1234567\n").as_bytes()));
        assert!(tail.ends_with(
            format!("1234567{}", if suffix.is_empty() { "\n" } else { suffix }).as_bytes()
        ));
        assert!(head.len() >= RESULT_BYTES / 2 && tail.len() >= RESULT_BYTES / 2);
    }
}

#[tokio::test]
async fn what_a_tool_leaves_in_the_background_neither_holds_the_result_nor_lives_on() {
    for script in [
        "sleep 1000 & echo $! > pid; echo done",
        "setsid sleep 1000 & echo $! > pid; echo done",
        "(setsid sh -c 'sleep 1000 & echo $! > pid; wait' &); while ! [ -s pid ]; do sleep 0.01; done; echo done",
        "sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 0.01; done' & while ! [ -s pid ]; do sleep 0.01; done; echo done",
        "sleep 1000 >/dev/null 2>&1 & kill -STOP $!; echo $! > pid; echo done",
    ] {
        let desk = Desk::script(script).await;
        let outcome = desk.call(json!({})).await;
        assert_eq!(text(&outcome), "done\n");
        assert!(is_gone(desk.pid("pid").await), "{script}");
    }
}

#[tokio::test]
async fn cancel_ends_everything_that_a_call_started() {
    for script in [
        "sleep 1000",
        "echo $$ > leader; sleep 1000 & echo $! > other; wait",
        // Nobody here reacts to the first request.
        "trap '' TERM; echo $$ > leader; sleep 1000 & echo $! > other; wait; sleep 1000",
        "echo $$ > leader; setsid sh -c 'trap \"\" TERM; echo $$ > other; sleep 1000; sleep 1000' & wait",
        "echo $$ > leader; sleep 1000 & echo $! > other; kill -STOP $$",
    ] {
        let script = if script.contains("leader") {
            script.to_owned()
        } else {
            format!("echo $$ > leader; echo $$ > other; {script}")
        };
        let desk = Desk::script(&format!("echo begun; {script}")).await;
        let cancel = CancellationToken::new();
        let run = tokio::spawn(desk.prepare(json!({})).unwrap().run(context(&cancel)));
        let pids = [desk.pid("leader").await, desk.pid("other").await];
        cancel.cancel();
        let outcome = finished(run).await.unwrap();
        assert_eq!(
            (text(&outcome), outcome.is_error),
            ("error: begun\n[cancelled]", true)
        );
        assert!(pids.into_iter().all(is_gone), "{script}");
    }
}

#[tokio::test]
async fn a_call_that_comes_after_the_cancel_does_not_start() {
    let desk = Desk::script("echo > started").await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let call = desk.prepare(json!({})).unwrap();
    assert_eq!(
        text(&finished(call.run(context(&cancel))).await),
        "error: [cancelled]"
    );
    assert!(!desk.folder.path().join("started").exists());
}

#[tokio::test]
async fn a_call_that_is_dropped_ends_soon() {
    let desk = Desk::script(
        "trap '' TERM; echo $$ > leader; setsid sleep 1000 & echo $! > other; wait; sleep 1000",
    )
    .await;
    let call = desk.prepare(json!({})).unwrap();
    let run = tokio::spawn(call.run(context(&CancellationToken::new())));
    let pids = [desk.pid("leader").await, desk.pid("other").await];
    run.abort();
    eventually(|| pids.into_iter().all(is_gone).then_some(())).await;
}

/// A guard without a loopls: what a kill of loopls leaves.
struct LoneGuard {
    guard: std::process::Child,
    control: UnixStream,
    folder: TempDir,
}

impl LoneGuard {
    /// A guard that was told to run `script`, and whose drain would be an hour.
    fn run(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (mut control, its) = UnixStream::pair().unwrap();
        let guard = Command::new(env!("CARGO_BIN_EXE_loopls"))
            .arg(loopls::bind::guard::ARGUMENT)
            .stdin(Stdio::from(OwnedFd::from(its)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let order = json!({ "start": {
            "program": { "Unix": b"/bin/sh" },
            "arguments": ["-c", script],
            "directory": { "Unix": folder.path().as_os_str().as_encoded_bytes() },
            "environment": [["PATH", std::env::var("PATH").unwrap()]],
            "drain": 3_600_000,
        } });
        writeln!(control, "{order}").unwrap();
        Self {
            guard,
            control,
            folder,
        }
    }

    async fn pids(&self) -> [Pid; 2] {
        let path = |name: &str| self.folder.path().join(name);
        [pid(&path("leader")).await, pid(&path("other")).await]
    }
}

#[tokio::test]
async fn a_guard_that_lost_loopls_ends_everything_and_itself() {
    for script in [
        "echo $$ > leader; sleep 1000 & echo $! > other; wait",
        "trap '' TERM; echo $$ > leader; setsid sleep 1000 & echo $! > other; wait; sleep 1000",
        // The leader is over already; loopls was still reading.
        "echo $$ > leader; setsid sleep 1000 & echo $! > other",
    ] {
        let mut lone = LoneGuard::run(script);
        let pids = lone.pids().await;
        drop(lone.control);
        assert!(
            eventually(|| lone.guard.try_wait().unwrap())
                .await
                .success(),
            "{script}"
        );
        assert!(pids.into_iter().all(is_gone), "{script}");
    }
}

#[tokio::test]
async fn a_guard_outlives_what_is_sent_to_everything_called_loopls() {
    let mut lone = LoneGuard::run("echo $$ > leader; sleep 1000 & echo $! > other; wait");
    let pids = lone.pids().await;
    let guard = Pid::from_child(&lone.guard);
    for signal in ["HUP", "INT", "TERM"] {
        let kill = Command::new("kill")
            .args(["-s", signal, &guard.as_raw_nonzero().to_string()])
            .status();
        assert!(kill.unwrap().success());
    }
    // Whatever they did to the guard would come before the answer to this.
    lone.control.write_all(b"\"end\"\n").unwrap();
    let reports: Vec<String> = BufReader::new(&lone.control)
        .lines()
        .map(Result::unwrap)
        .collect();
    assert_eq!(
        reports,
        [
            format!(r#"{{"started":{}}}"#, pids[0].as_raw_nonzero()),
            r#"{"exited":{"signal":15}}"#.to_owned()
        ]
    );
    assert!(
        eventually(|| lone.guard.try_wait().unwrap())
            .await
            .success()
    );
    assert!(pids.into_iter().all(is_gone));
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_calls_leave_no_zombie_and_no_open_file() {
    let open_files = || fs::read_dir("/proc/self/fd").unwrap().count();
    let zombies = || {
        let parent = std::process::id().to_string();
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let of_ours = processes.filter(|process| {
            let status = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
            let fields = status.rsplit_once(')').map_or("", |(_, fields)| fields);
            let mut fields = fields.split_ascii_whitespace();
            fields.next() == Some("Z") && fields.next() == Some(&parent)
        });
        of_ours.count()
    };
    let desk = Desk::script("sleep 1000 >/dev/null 2>&1 & echo $!").await;
    desk.call(json!({})).await;
    let before = open_files();
    for _ in 0..100 {
        assert!(!desk.call(json!({})).await.is_error);
    }
    // Other tests run beside this one, so only what a hundred calls would leave counts.
    eventually(|| (open_files() < before + 50).then_some(())).await;
    eventually(|| (zombies() == 0).then_some(())).await;
}
