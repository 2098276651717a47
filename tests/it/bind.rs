//! Binding definitions, and calling the tools that come of it: real programs under a real guard.

#![cfg(unix)]

mod binding;
mod calls;
mod http;
mod mcp;
mod processes;
mod subloops;

use futures_util::future::BoxFuture;
use loopls::bind::{
    BindError, Bindings, Bound, CallContext, Family, InputProblem, Outcome, PreparedCall,
    RESULT_BYTES, Stream, Subloop, Tool, ToolInfo, bind,
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
        subloops: Arc::new(EchoSubloops),
    }
}

/// Answers for a loop below with its name and what it was told.
struct EchoSubloops;

impl Subloop for EchoSubloops {
    fn run(
        &self,
        child: Arc<Bound>,
        message: String,
        _context: CallContext,
    ) -> BoxFuture<'static, Outcome> {
        let name = child.accepted.definition().name.text();
        let outcome = Outcome::text(format!("{name} was told: {message}"));
        Box::pin(std::future::ready(outcome))
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

/// Whether a process ended, though perhaps nobody has reaped it.
fn has_ended(pid: Pid) -> bool {
    let status = Command::new("ps")
        .args(["-o", "state=", "-p", &pid.as_raw_nonzero().to_string()])
        .output();
    let state = String::from_utf8(status.unwrap().stdout).unwrap();
    matches!(state.trim(), "" | "Z")
}

/// Whether no such process is left, not even an unreaped one.
fn is_gone(pid: Pid) -> bool {
    test_kill_process(pid).is_err()
}

fn text(outcome: &Outcome) -> &str {
    std::str::from_utf8(&outcome.bytes).unwrap()
}
