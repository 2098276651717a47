//! The person at the client, asked about calls.

use crate::definition::Effect;
use crate::lsp::foreign;
use crate::lsp::session::Session;
use crate::run::Event;
use crate::run::access::{Answer, Approver, Question};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use tower_lsp::ls_types::{MessageActionItem, MessageType};

/// How long a person may think; no answer is a denial.
const PATIENCE: Duration = Duration::from_secs(600);

/// The most characters shown of what a call will do.
const MAX_SHOWN: usize = 2_000;

const DENY: &str = "Deny";
const ONCE: &str = "Allow once";

/// Asks about the calls of one run: by a message with buttons, or, where the client asks by itself, by waiting for
/// its `loopls.decide`.
pub struct Questions {
    session: Arc<Session>,
    run: String,
}

impl Questions {
    /// Questions of `run`.
    pub fn new(session: Arc<Session>, run: String) -> Self {
        Self { session, run }
    }

    /// Opens the question of an `access_asked` before the client can see the event, so that no answer is too early.
    pub fn heed(&self, event: &Event) {
        if let Event::AccessAsked { call, .. } = event {
            self.open(*call);
        }
    }

    fn open(&self, call: u64) {
        if self.session.abilities().approvals {
            self.session.runs.open_question(&self.run, call);
        }
    }

    async fn decided(&self, call: u64) -> Answer {
        self.open(call);
        // However this ends, by an answer, by patience or by being dropped, a later answer is void.
        let _close = scopeguard(|| self.session.runs.close_question(&self.run, call));
        let Some(answer) = self.session.runs.answer_to(&self.run, call) else {
            return Answer::Deny;
        };
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(Ok(answer)) => answer,
            _ => Answer::Deny,
        }
    }

    async fn message(&self, question: Question) -> Answer {
        let tool = foreign::one_line(&question.tool, 80);
        let for_run = format!("Allow {tool} for this run");
        let titles = [DENY, ONCE, &for_run];
        let offered = match question.effect {
            // A person each time.
            Effect::Irreversible => &titles[..2],
            Effect::Read | Effect::Write => &titles[..],
        };
        let actions = offered.iter().map(|title| MessageActionItem {
            title: (*title).to_owned(),
            properties: Default::default(),
        });
        let shown = foreign::whole(&question.shown, MAX_SHOWN);
        let text = format!(
            "Run {}: call {} of {tool} ({}) will do this:\n{shown}",
            foreign::one_line(&self.run, 80),
            question.call,
            question.effect.as_str(),
        );
        let asked = self.session.client.show_message_request(
            MessageType::WARNING,
            foreign::without_links(&text),
            Some(actions.collect()),
        );
        let chosen = match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok(Some(chosen))) => chosen.title,
            _ => return Answer::Deny,
        };
        match offered.iter().position(|title| *title == chosen) {
            Some(1) => Answer::Once,
            Some(2) => Answer::ForRun,
            _ => Answer::Deny,
        }
    }
}

impl Approver for Questions {
    fn ask(&self, question: Question) -> BoxFuture<'_, Answer> {
        if self.session.abilities().approvals {
            self.decided(question.call).boxed()
        } else {
            self.message(question).boxed()
        }
    }
}

fn scopeguard<F: Fn()>(close: F) -> impl Drop {
    struct Guard<F: Fn()>(F);
    impl<F: Fn()> Drop for Guard<F> {
        fn drop(&mut self) {
            (self.0)();
        }
    }
    Guard(close)
}
