//! A thread that prints and writes, so that a terminal or a disk that stands still never holds up the run.

use super::screen::Screen;
use super::written::Transcripts;
use crate::cli::report::escape_json;
use crate::cli::{Failure, Status, output};
use crate::run::{Record, StopReason};
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How long nothing else is shown before the status line is brought up to date.
const TICK: Duration = Duration::from_millis(100);

/// How a run is shown.
pub enum View {
    /// For people.
    Screen(Box<Screen>),
    /// The transcript, line by line.
    Transcript(Box<dyn Write + Send>),
}

impl View {
    fn show(&mut self, record: &Record) -> io::Result<()> {
        match self {
            View::Screen(screen) => screen.show(record),
            View::Transcript(out) => {
                let mut line = escape_json(&serde_json::to_string(record)?);
                line.push('\n');
                out.write_all(line.as_bytes())?;
                out.flush()
            }
        }
    }

    /// Shows what is due at `t`, in seconds of the run, though nothing happened.
    fn show_live(&mut self, t: f64) -> io::Result<()> {
        match self {
            View::Screen(screen) => screen.show_live(t),
            View::Transcript(_) => Ok(()),
        }
    }

    /// When [`show_live`](Self::show_live) has something to show.
    fn next_live(&self) -> Option<f64> {
        match self {
            View::Screen(screen) => screen.next_live(),
            View::Transcript(_) => None,
        }
    }

    /// Whether there is a line that says what goes on.
    fn has_status(&self) -> bool {
        matches!(self, View::Screen(screen) if screen.has_status())
    }

    /// Brings that line up to date.
    fn show_status(&mut self) {
        if let View::Screen(screen) = self {
            screen.show_status();
        }
    }

    /// Shows `text` to the person, on standard error and a line of its own.
    fn say(&mut self, text: &str) {
        match self {
            View::Screen(screen) => {
                // There is nowhere to say that it failed.
                let _ = screen.say(text);
            }
            View::Transcript(_) => {
                let mut err = anstream::stderr().lock();
                let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
            }
        }
    }
}

/// Something to print.
pub enum Order {
    /// Where records are written from now on.
    Transcripts(Box<Transcripts>),
    /// What happened in the run.
    Record(Box<Record>),
    /// Something for the person, with its line breaks.
    Say(String),
    /// Nothing more.
    End,
}

/// The thread that prints.
pub struct Printing {
    orders: Sender<Order>,
    thread: JoinHandle<Printed>,
}

/// How printing and writing came out.
type Printed = (io::Result<()>, Transcripts);

impl Printing {
    /// Starts printing to `view`. Once standard output cannot be written, nobody gets the answer, and the run is
    /// cancelled.
    pub fn start(view: View, cancel: CancellationToken) -> Result<Self, Failure> {
        let (orders, queue) = channel();
        let thread = std::thread::Builder::new()
            .name("printing".to_owned())
            .spawn(move || print(view, &queue, &cancel))
            .map_err(|error| Failure::new(format!("the run cannot start: {error}")))?;
        Ok(Self { orders, thread })
    }

    /// Where to send what is to be printed. After the end it goes nowhere.
    pub fn orders(&self) -> Sender<Order> {
        self.orders.clone()
    }

    /// Writes what happens in a run, too.
    pub fn write_to(&self, transcripts: Transcripts) {
        let _ = self.orders.send(Order::Transcripts(Box::new(transcripts)));
    }

    /// Prints what happens in a run.
    pub fn events(&self) -> Arc<dyn Fn(&Record) + Send + Sync> {
        let orders = self.orders();
        Arc::new(move |record| {
            let _ = orders.send(Order::Record(Box::new(record.clone())));
        })
    }

    /// Waits until all that was ordered is printed.
    ///
    /// # Errors
    ///
    /// Standard output could not be written, for another reason than that nobody reads it any more; or a record that was
    /// asked for does not hold the whole run.
    pub fn finish(self) -> Result<(), Failure> {
        let _ = self.orders.send(Order::End);
        let broken = |_| {
            let error = io::Error::other("the printing thread panicked");
            (Err(error), Transcripts::default())
        };
        let (printed, transcripts) = self.thread.join().unwrap_or_else(broken);
        match printed {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Failure::new(format!("standard output: {error}"))
                    .status(Status::Ended(StopReason::Failed)))
            }
            _ => transcripts.finish(),
        }
    }
}

fn print(mut view: View, queue: &Receiver<Order>, cancel: &CancellationToken) -> Printed {
    let mut result = Ok(());
    let mut transcripts = Transcripts::default();
    // The time of the run, and when it was that.
    let mut clock = (0.0, Instant::now());
    loop {
        let now = clock.0 + clock.1.elapsed().as_secs_f64();
        let due = view.next_live().filter(|_| result.is_ok());
        let wait = due.map(|due| Duration::from_secs_f64((due - now).max(0.0)));
        let tick = view.has_status().then_some(TICK);
        let order = match wait.into_iter().chain(tick).min() {
            None => queue.recv().unwrap_or(Order::End),
            Some(wait) => match queue.recv_timeout(wait) {
                Ok(order) => order,
                Err(RecvTimeoutError::Disconnected) => Order::End,
                Err(RecvTimeoutError::Timeout) => {
                    let now = clock.0 + clock.1.elapsed().as_secs_f64();
                    match due.filter(|due| *due <= now) {
                        Some(due) => result = checked(view.show_live(due), cancel),
                        None => view.show_status(),
                    }
                    continue;
                }
            },
        };
        match order {
            Order::End => break,
            Order::Say(text) => view.say(&text),
            Order::Transcripts(to) => transcripts = *to,
            Order::Record(record) => {
                clock = (record.t, Instant::now());
                transcripts.write(&record);
                if result.is_ok() {
                    result = checked(view.show(&record), cancel);
                }
            }
        }
    }
    (result, transcripts)
}

/// Cancels the run when what happened in it could not be shown.
fn checked(shown: io::Result<()>, cancel: &CancellationToken) -> io::Result<()> {
    if shown.is_err() {
        output::say("standard output cannot be written; the run is cancelled");
        cancel.cancel();
    }
    shown
}
