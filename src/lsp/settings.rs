//! What a person has set in the editor: `loopls.*`, from `initializationOptions`, `workspace/configuration` and
//! `workspace/didChangeConfiguration`. A folder can bring settings of its own, so nothing that starts anything is among
//! them.

use super::session::{Session, detached};
use super::{log, publish};
use crate::check::Levels;
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tower_lsp::ls_types::notification::ShowMessage;
use tower_lsp::ls_types::{ConfigurationItem, MessageType, ShowMessageParams};

/// The section of the editor's settings that is ours.
pub const SECTION: &str = "loopls";

/// What is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `levels`: levels of codes, over those of the project.
    pub levels: Levels,
    /// `run.mode`: the mode of a run for which none is asked, where the definition has it.
    pub mode: Option<String>,
    /// `run.prompt`: the user message of a run for which neither who runs it nor the definition has one.
    pub prompt: Option<String>,
    /// `lenses`: whether there are lenses.
    pub lenses: bool,
    /// `hints`: whether there are inlay hints.
    pub hints: bool,
    /// `log`: the level down to which the client is told what the server does, of [`log::LEVELS`].
    pub log: &'static str,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            levels: Levels::default(),
            mode: None,
            prompt: None,
            lenses: true,
            hints: true,
            log: log::DEFAULT_LEVEL,
        }
    }
}

impl Settings {
    /// Reads the settings of `layers`, the first of which counts where it says something; and what is wrong with them,
    /// which counts for nothing.
    fn read(layers: &[&Value]) -> (Self, Vec<String>) {
        let mut settings = Self::default();
        let mut problems = Vec::new();
        let get = |path: &str| {
            let values = layers.iter().filter_map(|layer| layer.pointer(path));
            values.into_iter().find(|value| !value.is_null())
        };
        for (path, place) in [
            ("/run/mode", &mut settings.mode),
            ("/run/prompt", &mut settings.prompt),
        ] {
            match get(path) {
                None => {}
                Some(Value::String(text)) if text.is_empty() => {}
                Some(Value::String(text)) => *place = Some(text.clone()),
                Some(_) => problems.push(format!("{} must be a string", dotted(path))),
            }
        }
        for (path, place) in [
            ("/lenses", &mut settings.lenses),
            ("/hints", &mut settings.hints),
        ] {
            match get(path) {
                None => {}
                Some(Value::Bool(on)) => *place = *on,
                Some(_) => problems.push(format!("{} must be true or false", dotted(path))),
            }
        }
        match get("/log") {
            None => {}
            Some(level) => match log::LEVELS.iter().find(|it| *level == **it) {
                Some(level) => settings.log = level,
                None => problems.push(format!(
                    "loopls.log must be one of {}",
                    log::LEVELS.join(", ")
                )),
            },
        }
        match get("/levels") {
            None => {}
            Some(Value::Object(levels)) => {
                for (code, level) in levels {
                    let level = level.as_str().unwrap_or_default();
                    if let Err(problem) = settings.levels.set(code, level) {
                        problems.push(format!("{}: {problem}", dotted("/levels")));
                    }
                }
            }
            Some(_) => problems.push(format!(
                "{} must be an object of codes and levels",
                dotted("/levels")
            )),
        }
        (settings, problems)
    }
}

/// A JSON pointer as people write the setting.
fn dotted(path: &str) -> String {
    format!("{SECTION}{}", path.replace('/', "."))
}

/// Ours of all settings that a client sends: the section, or what is sent as if it were the section.
fn section(settings: &Value) -> &Value {
    match settings.get(SECTION) {
        Some(section) => section,
        None => settings,
    }
}

/// The settings of a session, from wherever they came.
#[derive(Debug, Default)]
pub struct Configuration(Mutex<Given>);

#[derive(Debug, Default)]
struct Given {
    /// Of `initializationOptions`.
    at_start: Value,
    /// The newest since.
    since: Value,
    settings: Arc<Settings>,
    /// What a person was told is wrong.
    told: Vec<String>,
    /// Counts questions to the client, so that of two answers the later question's counts.
    questions: u64,
}

impl Configuration {
    /// The settings as they are.
    pub fn settings(&self) -> Arc<Settings> {
        self.given().settings.clone()
    }

    fn given(&self) -> MutexGuard<'_, Given> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Given {
    /// Reads anew; returns the settings of before, and what a person should be told.
    fn read(&mut self) -> (Arc<Settings>, Vec<String>) {
        let (settings, problems) = Settings::read(&[&self.since, &self.at_start]);
        let before = std::mem::replace(&mut self.settings, Arc::new(settings));
        let news = problems
            .iter()
            .filter(|problem| !self.told.contains(problem));
        let news = news.cloned().collect();
        self.told = problems;
        (before, news)
    }
}

