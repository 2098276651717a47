//! The pages of the codes, opened for a person.

use super::markup;
use super::session::{Session, detached};
use crate::check::{Code, pages};
use crate::host::state;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::notification::ShowMessage;
use tower_lsp::ls_types::{MessageType, ShowDocumentParams, ShowMessageParams, Uri};

/// Where the package says that its source is; empty if it does not say.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// The folder of the pages that were opened, in the state folder.
const FOLDER: &str = "codes";

/// Where the page of `code` can be read, if the package names a repository.
pub fn address(code: Code) -> Option<Uri> {
    let version = env!("CARGO_PKG_VERSION");
    let page = format!("{REPOSITORY}/blob/v{version}/docs/codes/{code}.md");
    Uri::from_str(&page).ok().filter(|_| !REPOSITORY.is_empty())
}

/// `loopls.explain`: opens the page of a code, or says what the code means where a client opens no documents; returns
/// the page.
///
/// # Errors
///
/// There is no such code.
pub async fn open(session: &Arc<Session>, name: &str) -> Result<Option<Value>> {
    let code = Code::from_name(name)
        .ok_or_else(|| Error::invalid_params(format!("there is no code `{name}`")))?;
    let kept = match session.abilities().show_document {
        true => keep(session, code).await,
        false => None,
    };
    match kept.and_then(Uri::from_file_path) {
        Some(uri) => {
            let session = session.clone();
            detached(async move {
                let document = ShowDocumentParams {
                    uri,
                    external: None,
                    take_focus: Some(true),
                    selection: None,
                };
                session.client.show_document(document).await
            });
        }
        None => session.outbox.notify::<ShowMessage>(ShowMessageParams {
            typ: MessageType::INFO,
            message: format!("{code}: {}", markup::plain(&pages::summary(code))),
        }),
    }
    Ok(Some(json!({ "code": name, "page": pages::page(code) })))
}

/// Writes the page where an editor can open it; returns where.
async fn keep(session: &Session, code: Code) -> Option<PathBuf> {
    let folder = session.machine.state_folder.as_ref()?.join(FOLDER);
    let kept = tokio::task::spawn_blocking(move || {
        let path = folder.join(format!("{code}.md"));
        state::replace(&path, pages::page(code).as_bytes()).ok()?;
        Some(path)
    });
    kept.await.ok()?
}
