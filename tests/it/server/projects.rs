//! Loops that name each other, over the files of a project.

use crate::support::{Client, file_uri, folder, position_params};
use serde_json::{Value, json};
use std::path::Path;

/// A definition of this name, with these delegates.
fn definition(name: &str, delegates: &str) -> String {
    format!(
        "name = \"{name}\"\ndelegates = [{delegates}]\nmodel = {{ provider = \"scripted\", name = \"demo\" }}\n"
    )
}

/// A client in a project with these files, and the URI of each of `open` as it was opened from the disk.
struct Project {
    client: Client,
    path: std::path::PathBuf,
    _folder: tempfile::TempDir,
}

impl Project {
    async fn new(files: &[(&str, &str)]) -> Self {
        let (folder, path) = folder(files);
        std::fs::write(path.join("loopls.toml"), "").unwrap();
        Self {
            client: Client::start(json!({})).await,
            path,
            _folder: folder,
        }
    }

    fn uri(&self, name: &str) -> String {
        file_uri(&self.path.join(name))
    }

    async fn open(&mut self, name: &str, text: &str) -> Vec<Value> {
        let uri = self.uri(name);
        self.client.open(&uri, 1, text).await;
        self.client.diagnostics(&uri, 1).await
    }

    async fn replace(&mut self, name: &str, version: i32, text: &str) -> Vec<Value> {
        let uri = self.uri(name);
        self.client.replace(&uri, version, text).await;
        self.client.diagnostics(&uri, version).await
    }

    /// What is published of `name` next, of the version that it has.
    async fn again(&mut self, name: &str, version: i32) -> Vec<Value> {
        let uri = self.uri(name);
        self.client.diagnostics(&uri, version).await
    }

    async fn close(mut self, names: &[&str]) {
        for name in names {
            let uri = self.uri(name);
            self.client.close(&uri).await;
        }
        let mut client = self.client.allow("textDocument/publishDiagnostics");
        client.call("shutdown", Value::Null).await;
        client.notify("exit", Value::Null).await;
        client.end().await;
        client.expect_nothing_left().await;
    }
}

fn codes(diagnostics: &[Value]) -> Vec<&str> {
    let codes = diagnostics.iter().map(|it| it["code"].as_str().unwrap());
    codes.collect()
}

const NONE: [&str; 0] = [];

#[tokio::test]
async fn a_delegate_is_known_from_the_disk_also_where_its_file_is_not_open() {
    let helper = definition("helper", "");
    let mut project = Project::new(&[("sub/helper.loop.toml", &helper)]).await;
    let found = project
        .open(
            "desk.loop.toml",
            &definition("desk", "\"helper\", \"nobody\""),
        )
        .await;
    assert_eq!(codes(&found), ["unknown_delegate"]);
    project.close(&["desk.loop.toml"]).await;
}

#[tokio::test]
async fn a_change_in_one_document_shows_in_the_others() {
    let mut project = Project::new(&[]).await;
    let desk = definition("desk", "\"helper\"");
    let found = project.open("desk.loop.toml", &desk).await;
    assert_eq!(codes(&found), ["unknown_delegate"]);
    // Not saved, and known all the same.
    let found = project
        .open("helper.loop.toml", &definition("helper", ""))
        .await;
    assert_eq!(codes(&found), NONE);
    assert_eq!(codes(&project.again("desk.loop.toml", 1).await), NONE);
    let back = definition("helper", "\"desk\"");
    let found = project.replace("helper.loop.toml", 2, &back).await;
    assert_eq!(codes(&found), ["loop_cycle"]);
    assert_eq!(
        codes(&project.again("desk.loop.toml", 1).await),
        ["loop_cycle"]
    );
    // Closed, it is no more than what is on the disk: nothing.
    let uri = project.uri("helper.loop.toml");
    project.client.close(&uri).await;
    project.client.cleared(&uri).await;
    assert_eq!(
        codes(&project.again("desk.loop.toml", 1).await),
        ["unknown_delegate"]
    );
    project.close(&["desk.loop.toml"]).await;
}

#[tokio::test]
async fn a_file_that_others_changed_is_looked_at_when_the_client_says_so() {
    let mut project = Project::new(&[]).await;
    let desk = definition("desk", "\"helper\"");
    project.open("desk.loop.toml", &desk).await;
    let helper = project.path.join("helper.loop.toml");
    std::fs::write(&helper, definition("helper", "")).unwrap();
    // The search that opening set off may have come before the file or after it.
    let mut found = project
        .replace("desk.loop.toml", 2, &format!("{desk}# typed\n"))
        .await;
    watched(&mut project.client, &helper, 1).await;
    while codes(&found) != NONE {
        found = project.again("desk.loop.toml", 2).await;
    }
    std::fs::remove_file(&helper).unwrap();
    watched(&mut project.client, &helper, 3).await;
    while codes(&found) != ["unknown_delegate"] {
        found = project.again("desk.loop.toml", 2).await;
    }
    project.close(&["desk.loop.toml"]).await;
}

async fn watched(client: &mut Client, path: &Path, kind: u32) {
    let changes = json!([{ "uri": file_uri(path), "type": kind }]);
    client
        .notify(
            "workspace/didChangeWatchedFiles",
            json!({ "changes": changes }),
        )
        .await;
}

