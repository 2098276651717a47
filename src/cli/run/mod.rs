//! `loopls run`: runs one turn of a definition.

mod earlier;
mod live;
mod plan;
mod printing;
mod screen;
mod status;
mod summary;
mod terminal;
mod written;

use super::binding::{bind_failure, bind_source, failed, notices};
use super::resolve::quoted;
use super::signals::cancel_on_signals;
use super::source::Source;
use super::{Failure, Status};
use crate::bind::Bound;
use crate::host::environment;
use crate::host::state::state_folder;
use crate::run::access::{Approver, Nobody};
use crate::run::model::{ClientError, client_for, foreseen, replay};
use crate::run::{Event, StopReason, Turn, TurnContext, TurnRequest, run_turn};
use plan::Plan;
use printing::{Order, Printing, View};
use screen::Screen;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use terminal::Person;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use written::Transcripts;

/// The arguments of `run`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The definition, or `-` for standard input.
    file: PathBuf,
    /// What to say to the loop; else the definition's `prompt`, else a line from the terminal.
    prompt: Option<String>,
    /// The mode to run in; else the definition's `initial_mode`.
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// Print the transcript, one JSON object a line, instead of the answer.
    #[arg(long)]
    json: bool,
    /// Run calls with the effect `write` without asking.
    #[arg(long)]
    yes: bool,
    /// Run calls of this tool without asking, whatever their effect; a name without wildcards, may be repeated. A tool
    /// of a loop below has a path: `refund_desk/refund`.
    #[arg(long, value_name = "TOOL")]
    allow: Vec<String>,
    /// Go on from an earlier run with the next turn: from the one of this id, or whose id begins so; without one from
    /// the last run of the definition. The mode stays unless another is named.
    #[arg(
        long = "continue",
        value_name = "RUN",
        num_args = 0..=1,
        conflicts_with = "replay"
    )]
    continue_run: Option<Option<String>>,
    /// Take replies and results from the transcript in this file instead of model and tools; its prompt and mode too,
    /// unless others are given. Stops where the run parts from it.
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Write the transcript into this new file too.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Keep no transcript in the user's state folder, where the last 50 stay.
    #[arg(long)]
    no_transcript: bool,
    /// Take the environment variables in this file too, `NAME=VALUE` one a line, before those of this process.
    #[arg(long, value_name = "FILE")]
    env_file: Option<PathBuf>,
}

/// Binds and runs. The answer goes to standard output, everything else that people read to standard error.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let mut source = Source::read(&arguments.file)?;
    if let Some(path) = &arguments.env_file {
        source.add_environment(path)?;
    }
    let Some(accepted) = source.accept() else {
        return Ok(Status::Faulty);
    };
    let state_folder = state_folder(&environment());
    let plan = Plan::of(arguments, &source, &accepted, state_folder.as_deref())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("the run cannot start: {error}")))?;

    let cancel = CancellationToken::new();
    let person = terminal::is_attended();
    let printing = Printing::start(view(arguments.json, person), cancel.clone())?;
    let orders = printing.orders();
    runtime.spawn(cancel_on_signals(cancel.clone(), move |text| {
        let _ = orders.send(Order::Say(format!("{text}\n")));
    }));
    let foreseen = plan.replay.as_ref().map(|run| {
        let initial = accepted.definition().initial_mode.text();
        foreseen(run, plan.mode.as_deref().unwrap_or(initial))
    });
    let turn = runtime.block_on(async {
        let bound = tokio::select! {
            bound = bind_source(&source, &accepted, foreseen) => {
                bound.map_err(|error| bind_failure(&source, &error))?
            }
            () = cancel.cancelled() => return Ok(None),
        };
        for notice in notices(&source, &bound) {
            let _ = printing.orders().send(Order::Say(format!("{notice}\n")));
        }
        check_allowed(&bound, &arguments.allow)?;
        let mode = plan.mode.as_deref().and_then(|name| bound.mode(name));
        let mode = mode.unwrap_or_else(|| bound.initial_mode());
        let (bound, model) = match plan.replay {
            Some(run) => replay(&bound, run, &arguments.allow),
            None => {
                let model = client_for(&bound, mode).map_err(|error| no_client(&error))?;
                (bound, model)
            }
        };
        let state_folder = state_folder.filter(|_| !arguments.no_transcript);
        let record = arguments.record.as_deref();
        printing.write_to(Transcripts::begin(state_folder.as_deref(), record)?);
        let context = TurnContext {
            model,
            events: printing.events(),
            approver: approver(person, &printing, &source.name),
            cancel: cancel.clone(),
        };
        let request = TurnRequest {
            run: Uuid::new_v4().to_string(),
            uri: source.uri(),
            mode: plan.mode,
            prompt: plan.prompt,
            history: plan.history,
            after: plan.after,
            yes: arguments.yes,
            allow: arguments.allow.clone(),
            ..TurnRequest::default()
        };
        let turn = run_turn(&bound, request, context).await;
        bound.end().await;
        Ok(Some(turn))
    });
    let printed = printing.finish();
    // A tool's task may still wait for a process that does not end; the guard sees to that one.
    runtime.shutdown_background();
    let turn = turn?;
    printed?;
    Ok(Status::Ended(match turn {
        None => StopReason::Cancelled,
        Some(Turn {
            ended: Event::RunEnded { stop, .. },
            ..
        }) => stop,
        Some(_) => StopReason::Failed,
    }))
}

fn view(json: bool, person: bool) -> View {
    if json {
        return View::Transcript(Box::new(std::io::stdout()));
    }
    let streaming = std::io::stdout().is_terminal();
    let screen = Screen::new(
        Box::new(std::io::stdout()),
        Box::new(anstream::stderr()),
        streaming,
        person,
    );
    let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    View::Screen(Box::new(
        match std::io::stderr().is_terminal() && !is_dumb {
            true => screen.with_status(),
            false => screen,
        },
    ))
}

fn approver(person: bool, printing: &Printing, file: &str) -> Arc<dyn Approver> {
    match person {
        true => Arc::new(Person {
            orders: printing.orders(),
            file: file.to_owned(),
        }),
        false => Arc::new(Nobody),
    }
}

fn no_client(error: &ClientError) -> Failure {
    let failure = failed(error.to_string());
    match error {
        ClientError::Key(_) => {
            failure.help("set it, or write it into a file and name that with --env-file")
        }
        _ => failure,
    }
}

/// A tool that is allowed and not there is a slip of the pen, and the call that it was meant for would be denied.
fn check_allowed(bound: &Bound, allowed: &[String]) -> Result<(), Failure> {
    let paths = bound.tool_paths();
    match allowed.iter().find(|name| !paths.contains(*name)) {
        None => Ok(()),
        Some(name) => {
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            Err(Failure::new(format!("--allow: there is no tool `{name}`"))
                .help(format!("the tools are {}", quoted(&paths))))
        }
    }
}
