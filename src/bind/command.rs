//! Tools that run a program.

use super::arguments::{Arguments, check_paths};
use super::environment::{TOOL_NAME, environment_of, set};
use super::guard::message::Exit;
use super::input::InputSchema;
use super::output::{CALL_BYTES, Output, failure, success};
use super::process::{Launch, Process, Progress};
use super::shown::command_line;
use super::template::{Template, Values};
use super::{
    BindError, Bindings, CANCELLED, CallContext, InputProblem, Outcome, PreparedCall, Stream, Tool,
    ToolInfo,
};
use crate::definition::{self, CommandArgument, Definition};
use crate::host;
use crate::text::Span;
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::{Instant, sleep_until};

/// How much of standard error is held; only a failure tells it.
const STDERR_BYTES: usize = 1024 * 1024;

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// How long pipes are read after the program ended by itself.
const AFTER_END: Duration = Duration::from_secs(1);

/// How long pipes are read after the program was made to end.
const AFTER_KILL: Duration = Duration::from_millis(200);

/// What every call of one definition shares.
struct Command {
    program: PathBuf,
    arguments: Arguments,
    stdin: Option<Template>,
    ok_exit: Vec<i64>,
    directory: PathBuf,
    guard: PathBuf,
    schema: Arc<InputSchema>,
}

/// One produced name of a definition with a `command`.
struct CommandTool {
    info: ToolInfo,
    command: Arc<Command>,
    environment: Vec<(String, String)>,
}

/// Makes the tools of `entry`, whose source at `span` is `items`; one for each of `infos`.
///
/// # Errors
///
/// The program is not there, or the environment cannot be made.
pub fn build(
    definition: &Definition,
    entry: &definition::Tool,
    (items, span): (&[CommandArgument], Span),
    infos: Vec<ToolInfo>,
    schema: Arc<InputSchema>,
    bindings: &Bindings,
) -> Result<Vec<Arc<dyn Tool>>, BindError> {
    let failed = |problem: String, span: Span| BindError::Factory {
        tool: entry.name.text().to_owned(),
        problem,
        span,
    };
    let Some((CommandArgument::One(program), rest)) = items.split_first() else {
        return Err(failed("`command` names no program".into(), span));
    };
    let path = host::find_program(
        &program.value,
        &bindings.folder,
        host::search_path(&bindings.environment),
        &bindings.untrusted_folders,
    )
    .map_err(|problem| failed(problem.to_string(), program.span))?;
    let environment = environment_of(entry, &bindings.environment)
        .map_err(|problem| failed(problem.value, problem.span))?;
    let directory = entry.cwd.get().or(definition.cwd.get());
    let ok_exit: Vec<i64> = entry.ok_exit.items().map(|code| code.value).collect();
    let command = Arc::new(Command {
        program: path,
        arguments: Arguments::new(rest),
        stdin: entry.stdin.get().map(|text| Template::new(text)),
        ok_exit: if entry.ok_exit.is_missing() {
            vec![0]
        } else {
            ok_exit
        },
        directory: directory.map_or_else(
            || bindings.folder.clone(),
            |directory| bindings.folder.join(directory),
        ),
        guard: bindings.guard.clone(),
        schema,
    });
    let tools = infos.into_iter().map(|info| {
        let mut environment = environment.clone();
        set(&mut environment, TOOL_NAME, info.name.clone());
        Arc::new(CommandTool {
            info,
            command: command.clone(),
            environment,
        }) as Arc<dyn Tool>
    });
    Ok(tools.collect())
}

impl Tool for CommandTool {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    fn is_slow_to_prepare(&self, bytes: usize) -> bool {
        self.command.schema.is_slow(bytes)
    }

    fn prepare(&self, input: &Value) -> Result<Box<dyn PreparedCall>, InputProblem> {
        let command = &self.command;
        command.schema.check(input)?;
        let values = Values::new(input, command.schema.schema());
        check_paths(input, &values, &command.directory)?;
        let stdin = match &command.stdin {
            Some(template) => template.fill(&values)?,
            None => input.to_string(),
        };
        Ok(Box::new(PreparedCommand {
            arguments: command.arguments.fill(&values)?,
            stdin,
            environment: self.environment.clone(),
            command: command.clone(),
        }))
    }
}

struct PreparedCommand {
    command: Arc<Command>,
    arguments: Vec<String>,
    stdin: String,
    environment: Vec<(String, String)>,
}

