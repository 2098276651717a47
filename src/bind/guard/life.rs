//! What a guard does from its first order to its end.

use super::family::Family;
use super::message::{Order, Report, Start, line};
use std::fs::OpenOptions;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// How long processes may take to end when loopls is gone, or when the tool itself has already ended.
const SHORT_DRAIN: Duration = Duration::from_secs(1);

/// How long killed processes are waited for; one that the kernel will not let go cannot be helped.
const KILL_PATIENCE: Duration = Duration::from_secs(2);

/// How often the guard looks whether everybody it told to end has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(3);

/// What the guard hears of.
enum News {
    Order(Order),
    /// loopls is gone.
    Lost,
    /// The tool's first process ended.
    LeaderEnded,
}

/// Lives until the tool and all that came of it is gone.
pub fn live() -> io::Result<()> {
    let mut control = UnixStream::from(rustix::stdio::stdin().try_clone_to_owned()?);
    let mut orders = BufReader::new(control.try_clone()?).lines();
    let _runtime = outlive_signals()?;
    // Fails only where there already is a session of the guard's own.
    let _ = rustix::process::setsid();
    super::family::adopt_orphans()?;

    let start = match orders.next() {
        Some(first) => match serde_json::from_str(&first?)? {
            Order::Start(start) => start,
            _ => return Err(io::ErrorKind::InvalidData.into()),
        },
        None => return Ok(()),
    };
    let drain = Duration::from_millis(start.drain);
    let mut leader = match spawn(&start) {
        Ok(leader) => leader,
        Err(error) => {
            let why = why_not_started(&start, &error);
            return control.write_all(&line(&Report::Failed(why))?);
        }
    };
    let family = Family::of(&leader);
    // Reports fail once loopls is gone; then the loss of the control socket is what counts.
    let mut report = |report: Report| {
        let _ = line(&report).and_then(|line| control.write_all(&line));
    };
    report(Report::Started(family.group()));

    let stdin = leader.stdin.take().map(feed);
    let (tell, news) = mpsc::channel();
    thread::spawn({
        let tell = tell.clone();
        move || listen(orders, &tell)
    });
    thread::spawn(move || {
        family.wait_for_leader();
        let _ = tell.send(News::LeaderEnded);
    });

    let mut exit_told = false;
    let mut tell_exit = || {
        if let Some(exit) = family.leader_exit().filter(|_| !exit_told) {
            exit_told = true;
            report(Report::Exited(exit));
        }
    };
    let grace = oversee(&news, stdin, drain, &mut tell_exit);
    end(family, grace, &news, &mut tell_exit);
    tell_exit();
    family.bury(leader);
    Ok(())
}

/// Keeps signals that somebody sends to all processes called `loopls` from ending the guard before its tool; only
/// the socket decides. The tool's process gets the default reactions back when it is executed.
fn outlive_signals() -> io::Result<tokio::runtime::Runtime> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let _entered = runtime.enter();
    for kind in [
        SignalKind::hangup(),
        SignalKind::interrupt(),
        SignalKind::terminate(),
    ] {
        // What is sent is of no interest, only that the default reaction is gone.
        let _ = signal(kind)?;
    }
    drop(_entered);
    Ok(runtime)
}

/// Why `start` could not be started. The system says "No such file" of three different files.
fn why_not_started(start: &Start, error: &io::Error) -> String {
    let [program, directory] = [&start.program, &start.directory].map(Path::new);
    if !directory.is_dir() {
        return format!(
            "the working directory {} does not exist",
            directory.display()
        );
    }
    let why = match error.kind() {
        io::ErrorKind::NotFound if program.exists() => {
            "it is there, and what it is run with is not (see its first line)".to_owned()
        }
        _ => error.to_string(),
    };
    format!("{} could not be started: {why}", program.display())
}

/// Starts the tool as the leader of a new group and lets go of the pipes that are the tool's alone.
fn spawn(start: &Start) -> io::Result<Child> {
    let leader = Command::new(&start.program)
        .args(&start.arguments)
        .current_dir(&start.directory)
        .env_clear()
        .envs(start.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let nothing = OpenOptions::new().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    Ok(leader)
}

/// Writes what is sent to `stdin` on a thread of its own, for a tool may never read; closes it when the sender is
/// dropped.
fn feed(mut stdin: ChildStdin) -> Sender<String> {
    let (sender, receiver) = mpsc::channel::<String>();
    thread::spawn(move || {
        for text in receiver {
            if stdin.write_all(text.as_bytes()).is_err() {
                break;
            }
        }
    });
    sender
}

/// Passes orders on until loopls is gone or no longer makes sense.
fn listen(orders: impl Iterator<Item = io::Result<String>>, tell: &Sender<News>) {
    for order in orders {
        let Some(order) = order
            .ok()
            .and_then(|order| serde_json::from_str(&order).ok())
        else {
            break;
        };
        if tell.send(News::Order(order)).is_err() {
            return;
        }
    }
    let _ = tell.send(News::Lost);
}

/// Serves the tool until it is to end; returns how long that may take.
fn oversee(
    news: &Receiver<News>,
    mut stdin: Option<Sender<String>>,
    drain: Duration,
    tell_exit: &mut dyn FnMut(),
) -> Duration {
    let mut leader_ended = false;
    loop {
        match news.recv() {
            Ok(News::Order(Order::Stdin(text))) => {
                if let Some(stdin) = &stdin {
                    // Fails when the tool closed its end, which is its own affair.
                    let _ = stdin.send(text);
                }
            }
            Ok(News::Order(Order::CloseStdin)) => stdin = None,
            Ok(News::Order(Order::Start(_))) => {}
            Ok(News::Order(Order::End)) if !leader_ended => return drain,
            Ok(News::Order(Order::End) | News::Lost) | Err(_) => return drain.min(SHORT_DRAIN),
            Ok(News::LeaderEnded) => {
                leader_ended = true;
                tell_exit();
            }
        }
    }
}

/// Ends the whole family: it is asked to at first, and killed after `grace`.
fn end(family: Family, grace: Duration, news: &Receiver<News>, tell_exit: &mut dyn FnMut()) {
    let mut deadline = Instant::now() + grace;
    let mut asked = Vec::new();
    family.ask_to_end(&mut asked);
    while family.is_alive() {
        if Instant::now() < deadline {
            family.ask_strays_to_end(&mut asked);
        } else if Instant::now() < deadline + KILL_PATIENCE {
            family.kill();
        } else {
            break;
        }
        match news.recv_timeout(LOOK_AGAIN) {
            Ok(News::LeaderEnded) => tell_exit(),
            Ok(News::Lost) => deadline = deadline.min(Instant::now() + SHORT_DRAIN),
            Ok(News::Order(_)) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => thread::sleep(LOOK_AGAIN),
        }
    }
}