/// Takes the settings of `initializationOptions`. A client may not be talked to yet: what is wrong is told with the next.
pub fn at_start(session: &Session, options: &Value) {
    let mut given = session.configuration.given();
    given.at_start = section(options).clone();
    given.read();
    given.told.clear();
    session.log.set_level(given.settings.log);
}

/// The client may be talked to: asks it for its settings, if it lets itself be asked.
pub fn initialized(session: &Arc<Session>) {
    match session.abilities().configuration {
        true => ask(session),
        false => take(session, |_| {}),
    }
}

/// The client's settings changed: to `settings`, or to what it says when it is asked.
pub fn changed(session: &Arc<Session>, settings: &Value) {
    match session.abilities().configuration {
        true => ask(session),
        false => take(session, |given| given.since = section(settings).clone()),
    }
}

fn ask(session: &Arc<Session>) {
    let question = {
        let mut given = session.configuration.given();
        given.questions += 1;
        given.questions
    };
    let session = session.clone();
    detached(async move {
        let item = ConfigurationItem {
            scope_uri: None,
            section: Some(SECTION.into()),
        };
        let Ok(answer) = session.client.configuration(vec![item]).await else {
            return;
        };
        take(&session, |given| {
            if given.questions == question {
                given.since = answer.into_iter().next().unwrap_or_default();
            }
        });
    });
}

/// Lets `change` change what is given, and everything that depends on it follow.
fn take(session: &Arc<Session>, change: impl FnOnce(&mut Given)) {
    let (before, settings, news) = {
        let mut given = session.configuration.given();
        change(&mut given);
        let (before, news) = given.read();
        (before, given.settings.clone(), news)
    };
    if !news.is_empty() {
        session.outbox.notify::<ShowMessage>(ShowMessageParams {
            typ: MessageType::WARNING,
            message: news.join("\n"),
        });
    }
    session.log.set_level(settings.log);
    let abilities = session.abilities();
    if settings.levels != before.levels {
        publish::look_again(session);
    }
    if settings.lenses != before.lenses && abilities.code_lens_refresh {
        let session = session.clone();
        detached(async move { session.client.code_lens_refresh().await });
    }
    if settings.hints != before.hints && abilities.hint_refresh {
        let session = session.clone();
        detached(async move { session.client.inlay_hint_refresh().await });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_of_another_shape_counts_for_nothing_and_is_told() {
        for (given, problem) in [
            (json!(null), None),
            (json!([]), None),
            (json!({}), None),
            (json!(3), None),
            (json!({ "run": null, "lenses": null, "levels": null }), None),
            (json!({ "run": 3 }), None),
            (
                json!({ "run": { "mode": 3 } }),
                Some("loopls.run.mode must be a string"),
            ),
            (
                json!({ "hints": "yes" }),
                Some("loopls.hints must be true or false"),
            ),
            (
                json!({ "log": "loud" }),
                Some("loopls.log must be one of off, error, warning, info, debug"),
            ),
            (
                json!({ "levels": [] }),
                Some("loopls.levels must be an object of codes and levels"),
            ),
            (
                json!({ "levels": { "syntax": "off" } }),
                Some(
                    "loopls.levels: `syntax` is an error, and no setting lowers it: a definition that has it cannot be run",
                ),
            ),
            (
                json!({ "levels": { "nonsense": "off" } }),
                Some("loopls.levels: there is no code `nonsense`"),
            ),
            (
                json!({ "levels": { "unused_tool": 1 } }),
                Some(
                    "loopls.levels: `` is no level; a level is `off`, `hint`, `information` or `warning`",
                ),
            ),
        ] {
            let (settings, problems) = Settings::read(&[&given]);
            assert_eq!(settings, Settings::default(), "{given}");
            let problems: Vec<_> = problems.iter().map(String::as_str).collect();
            assert_eq!(problems, problem.into_iter().collect::<Vec<_>>(), "{given}");
        }
    }

    #[test]
    fn the_first_layer_that_says_something_counts() {
        let newest = json!({ "hints": false, "run": { "prompt": "Go." }, "lenses": null });
        let oldest = json!({ "hints": true, "run": { "mode": "fast" }, "lenses": false });
        let (settings, problems) = Settings::read(&[&newest, &oldest]);
        assert!(problems.is_empty());
        let expected = Settings {
            mode: Some("fast".into()),
            prompt: Some("Go.".into()),
            lenses: false,
            hints: false,
            ..Settings::default()
        };
        assert_eq!(settings, expected);
    }

    #[test]
    fn the_section_is_found_or_is_all_there_is() {
        let section = json!({ "hints": false });
        for given in [section.clone(), json!({ "loopls": section })] {
            assert_eq!(super::section(&given), &section);
        }
    }
}