#[tokio::test]
async fn a_file_that_is_open_is_there_before_it_is_saved() {
    let mut project = Project::new(&[]).await;
    let desk = format!(
        "{}[[tools]]\nname = \"ask\"\ndescription = \"Asks.\"\nloop = \"sub/helper.loop.toml\"\n",
        definition("desk", "")
    );
    let found = project.open("desk.loop.toml", &desk).await;
    assert_eq!(codes(&found), ["missing_file"]);
    project
        .open("sub/helper.loop.toml", &definition("helper", ""))
        .await;
    assert_eq!(codes(&project.again("desk.loop.toml", 1).await), NONE);
    project
        .close(&["desk.loop.toml", "sub/helper.loop.toml"])
        .await;
}

/// Asks about the place where `name` stands first in its file, behind its first quote.
async fn at_name(
    project: &mut Project,
    file: &str,
    method: &str,
    more: Value,
) -> Result<Value, Value> {
    let mut params = position_params(&project.uri(file), 0, 10);
    super::scene::merge(&mut params, more);
    let request = project.client.request(method, params).await;
    project.client.reply(request).await
}

#[tokio::test]
async fn a_loop_is_found_and_renamed_in_every_file_that_names_it() {
    let [helper, other] = [definition("helper", ""), definition("other", "\"helper\"")];
    let mut project = Project::new(&[
        ("helper.loop.toml", helper.as_str()),
        ("sub/other.loop.toml", other.as_str()),
    ])
    .await;
    project
        .open("desk.loop.toml", &definition("desk", "\"helper\""))
        .await;
    let desk = position_params(&project.uri("desk.loop.toml"), 1, 15);
    let found = project.client.call("textDocument/definition", desk.clone());
    let found = found.await;
    assert_eq!(found[0]["uri"], project.uri("helper.loop.toml"));
    assert_eq!(
        found[0]["range"]["start"],
        json!({ "line": 0, "character": 7 })
    );

    let mut params = desk.clone();
    super::scene::merge(
        &mut params,
        json!({ "context": { "includeDeclaration": true } }),
    );
    let found = project.client.call("textDocument/references", params).await;
    let places = |found: &Value| -> Vec<(String, u64)> {
        let found = found.as_array().unwrap().iter();
        let mut places: Vec<_> = found
            .map(|it| {
                let uri = it["uri"].as_str().unwrap();
                let line = it["range"]["start"]["line"].as_u64().unwrap();
                (uri.rsplit('/').next().unwrap().to_owned(), line)
            })
            .collect();
        places.sort();
        places
    };
    let place = |name: &str, line| (name.to_owned(), line);
    assert_eq!(
        places(&found),
        [
            place("desk.loop.toml", 1),
            place("helper.loop.toml", 0),
            place("other.loop.toml", 1),
        ]
    );

    let mut params = desk;
    super::scene::merge(&mut params, json!({ "newName": "clerk" }));
    let edit = project.client.call("textDocument/rename", params).await;
    let changes = edit["changes"].as_object().unwrap();
    let mut names: Vec<_> = changes.keys().cloned().collect();
    names.sort();
    let uris = ["desk.loop.toml", "helper.loop.toml", "sub/other.loop.toml"];
    assert_eq!(names, uris.map(|name| project.uri(name)));
    for edits in changes.values() {
        let [edit] = edits.as_array().unwrap().as_slice() else {
            panic!("{edits:#?}");
        };
        assert_eq!(edit["newText"], "clerk");
    }
    project.close(&["desk.loop.toml"]).await;
}

#[tokio::test]
async fn a_loop_is_not_renamed_to_what_another_is_called() {
    let helper = definition("helper", "");
    let mut project = Project::new(&[("helper.loop.toml", helper.as_str())]).await;
    project
        .open("desk.loop.toml", &definition("desk", ""))
        .await;
    let found = at_name(
        &mut project,
        "desk.loop.toml",
        "textDocument/prepareRename",
        json!({}),
    );
    assert_eq!(found.await.unwrap()["placeholder"], "desk");
    let more = json!({ "newName": "helper" });
    let refused = at_name(&mut project, "desk.loop.toml", "textDocument/rename", more);
    let refused = refused.await.unwrap_err();
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("already a loop `helper`"), "{message}");
    project.close(&["desk.loop.toml"]).await;
}

#[tokio::test]
async fn symbols_of_files_that_are_not_open_are_found() {
    let helper = definition("helper", "");
    let mut project = Project::new(&[("helper.loop.toml", helper.as_str())]).await;
    project
        .open("desk.loop.toml", &definition("desk", ""))
        .await;
    let params = json!({ "query": "" });
    let found = project.client.call("workspace/symbol", params).await;
    let names: Vec<_> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(names, ["desk", "helper"]);
    assert_eq!(found[1]["location"]["uri"], project.uri("helper.loop.toml"));
    // A file is looked into again when its text is another, however soon, and only then.
    std::fs::write(
        project.path.join("helper.loop.toml"),
        definition("hammer", ""),
    )
    .unwrap();
    let params = json!({ "query": "H" });
    let found = project.client.call("workspace/symbol", params).await;
    assert_eq!(found[0]["name"], "hammer");
    assert_eq!(found.as_array().unwrap().len(), 1);
    project.close(&["desk.loop.toml"]).await;
}
