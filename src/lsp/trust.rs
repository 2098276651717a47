//! Whether a definition may start anything (`docs/security.md`, 1).
//!
//! The protocol knows no trust. It comes from `initializationOptions.trust`, from `loopls/didChangeTrust`, or from a
//! person who is asked; never from settings, `loopls.toml` or a definition. What a person said of a folder is kept with
//! the list of what its definitions reach: a definition that reaches more is asked about again.

use super::foreign::{one_line, without_links};
use super::session::Session;
use super::uri;
use crate::bind::Family;
use crate::definition::{CommandArgument, Definition, Field, Model, Source, Spanned, Tool};
use crate::host::state;
use crate::text::Text;
use crate::workspace::Snapshot;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tower_lsp::ls_types::notification::ShowMessage;
use tower_lsp::ls_types::{MessageActionItem, MessageType, ShowMessageParams};

/// The reason of a run that was not trusted.
pub const NOT_TRUSTED: &str = "not_trusted";

/// How long a person may think; no answer is No.
const PATIENCE: Duration = Duration::from_secs(600);

const ONCE: &str = "Once";
const TRUST: &str = "Trust this folder";
const NO: &str = "No";

/// What the editor says of the workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// Everything may start.
    Trusted,
    /// A person is asked.
    #[default]
    Ask,
    /// Nothing may start.
    Restricted,
}

impl Level {
    /// The level in `initializationOptions` or `loopls/didChangeTrust`: `{ "trust": "trusted" | "restricted" }`. Anything
    /// else asks.
    pub fn from_options(options: &Value) -> Self {
        match options["trust"].as_str() {
            Some("trusted") => Self::Trusted,
            Some("restricted") => Self::Restricted,
            _ => Self::Ask,
        }
    }
}

/// The trust of a session.
#[derive(Debug)]
pub struct Trust {
    level: Mutex<Level>,
    answers: Option<Answers>,
    /// Held while a person is asked, so that runs of one folder do not ask side by side.
    asking: tokio::sync::Mutex<()>,
}

impl Trust {
    /// Trust that asks, and keeps answers in `state_folder`.
    pub fn new(state_folder: Option<PathBuf>) -> Self {
        Self {
            level: Mutex::default(),
            answers: state_folder.map(|folder| Answers::new(&folder)),
            asking: tokio::sync::Mutex::default(),
        }
    }

    /// Takes what the editor says.
    pub fn set(&self, level: Level) {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = level;
    }

    fn level(&self) -> Level {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether what was read of `snapshot` may start what it reaches, in loops below too; asks where nobody has said so
/// yet.
pub async fn allows(session: &Arc<Session>, snapshot: &Snapshot, family: &Family) -> bool {
    let loops = family.loops().into_iter();
    let reach: BTreeSet<String> = loops
        .flat_map(|accepted| reach(accepted.definition()))
        .collect();
    allows_reach(session, &snapshot.uri, reach).await
}

/// Whether something may start that `definition` itself reaches, whose document is at `uri`.
pub async fn allows_part(session: &Arc<Session>, uri: &str, definition: &Definition) -> bool {
    allows_reach(session, uri, reach(definition)).await
}

async fn allows_reach(session: &Arc<Session>, uri: &str, reach: BTreeSet<String>) -> bool {
    match session.trust.level() {
        Level::Trusted => return true,
        Level::Restricted => return false,
        // Nothing outside loopls would be started or asked for anything.
        Level::Ask if reach.is_empty() => return true,
        Level::Ask => {}
    }
    let _asking = session.trust.asking.lock().await;
    let folder = folder(session, uri);
    let answers = session.trust.answers.clone();
    let known = folder.clone().zip(answers.clone());
    if let Some((folder, answers)) = known {
        let reach = reach.clone();
        let covers = tokio::task::spawn_blocking(move || answers.cover(&folder, &reach));
        if covers.await.unwrap_or(false) {
            return true;
        }
    }
    match ask(session, uri, &reach).await {
        Said::Once => true,
        Said::Trust => {
            if let Some((folder, answers)) = folder.zip(answers) {
                // If it cannot be kept it is asked again.
                let _ = tokio::task::spawn_blocking(move || answers.add(&folder, reach)).await;
            }
            true
        }
        Said::No => false,
        Said::CannotAsk => {
            let folder = folder.map_or("DIR".into(), |folder| folder.display().to_string());
            session.outbox.notify::<ShowMessage>(ShowMessageParams {
                typ: MessageType::WARNING,
                message: format!(
                    "This folder is not trusted, so nothing was started. To trust it: loopls trust {}",
                    one_line(&folder, 400)
                ),
            });
            false
        }
    }
}

enum Said {
    Once,
    Trust,
    No,
    CannotAsk,
}

async fn ask(session: &Session, uri: &str, reach: &BTreeSet<String>) -> Said {
    let titles = [ONCE, TRUST, NO].map(|title| MessageActionItem {
        title: title.to_owned(),
        properties: Default::default(),
    });
    let list: Vec<&str> = reach.iter().map(String::as_str).collect();
    let text = format!(
        "{} wants to start or reach: {}. May it?",
        one_line(&uri::file_name(uri), 80),
        list.join(", "),
    );
    let asked = session.client.show_message_request(
        MessageType::WARNING,
        without_links(&text),
        Some(titles.into()),
    );
    match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(Some(chosen))) if chosen.title == ONCE => Said::Once,
        Ok(Ok(Some(chosen))) if chosen.title == TRUST => Said::Trust,
        Ok(Err(_)) => Said::CannotAsk,
        _ => Said::No,
    }
}

