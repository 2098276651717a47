//! Which runs there are, and what the client can do with them.

use crate::run::access::Answer;
use crate::run::model::Message;
use crate::workspace::DocumentKey;
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_lsp::ls_types::ProgressToken;

/// How many ended runs are remembered for a next turn.
const REMEMBERED: usize = 32;

/// All runs of a session.
#[derive(Debug, Default)]
pub struct Runs {
    tasks: TaskTracker,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    in_flight: HashMap<String, InFlight>,
    /// The newest last.
    ended: VecDeque<(String, Vec<Arc<Message>>)>,
    /// The transcripts of these and of those in flight.
    transcripts: HashMap<String, PathBuf>,
    /// The last run of each document, and of each of its modes and tests.
    last: HashMap<(DocumentKey, RunOf), LastRun>,
}

/// What of a document was run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RunOf {
    /// The loop, in whatever mode.
    Loop,
    /// The loop in this mode.
    Mode(String),
    /// This test.
    Test(String),
}

/// The last run of a document or mode, for its lens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastRun {
    /// Its id.
    pub run: String,
    /// Whether it goes on.
    pub is_going: bool,
    /// How it ended, and its counters.
    pub words: String,
}

#[derive(Debug)]
struct InFlight {
    cancel: CancellationToken,
    progress: ProgressToken,
    /// The calls about which somebody may decide, by number.
    questions: HashMap<u64, Pending>,
}

/// A question on its way: whoever comes first, the run that asks or the client that answers, makes both ends.
#[derive(Debug)]
struct Pending {
    answer: Option<oneshot::Sender<Answer>>,
    answered: Option<oneshot::Receiver<Answer>>,
}

impl Runs {
    /// Begins a run; what it returns cancels it. `None` if one of this id is in flight.
    pub fn begin(&self, run: &str, progress: ProgressToken) -> Option<CancellationToken> {
        let mut known = self.known();
        if known.in_flight.contains_key(run) {
            return None;
        }
        let cancel = CancellationToken::new();
        let in_flight = InFlight {
            cancel: cancel.clone(),
            progress,
            questions: HashMap::new(),
        };
        known.in_flight.insert(run.to_owned(), in_flight);
        Some(cancel)
    }

