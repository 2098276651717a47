//! `workspace/symbol`

use super::symbols::kind;
use crate::ide;
use crate::lsp::files::{self, Listed};
use crate::lsp::session::Session;
use crate::lsp::{convert, uri};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::*;

/// The most symbols of a workspace that are listed; whoever looks among more types another letter.
const MOST_SYMBOLS: usize = 1_000;

/// The symbols of files that are not open, by their paths: an editor asks at each letter, and a file whose text is as
/// it was is not looked into again.
#[derive(Debug, Default)]
pub struct Cache(Mutex<HashMap<PathBuf, Known>>);

#[derive(Debug)]
struct Known {
    /// Tells one text from another.
    text: u64,
    symbols: Arc<[SymbolInformation]>,
}

/// Loops, tools, modes and tests by name, in every document that is open and every file of their projects.
pub async fn symbols(
    session: &Arc<Session>,
    params: WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>> {
    let session = session.clone();
    let found = tokio::task::spawn_blocking(move || find(&session, &params.query));
    let found = found.await.map_err(|_panic| Error::internal_error())?;
    Ok(Some(WorkspaceSymbolResponse::Flat(found)))
}

fn find(session: &Session, query: &str) -> Vec<SymbolInformation> {
    let cache = &session.symbols.0;
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    let mut before = std::mem::take(&mut *cache);
    let mut found = Vec::new();
    for listed in files::all(session) {
        let symbols = match listed {
            Listed::Open(file) => of(session, &file),
            Listed::Closed(path) => {
                let Some(text) = files::read(&path) else {
                    continue;
                };
                let mut hasher = DefaultHasher::new();
                text.hash(&mut hasher);
                let hash = hasher.finish();
                let known = before.remove(&path).filter(|known| known.text == hash);
                let known = known.or_else(|| {
                    let file = files::closed(&path, &text)?;
                    Some(Known {
                        text: hash,
                        symbols: of(session, &file),
                    })
                });
                let Some(known) = known else { continue };
                let symbols = known.symbols.clone();
                cache.insert(path, known);
                symbols
            }
        };
        let meant = symbols.iter().filter(|it| ide::is_meant(&it.name, query));
        found.extend(meant.cloned());
    }
    found.truncate(MOST_SYMBOLS);
    found
}

#[allow(deprecated)]
fn of(session: &Session, file: &files::File) -> Arc<[SymbolInformation]> {
    let analysis = &file.analysis;
    let encoding = session.abilities().encoding;
    let symbols = ide::workspace_symbols(analysis).into_iter();
    let symbols = symbols.map(|symbol| SymbolInformation {
        name: symbol.name,
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        location: Location::new(
            file.uri.clone(),
            convert::range_out(&analysis.rope, symbol.span, encoding),
        ),
        container_name: Some(match symbol.container.as_str() {
            "" => uri::file_name(file.uri.as_str()),
            container => container.to_owned(),
        }),
    });
    symbols.collect()
}