/// The folder that is asked about: the client's that the document is in, else the document's own.
fn folder(session: &Session, uri: &str) -> Option<PathBuf> {
    let path = uri::path(uri)?;
    let mut folders = session.folders();
    folders.retain(|folder| path.starts_with(folder));
    folders
        .into_iter()
        .max_by_key(|folder| folder.components().count())
        .or_else(|| path.parent().map(Path::to_owned))
}

/// What people have said of folders, in a file of the user's.
#[derive(Clone, Debug)]
pub struct Answers {
    path: PathBuf,
}

impl Answers {
    /// The answers kept in `state_folder`.
    pub fn new(state_folder: &Path) -> Self {
        Self {
            path: state_folder.join("trust.json"),
        }
    }

    /// Whether `folder`, or one around it, is trusted with all of `reach`.
    pub fn cover(&self, folder: &Path, reach: &BTreeSet<String>) -> bool {
        let answers = self.read();
        canonical(folder).ancestors().any(|folder| {
            let trusted = folder.to_str().and_then(|folder| answers.get(folder));
            trusted.is_some_and(|trusted| reach.is_subset(trusted))
        })
    }

    /// Trusts `folder` with `reach` too.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub fn add(&self, folder: &Path, reach: BTreeSet<String>) -> io::Result<()> {
        let mut answers = self.read();
        let folder = canonical(folder).to_string_lossy().into_owned();
        answers.entry(folder).or_default().extend(reach);
        state::replace(&self.path, &serde_json::to_vec_pretty(&answers)?)
    }

    /// A file that is not there, or cannot be understood, trusts nothing.
    fn read(&self) -> BTreeMap<String, BTreeSet<String>> {
        let text = std::fs::read(&self.path).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }
}

/// `folder` without symlinks, so that what is trusted is one place however it is spelt.
fn canonical(folder: &Path) -> PathBuf {
    folder
        .canonicalize()
        .unwrap_or_else(|_| folder.to_path_buf())
}

/// The programs, servers, hosts and environment variables that `definition` reaches, for people to read and to
/// compare with what they trusted.
pub fn reach(definition: &Definition) -> BTreeSet<String> {
    let mut reach = BTreeSet::new();
    let modes = definition.modes.iter();
    let models = std::iter::once(&definition.model).chain(modes.map(|mode| &mode.model));
    for model in models.filter_map(Field::get) {
        add_model(&mut reach, model);
    }
    for tool in &definition.tools {
        add_tool(&mut reach, tool);
    }
    for name in definition.secrets.items() {
        reach.insert(format!("variable {}", named(&name.value)));
    }
    reach
}

fn add_model(reach: &mut BTreeSet<String>, model: &Model) {
    let provider = model.provider.text();
    match model.base_url.text() {
        "" if provider == "scripted" => {}
        "" => {
            reach.insert(format!("provider {}", named(provider)));
        }
        url => add_url(reach, url),
    }
    let key = model.api_key_env.text();
    if !key.is_empty() {
        reach.insert(format!("variable {}", named(key)));
    }
}