    /// Runs the task of a run.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(task);
    }

    /// Ends a run, whose history a next turn may follow.
    pub fn land(&self, run: &str, history: Vec<Arc<Message>>) {
        let mut known = self.known();
        known.in_flight.remove(run);
        known.ended.retain(|(ended, _)| ended != run);
        known.ended.push_back((run.to_owned(), history));
        if known.ended.len() > REMEMBERED
            && let Some((forgotten, _)) = known.ended.pop_front()
        {
            known.transcripts.remove(&forgotten);
        }
    }

    /// Takes where a run is written.
    pub fn written(&self, run: &str, path: &Path) {
        let mut known = self.known();
        known.transcripts.insert(run.to_owned(), path.to_owned());
    }

    /// Where a run that has ended was written.
    pub fn transcript(&self, run: &str) -> Option<PathBuf> {
        let known = self.known();
        let has_ended = known.ended.iter().any(|(ended, _)| ended == run);
        known.transcripts.get(run).filter(|_| has_ended).cloned()
    }

    /// What was said in a run that has ended.
    pub fn history(&self, run: &str) -> Option<Vec<Arc<Message>>> {
        let known = self.known();
        let (_, history) = known.ended.iter().find(|(ended, _)| ended == run)?;
        Some(history.clone())
    }

    /// Takes what is to be shown of a run of `document` from now on: how it ended and its counters, once it has.
    pub fn remember(&self, document: &DocumentKey, of: RunOf, run: &str, ended: Option<String>) {
        let last = LastRun {
            run: run.to_owned(),
            is_going: ended.is_none(),
            words: ended.unwrap_or_else(|| "running".to_owned()),
        };
        let mut known = self.known();
        if matches!(of, RunOf::Mode(_)) {
            let whole = (document.clone(), RunOf::Loop);
            known.last.insert(whole, last.clone());
        }
        known.last.insert((document.clone(), of), last);
    }

    /// The last run of that part of `document`.
    pub fn last(&self, document: &DocumentKey, of: RunOf) -> Option<LastRun> {
        self.known().last.get(&(document.clone(), of)).cloned()
    }

    /// Forgets the last runs of a document that is closed.
    pub fn forget(&self, document: &DocumentKey) {
        self.known().last.retain(|(of, _), _| of != document);
    }

    /// Cancels a run; returns whether it was in flight.
    pub fn cancel(&self, run: &str) -> bool {
        let known = self.known();
        let run = known.in_flight.get(run);
        run.map(|run| run.cancel.cancel()).is_some()
    }

    /// Cancels the run whose progress goes to `token`; one that is unknown is none of ours.
    pub fn cancel_progress(&self, token: &ProgressToken) {
        let known = self.known();
        for run in known.in_flight.values() {
            if run.progress == *token {
                run.cancel.cancel();
            }
        }
    }

    /// Makes a question open for answers, unless it is; from now on an answer to it counts.
    pub fn open_question(&self, run: &str, call: u64) {
        if let Some(run) = self.known().in_flight.get_mut(run) {
            run.questions.entry(call).or_insert_with(|| {
                let (answer, answered) = oneshot::channel();
                Pending {
                    answer: Some(answer),
                    answered: Some(answered),
                }
            });
        }
    }

    /// The answer to an open question, to be waited for once.
    pub fn answer_to(&self, run: &str, call: u64) -> Option<oneshot::Receiver<Answer>> {
        let mut known = self.known();
        let question = known.in_flight.get_mut(run)?.questions.get_mut(&call)?;
        question.answered.take()
    }

    /// Closes a question: an answer that comes now is void.
    pub fn close_question(&self, run: &str, call: u64) {
        if let Some(run) = self.known().in_flight.get_mut(run) {
            run.questions.remove(&call);
        }
    }

    /// Answers an open question; returns whether the answer counts.
    pub fn decide(&self, run: &str, call: u64, answer: Answer) -> bool {
        let mut known = self.known();
        let question = known
            .in_flight
            .get_mut(run)
            .and_then(|run| run.questions.get_mut(&call));
        question
            .and_then(|question| question.answer.take())
            .is_some_and(|sender| sender.send(answer).is_ok())
    }

    /// Cancels every run and waits until all have wound down, at most for `patience`.
    pub async fn end(&self, patience: Duration) {
        for run in self.known().in_flight.values() {
            run.cancel.cancel();
        }
        self.tasks.close();
        let _ = tokio::time::timeout(patience, self.tasks.wait()).await;
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tower_lsp::ls_types::NumberOrString;

    fn runs(ids: &[&str]) -> (Runs, Vec<CancellationToken>) {
        let runs = Runs::default();
        let token = |id: &str| NumberOrString::String(format!("progress of {id}"));
        let cancels = ids.iter().map(|id| runs.begin(id, token(id)).unwrap());
        let cancels = cancels.collect();
        (runs, cancels)
    }

    #[test]
    fn one_run_an_id() {
        let (runs, _) = runs(&["a"]);
        assert!(runs.begin("a", NumberOrString::Number(1)).is_none());
        runs.land("a", Vec::new());
        assert!(runs.begin("a", NumberOrString::Number(1)).is_some());
    }

    #[test]
    fn a_cancel_reaches_its_run_alone() {
        let (runs, cancels) = runs(&["a", "b", "c"]);
        assert!(runs.cancel("a"));
        assert!(!runs.cancel("nobody"));
        runs.cancel_progress(&NumberOrString::String("progress of b".into()));
        runs.cancel_progress(&NumberOrString::Number(7));
        let cancelled: Vec<_> = cancels
            .iter()
            .map(CancellationToken::is_cancelled)
            .collect();
        assert_eq!(cancelled, [true, true, false]);
    }

    #[tokio::test]
    async fn an_answer_counts_once_and_only_while_its_question_is_open() {
        let (runs, _) = runs(&["a", "b"]);
        assert!(!runs.decide("a", 1, Answer::Once), "not asked yet");
        runs.open_question("a", 1);
        runs.open_question("b", 1);
        assert!(runs.decide("b", 1, Answer::ForRun));
        assert!(runs.decide("a", 1, Answer::Deny));
        assert!(!runs.decide("a", 1, Answer::Once), "answered already");
        assert_eq!(runs.answer_to("a", 1).unwrap().await, Ok(Answer::Deny));
        assert_eq!(runs.answer_to("b", 1).unwrap().await, Ok(Answer::ForRun));
        runs.open_question("a", 2);
        runs.close_question("a", 2);
        assert!(!runs.decide("a", 2, Answer::Once), "too late");
    }

    #[test]
    fn only_the_last_runs_can_be_followed() {
        let (runs, _) = runs(&[]);
        for run in 0..=REMEMBERED {
            runs.land(&run.to_string(), Vec::new());
        }
        assert!(runs.history("0").is_none());
        assert!(runs.history("1").is_some());
        assert!(runs.history(&REMEMBERED.to_string()).is_some());
    }
}
