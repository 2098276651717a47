//! `docs/protocol.md` names everything that a client can use.

use crate::support::Client;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The string literals in the code of the server that `is_one` takes.
fn literals(folder: &Path, is_one: &dyn Fn(&str) -> bool, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            literals(&path, is_one, found);
            continue;
        }
        let code = std::fs::read_to_string(&path).unwrap();
        let code = code.split("#[cfg(test)]").next().unwrap();
        let quoted = code.split('"').filter(|it| is_one(it));
        found.extend(quoted.map(str::to_owned));
    }
}

#[tokio::test]
async fn every_command_is_documented() {
    let page = read("docs/protocol.md");
    let client = Client::start(json!({})).await;
    let commands = &client.server["capabilities"]["executeCommandProvider"]["commands"];
    let commands = commands.as_array().unwrap().clone();
    assert!(commands.len() > 5);
    for command in commands {
        let row = format!("\n| `{}` | ", command.as_str().unwrap());
        assert!(page.contains(&row), "{command}");
    }
    client.finish().await;
}

#[test]
fn every_notification_of_ours_is_documented() {
    let is_method = |it: &str| {
        let name = it.strip_prefix("loopls/").unwrap_or_default();
        !name.is_empty() && name.chars().all(char::is_alphabetic)
    };
    let mut methods = BTreeSet::new();
    let code = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lsp");
    literals(&code, &is_method, &mut methods);
    assert!(methods.contains("loopls/runEvent"), "{methods:?}");
    let page = read("docs/protocol.md");
    for method in methods {
        assert!(page.contains(&format!("`{method}`")), "{method}");
    }
}

#[test]
fn every_setting_is_documented() {
    let code = read("src/lsp/settings.rs");
    let code = code.split("#[cfg(test)]").next().unwrap();
    let pointers = code.split('"').filter(|it| {
        let name = it.strip_prefix('/').unwrap_or_default();
        !name.is_empty() && name.chars().all(|it| it.is_alphabetic() || it == '/')
    });
    let settings: BTreeSet<_> = pointers.map(|it| it.replace('/', ".")).collect();
    assert!(settings.contains(".run.mode"), "{settings:?}");
    let page = read("docs/protocol.md");
    for setting in settings {
        assert!(
            page.contains(&format!("\n| `loopls{setting}` | ")),
            "{setting}"
        );
    }
}