fn add_tool(reach: &mut BTreeSet<String>, tool: &Tool) {
    let mut texts: Vec<&str> = tool.env.iter().map(|(_, value)| value.text()).collect();
    for source in &tool.sources {
        match &source.value {
            Source::Command(Some(arguments)) => {
                if let Some(CommandArgument::One(program)) = arguments.first() {
                    reach.insert(format!("program {}", named(&program.value)));
                }
            }
            Source::Http(Some(http)) => {
                add_url(reach, http.url.text());
                texts.push(http.url.text());
                texts.extend(header_values(&http.headers));
            }
            Source::Mcp(Some(mcp)) => {
                let command: Vec<_> = mcp.command.items().map(|it| it.value.as_str()).collect();
                if !command.is_empty() {
                    reach.insert(format!("server {}", named(&command.join(" "))));
                }
                if !mcp.url.text().is_empty() {
                    add_url(reach, mcp.url.text());
                }
                texts.push(mcp.url.text());
                texts.extend(header_values(&mcp.headers));
            }
            Source::Loop(path) => {
                reach.insert(format!("loop {}", named(path.text())));
            }
            Source::Command(None) | Source::Http(None) | Source::Mcp(None) | Source::Reply(_) => {}
        }
    }
    for name in texts.into_iter().flat_map(variables) {
        reach.insert(format!("variable {}", named(name)));
    }
}

fn header_values(headers: &[(Spanned<Text>, Field<Text>)]) -> impl Iterator<Item = &str> {
    headers.iter().map(|(_, value)| value.text())
}

fn add_url(reach: &mut BTreeSet<String>, url: &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    reach.insert(format!("host {}", named(host)));
}

/// The names in the `${NAME}`s of `text`.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.split("${")
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name)
}

fn named(name: &str) -> String {
    format!("`{}`", one_line(name, 200))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Analysis;
    use ropey::Rope;
    use serde_json::json;

    fn list(items: &[&str]) -> BTreeSet<String> {
        items.iter().map(|&item| item.to_owned()).collect()
    }

    #[test]
    fn what_a_definition_reaches_is_listed() {
        let text = r#"
            name = "all"
            secrets = ["VAULT"]
            model = { provider = "anthropic", name = "m", api_key_env = "MY_KEY" }

            [[tools]]
            name = "grep"
            command = ["rg", "{{pattern}}"]
            env = { A = "${ONE}-${TWO}", B = "plain" }

            [[tools]]
            name = "get"
            http = { url = "https://api.example.com/v1?q=${THREE}", headers = { X = "${FOUR}" } }

            [[tools]]
            name = "files"
            mcp = { command = ["mcp-files", "--root", "."] }

            [[tools]]
            name = "fixed"
            reply = "ok"

            [[modes]]
            name = "local"
            model = { provider = "openai-compatible", name = "m", base_url = "http://localhost:8080/v1" }
        "#;
        let analysis = Analysis::new(Rope::from_str(text));
        assert_eq!(
            reach(&analysis.definition),
            list(&[
                "host `api.example.com`",
                "host `localhost:8080`",
                "program `rg`",
                "provider `anthropic`",
                "server `mcp-files --root .`",
                "variable `FOUR`",
                "variable `MY_KEY`",
                "variable `ONE`",
                "variable `THREE`",
                "variable `TWO`",
                "variable `VAULT`",
            ])
        );
    }

    #[test]
    fn a_folder_is_trusted_with_what_was_listed_and_no_more() {
        let state = tempfile::tempdir().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("inside");
        std::fs::create_dir(&inside).unwrap();
        let answers = Answers::new(state.path());
        assert!(!answers.cover(folder.path(), &list(&["program `rg`"])));
        answers.add(folder.path(), list(&["program `rg`"])).unwrap();
        answers.add(folder.path(), list(&["program `jq`"])).unwrap();
        for (folder, reach, covered) in [
            (folder.path(), &["program `rg`"][..], true),
            (folder.path(), &["program `rg`", "program `jq`"], true),
            (folder.path(), &["program `rg`", "program `sh`"], false),
            (&inside, &["program `rg`"], true),
            (state.path(), &["program `rg`"], false),
        ] {
            assert_eq!(
                answers.cover(folder, &list(reach)),
                covered,
                "{folder:?} {reach:?}"
            );
        }
        std::fs::write(state.path().join("trust.json"), "nonsense").unwrap();
        assert!(!answers.cover(folder.path(), &list(&["program `rg`"])));
    }

    #[test]
    fn whatever_is_not_said_asks() {
        for (options, level) in [
            (json!({ "trust": "trusted" }), Level::Trusted),
            (json!({ "trust": "restricted" }), Level::Restricted),
            (json!({ "trust": true }), Level::Ask),
            (json!(null), Level::Ask),
            (json!([]), Level::Ask),
        ] {
            assert_eq!(Level::from_options(&options), level, "{options}");
        }
    }
}