impl PreparedCall for PreparedCommand {
    fn shown(&self) -> String {
        let program = self.command.program.to_string_lossy();
        let arguments = self.arguments.iter().map(String::as_str);
        // An empty object tells nothing.
        let stdin = (!matches!(self.stdin.as_str(), "" | "{}")).then_some(self.stdin.as_str());
        command_line(std::iter::once(&*program).chain(arguments), stdin)
    }

    fn run(self: Box<Self>, context: CallContext) -> BoxFuture<'static, Outcome> {
        Box::pin(run(*self, context))
    }
}

/// How a run of a program ended.
enum Ended {
    Exit(Exit),
    Cancelled,
    Failed(String),
    GuardLost,
}

async fn run(call: PreparedCommand, context: CallContext) -> Outcome {
    if context.cancel.is_cancelled() {
        return Outcome::error(CANCELLED);
    }
    let command = &call.command;
    let launch = Launch {
        program: &command.program,
        arguments: call.arguments,
        directory: &command.directory,
        environment: call.environment,
        drain: u64::try_from(context.drain).unwrap_or(0),
    };
    let mut process = match Process::start(&command.guard, launch).await {
        Ok(process) => process,
        Err(error) => return Outcome::error(error),
    };
    process.write(call.stdin).await;
    process.close_stdin().await;
    let (ended, stdout, stderr) = collect(&mut process, &context).await;
    process.end().await;
    process.gone().await;
    match ended {
        Ended::Exit(Exit::Code(code)) if command.ok_exit.contains(&i64::from(code)) => {
            success(stdout)
        }
        Ended::Exit(Exit::Code(code)) => {
            failure([stdout, stderr], &format!("[exit status {code}]"))
        }
        Ended::Exit(Exit::Signal(signal)) => {
            failure([stdout, stderr], &format!("[killed by signal {signal}]"))
        }
        Ended::Cancelled => failure([stdout, stderr], CANCELLED),
        Ended::GuardLost => failure([stdout, stderr], "[the guard of the process was ended]"),
        Ended::Failed(why) => Outcome::error(why),
    }
}

/// Reads what the program prints until it has ended and its pipes are closed, or until it is too late for them:
/// something that it left running may hold them open.
async fn collect(process: &mut Process, context: &CallContext) -> (Ended, Output, Output) {
    let mut stdout = Reader::new(process.stdout.take(), Stream::Stdout, CALL_BYTES);
    let mut stderr = Reader::new(process.stderr.take(), Stream::Stderr, STDERR_BYTES);
    let mut ended = None;
    let mut cancelled = false;
    let mut deadline: Option<Instant> = None;
    while ended.is_none() || stdout.is_open() || stderr.is_open() {
        tokio::select! {
            () = stdout.read(context), if stdout.is_open() => {}
            () = stderr.read(context), if stderr.is_open() => {}
            progress = process.progress(), if ended.is_none() => {
                let patience = if cancelled { AFTER_KILL } else { AFTER_END };
                ended = match progress {
                    Progress::Started => continue,
                    Progress::Exited(_) if cancelled => Some(Ended::Cancelled),
                    Progress::Exited(exit) => Some(Ended::Exit(exit)),
                    Progress::Failed(reason) => Some(Ended::Failed(reason)),
                    Progress::Gone => Some(Ended::GuardLost),
                };
                deadline = Some(Instant::now() + patience);
            }
            () = context.cancel.cancelled(), if !cancelled => {
                cancelled = true;
                process.end().await;
                deadline = deadline.map(|deadline| deadline.min(Instant::now() + AFTER_KILL));
            }
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => break,
        }
    }
    (
        ended.unwrap_or(Ended::GuardLost),
        stdout.output,
        stderr.output,
    )
}

/// One stream of a process, and what came of it so far.
struct Reader<R> {
    pipe: Option<R>,
    stream: Stream,
    chunk: Vec<u8>,
    output: Output,
}

impl<R: AsyncRead + Unpin> Reader<R> {
    fn new(pipe: Option<R>, stream: Stream, capacity: usize) -> Self {
        Self {
            pipe,
            stream,
            chunk: vec![0; CHUNK],
            output: Output::new(capacity),
        }
    }

    fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Reads a chunk; closes the stream at its end. Loses nothing when dropped.
    async fn read(&mut self, context: &CallContext) {
        let Some(pipe) = &mut self.pipe else {
            return;
        };
        match pipe.read(&mut self.chunk).await {
            Ok(length) if length > 0 => {
                self.output.push(&self.chunk[..length]);
                (context.output)(self.stream, &self.chunk[..length]);
            }
            _ => self.pipe = None,
        }
    }
}
