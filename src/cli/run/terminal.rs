//! The person at the terminal.

use super::printing::Order;
use crate::cli::printable::{printable, printable_line};
use crate::cli::{Failure, output};
use crate::definition::Effect;
use crate::run::access::{Answer, Approver, Question};
use futures_util::future::BoxFuture;
use std::io::{IsTerminal, Write, stderr, stdin};
use std::sync::mpsc::Sender;
use tokio::sync::oneshot;

/// Whether somebody can be asked: what we ask is seen, and what is typed reaches us.
pub fn is_attended() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
}

/// Asks for the prompt.
///
/// # Errors
///
/// The terminal is gone.
pub fn read_prompt() -> Result<String, Failure> {
    {
        let mut err = anstream::stderr().lock();
        let _ = write!(err, "{}prompt:{:#} ", output::DIM, output::DIM).and_then(|()| err.flush());
    }
    let mut line = String::new();
    stdin()
        .read_line(&mut line)
        .map_err(|error| Failure::new(format!("the terminal: {error}")))?;
    Ok(line.trim().to_owned())
}

/// Asks the person about calls.
pub struct Person {
    /// Questions go through the thread that prints, so that none stands within other text.
    pub orders: Sender<Order>,
    /// The definition, as the person named it.
    pub file: String,
}

impl Approver for Person {
    fn ask(&self, question: Question) -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            // What was typed before the question was seen answers nothing.
            discard_typed_ahead();
            let _ = self
                .orders
                .send(Order::Say(question_text(&question, &self.file)));
            let answer = match typed_line().await {
                Ok(line) => answer(&line, question.effect),
                Err(_) => Answer::Deny,
            };
            if answer == Answer::Deny {
                let _ = self.orders.send(Order::Say("  denied\n".to_owned()));
            }
            answer
        })
    }
}

fn question_text(question: &Question, file: &str) -> String {
    let Question {
        call,
        tool,
        effect,
        shown,
        ..
    } = question;
    let warning = output::WARNING;
    let tool = printable_line(tool);
    let shown = printable(shown);
    let shown: Vec<String> = shown.lines().map(|line| format!("  {line}")).collect();
    let for_run = match effect {
        Effect::Irreversible => String::new(),
        _ => format!(", allow {tool} for this [r]un"),
    };
    format!(
        "{warning}? {tool}{warning:#} #{call} ({}) of {}\n{}\n  Deny [Enter], allow [o]nce{for_run}: ",
        effect.as_str(),
        printable_line(file),
        shown.join("\n"),
    )
}

/// What a typed line means; whatever is not understood denies.
fn answer(line: &str, effect: Effect) -> Answer {
    match line.trim().to_lowercase().as_str() {
        "o" | "once" | "y" | "yes" => Answer::Once,
        "r" | "run" if effect != Effect::Irreversible => Answer::ForRun,
        _ => Answer::Deny,
    }
}

/// The next line that is typed; an error where nothing more is. Reading a terminal cannot be interrupted, so a thread
/// does it, which ends with the line or with the process.
fn typed_line() -> oneshot::Receiver<String> {
    let (typed, line) = oneshot::channel();
    let read = move || {
        let mut line = String::new();
        if matches!(stdin().read_line(&mut line), Ok(1..)) {
            let _ = typed.send(line);
        }
    };
    // Without the thread the sender is gone, which denies.
    let _ = std::thread::Builder::new()
        .name("terminal".to_owned())
        .spawn(read);
    line
}

#[cfg(unix)]
fn discard_typed_ahead() {
    use rustix::termios::{QueueSelector, tcflush};
    // Where it fails there is no terminal any more, and nobody answers.
    let _ = tcflush(stdin(), QueueSelector::IFlush);
}

#[cfg(not(unix))]
fn discard_typed_ahead() {}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(effect: Effect, shown: &str) -> Question {
        Question {
            run: "r".to_owned(),
            call: 3,
            tool: "refund".to_owned(),
            effect,
            shown: shown.to_owned(),
        }
    }

    #[test]
    fn enter_and_anything_odd_deny() {
        for (line, effect, expected) in [
            ("\n", Effect::Write, Answer::Deny),
            ("n\n", Effect::Write, Answer::Deny),
            ("what?\n", Effect::Write, Answer::Deny),
            (" O \n", Effect::Write, Answer::Once),
            ("yes\n", Effect::Irreversible, Answer::Once),
            ("r\n", Effect::Write, Answer::ForRun),
            ("r\n", Effect::Irreversible, Answer::Deny),
        ] {
            assert_eq!(answer(line, effect), expected, "{line:?} {effect:?}");
        }
    }

    #[test]
    fn a_question_shows_what_will_happen_and_nothing_else_steers_it() {
        let text = question_text(
            &question(Effect::Write, "refund --order\n\u{1b}[2J1042"),
            "a.loop.toml",
        );
        let text = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(
            text,
            "? refund #3 (write) of a.loop.toml\n  refund --order\n  \\u{1b}[2J1042\n  \
             Deny [Enter], allow [o]nce, allow refund for this [r]un: "
        );
        let text = question_text(&question(Effect::Irreversible, "x"), "x");
        assert!(!text.contains("[r]un"), "{text}");
    }
}
