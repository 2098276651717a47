//! `loopls.saveAsTest`: a run becomes a test of its definition.

use crate::check::Analysis;
use crate::lsp::edits::{self, FileEdits, workspace_edit};
use crate::lsp::foreign::{one_line, whole, without_links};
use crate::lsp::session::Session;
use crate::lsp::{commands, convert, uri};
use crate::run::RecordedRun;
use crate::syntax::{self, Table};
use crate::text::{Edit, Span, apply_edits};
use crate::workspace::Snapshot;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{MessageActionItem, MessageType, Uri};

/// How long a person may look at the entry; no answer adds nothing.
const PATIENCE: Duration = Duration::from_secs(600);

/// The most characters of the entry that are shown.
const MAX_SHOWN: usize = 4_000;

const CANCEL: &str = "Cancel";
const ADD: &str = "Add the test";

/// The argument of `loopls.saveAsTest`.
#[derive(Debug, Deserialize)]
pub struct SaveAsTest {
    run: String,
    /// The test's name; absent, the beginning of the prompt.
    name: Option<String>,
    /// Whether the test is added without asking, by a client that has shown it; `false` only returns it. Absent, a
    /// person is asked.
    apply: Option<bool>,
}

/// Makes a test of a run, shows it, and adds it at the end of the definition.
///
/// # Errors
///
/// There is no such run, its definition is not open, or a test cannot be added to it.
pub async fn save_as_test(session: &Arc<Session>, request: SaveAsTest) -> Result<Option<Value>> {
    let path = session.runs.transcript(&request.run).ok_or_else(|| {
        Error::invalid_params(format!("there is no transcript of a run `{}`", request.run))
    })?;
    let recorded = tokio::task::spawn_blocking(move || read(&path));
    let recorded = recorded.await.map_err(|_panic| Error::internal_error())?;
    let recorded = recorded.map_err(refused)?;
    let snapshot = commands::open(session, &recorded.uri)?;
    let analysis = snapshot.analysis();
    let name = request
        .name
        .unwrap_or_else(|| one_line(&recorded.prompt, 60));
    let name = free_name(analysis, &name);
    let entry = recorded.as_test(&name);
    let edit = appended(analysis, &entry).ok_or_else(|| {
        refused("the definition does not take another `[[tests]]` at its end: has it an error, or `tests` as an array?".into())
    })?;
    let is_added = match request.apply {
        Some(apply) => apply,
        None => is_wanted(session, &snapshot, &entry).await,
    };
    if is_added {
        apply(session, &snapshot, &edit).await?;
    }
    Ok(Some(
        json!({ "test": name, "entry": entry, "added": is_added }),
    ))
}

fn read(path: &Path) -> std::result::Result<RecordedRun, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    RecordedRun::read(BufReader::new(file)).map_err(|error| error.to_string())
}

/// `name` with a number behind it, if the definition has such a test.
fn free_name(analysis: &Analysis, name: &str) -> String {
    let tests = &analysis.definition.tests;
    let is_free = |name: &String| tests.iter().all(|test| test.name.text() != *name);
    let numbered = (2..).map(|number| format!("{name} {number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    // The numbers do not end before the tests do.
    names.find(is_free).unwrap_or_default()
}

/// The edit that puts `entry` at the end, in the document's own line breaks; `None` if the text would not be what it was
/// and that test.
fn appended(analysis: &Analysis, entry: &str) -> Option<Edit> {
    let text = &analysis.text;
    let line_break = match text.contains("\r\n") {
        true => "\r\n",
        false => "\n",
    };
    let gap = match (text.trim().is_empty(), text.ends_with(['\n', '\r'])) {
        (true, _) => "",
        (false, true) => "\n",
        (false, false) => "\n\n",
    };
    let edit = Edit {
        span: Span::empty(text.len()),
        text: format!("{gap}{entry}").replace('\n', line_break),
    };
    let after = apply_edits(text, std::slice::from_ref(&edit))?;
    let (tree, mut errors) = syntax::parse(&after);
    let (table, conflicts) = Table::build(&tree);
    errors.extend(conflicts);
    if !errors.is_empty() {
        return None;
    }
    let mut is = table.to_json();
    let added = is["tests"].as_array_mut()?.pop()?;
    if is["tests"] == json!([]) {
        is.as_object_mut()?.remove("tests");
    }
    let (tree, _) = syntax::parse(entry);
    let wanted = Table::build(&tree).0.to_json();
    (is == analysis.table.to_json() && added == wanted["tests"][0]).then_some(edit)
}

/// Shows the entry to a person, who may not want it.
async fn is_wanted(session: &Session, snapshot: &Snapshot, entry: &str) -> bool {
    let text = format!(
        "This test is added to {}:\n{}",
        uri::file_name(&snapshot.uri),
        whole(entry, MAX_SHOWN)
    );
    let titles = [CANCEL, ADD].map(|title| MessageActionItem {
        title: title.to_owned(),
        properties: Default::default(),
    });
    let asked = session.client.show_message_request(
        MessageType::INFO,
        without_links(&text),
        Some(titles.into()),
    );
    let answer = tokio::time::timeout(PATIENCE, asked).await;
    matches!(answer, Ok(Ok(Some(chosen))) if chosen.title == ADD)
}

async fn apply(session: &Arc<Session>, snapshot: &Snapshot, edit: &Edit) -> Result<()> {
    let uri = Uri::from_str(&snapshot.uri).map_err(|_| Error::internal_error())?;
    let encoding = session.abilities().encoding;
    let file = FileEdits {
        uri,
        version: Some(snapshot.version),
        edits: vec![convert::edit(&snapshot.rope, edit, encoding)],
    };
    let edit = workspace_edit(session, vec![file]);
    edits::apply(session, "Save run as test".into(), edit).await
}

fn refused(problem: String) -> Error {
    let mut error = Error::invalid_request();
    error.message = problem.into();
    error
}
