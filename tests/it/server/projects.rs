//! Loops that name each other, over the files of a project.

use crate::support::{Client, file_uri, folder};
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
    // The project is not searched for each key that is pressed.
    let found = project
        .replace("desk.loop.toml", 2, &format!("{desk}# typed\n"))
        .await;
    assert_eq!(codes(&found), ["unknown_delegate"]);
    watched(&mut project.client, &helper, 1).await;
    assert_eq!(codes(&project.again("desk.loop.toml", 2).await), NONE);
    std::fs::remove_file(&helper).unwrap();
    watched(&mut project.client, &helper, 3).await;
    assert_eq!(
        codes(&project.again("desk.loop.toml", 2).await),
        ["unknown_delegate"]
    );
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
