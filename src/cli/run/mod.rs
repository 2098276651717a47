//! `loopls run`: runs one turn of a definition.

mod printing;
mod screen;
mod summary;
mod terminal;

use super::binding::{bind_failure, bind_source, failed};
use super::resolve::{quoted, unknown_mode};
use super::signals::cancel_on_signals;
use super::source::Source;
use super::{Failure, Status};
use crate::bind::Bound;
use crate::check::Accepted;
use crate::definition::resolve;
use crate::run::access::{Approver, Nobody};
use crate::run::model::client_for;
use crate::run::{Event, StopReason, Turn, TurnContext, TurnRequest, run_turn};
use printing::{Order, Printing, View};
use screen::Screen;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use terminal::Person;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

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
}

/// Binds and runs. The answer goes to standard output, everything else that people read to standard error.
pub fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let source = Source::read(&arguments.file)?;
    let Some(accepted) = source.accept() else {
        return Ok(Status::Faulty);
    };
    check_mode(&accepted, arguments.mode.as_deref())?;
    let prompt = prompt(&accepted, arguments.prompt.as_deref())?;
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
    let turn = runtime.block_on(async {
        let bound = tokio::select! {
            bound = bind_source(&source, &accepted) => {
                bound.map_err(|error| bind_failure(&source, &error))?
            }
            () = cancel.cancelled() => return Ok(None),
        };
        check_allowed(&bound, &arguments.allow)?;
        let mode = match &arguments.mode {
            Some(name) => bound.mode(name),
            None => Some(bound.initial_mode()),
        };
        // That there is such a mode was checked before.
        let mode = mode.unwrap_or_else(|| bound.initial_mode());
        let context = TurnContext {
            model: client_for(&bound, mode).map_err(|error| failed(error.to_string()))?,
            events: printing.events(),
            approver: approver(person, &printing, &source.name),
            cancel: cancel.clone(),
        };
        let request = TurnRequest {
            run: Uuid::new_v4().to_string(),
            uri: source.uri(),
            mode: arguments.mode.clone(),
            prompt,
            yes: arguments.yes,
            allow: arguments.allow.clone(),
            ..TurnRequest::default()
        };
        Ok(Some(run_turn(&bound, request, context).await))
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

fn check_mode(accepted: &Accepted, wanted: Option<&str>) -> Result<(), Failure> {
    let Some(wanted) = wanted else { return Ok(()) };
    let modes = resolve(accepted.definition());
    let names: Vec<&str> = modes.iter().map(|mode| mode.name).collect();
    // The base comes first. Where there are modes, a run cannot start in it.
    let startable = if names.len() > 1 { &names[1..] } else { &names };
    match startable.contains(&wanted) {
        true => Ok(()),
        false => Err(unknown_mode(wanted, &names[1..])),
    }
}

fn prompt(accepted: &Accepted, argument: Option<&str>) -> Result<String, Failure> {
    let own = accepted.definition().prompt.text();
    let prompt = match argument {
        Some(prompt) => prompt.to_owned(),
        None if !own.trim().is_empty() => own.to_owned(),
        None if terminal::is_attended() => terminal::read_prompt()?,
        None => {
            return Err(Failure::new("there is no prompt")
                .help("give it after the file, or write a `prompt` into the definition"));
        }
    };
    match prompt.trim().is_empty() {
        true => Err(Failure::new("the prompt is blank")),
        false => Ok(prompt),
    }
}

fn view(json: bool, person: bool) -> View {
    if json {
        return View::Transcript(Box::new(std::io::stdout()));
    }
    let streaming = std::io::stdout().is_terminal();
    View::Screen(Box::new(Screen::new(
        Box::new(std::io::stdout()),
        Box::new(anstream::stderr()),
        streaming,
        person,
    )))
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
