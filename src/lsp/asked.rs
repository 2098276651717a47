//! A document that a request is about: converting in and out is the same for all of them.

use super::files::File;
use super::session::{INLINE_BYTES, Session, analysed};
use super::{convert, uri};
use crate::check::{self, Analysis};
use crate::definition::Surroundings;
use crate::text::{self, Span, offset_at};
use crate::workspace::Snapshot;
use std::str::FromStr;
use std::sync::Arc;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{Diagnostic, Position, Range, TextEdit, Uri};

/// A document as it was when the request came, with what its text says. Cheap to clone.
#[derive(Clone)]
pub struct Asked {
    /// Who asks.
    pub session: Arc<Session>,
    /// The document.
    pub snapshot: Snapshot,
    /// Its place, as the client spelt it when it was opened.
    pub uri: Uri,
    /// What it says.
    pub analysis: Arc<Analysis>,
}

impl Asked {
    /// The document at `uri`; `None` if it is not open or not ours, which is answered with nothing.
    ///
    /// # Errors
    ///
    /// The analysis panicked.
    pub async fn about(session: &Arc<Session>, uri: &Uri) -> Result<Option<Self>> {
        let Some(snapshot) = session.snapshot(uri) else {
            return Ok(None);
        };
        let analysis = analysed(&snapshot).await?;
        let uri = Uri::from_str(&snapshot.uri).map_err(|_| Error::internal_error())?;
        Ok(Some(Self {
            session: session.clone(),
            snapshot,
            uri,
            analysis,
        }))
    }

    /// Answers beside the message loop: what takes long for any document.
    ///
    /// # Errors
    ///
    /// The answer panicked.
    pub async fn beside<T: Send + 'static>(
        &self,
        answer: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> Result<T> {
        let asked = self.clone();
        tokio::task::spawn_blocking(move || answer(&asked))
            .await
            .map_err(|_panic| Error::internal_error())
    }

    /// Answers about the whole document: beside the message loop, where that is large.
    ///
    /// # Errors
    ///
    /// The answer panicked.
    pub async fn whole<T: Send + 'static>(
        &self,
        answer: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> Result<T> {
        match self.analysis.text.len() <= INLINE_BYTES {
            true => Ok(answer(self)),
            false => self.beside(answer).await,
        }
    }

    /// What surrounds it; the project is searched before, if nobody needed to know of it yet.
    ///
    /// # Errors
    ///
    /// The search panicked.
    pub async fn surroundings_known(&self) -> Result<Box<dyn Surroundings + Send + Sync>> {
        if let Some(path) = uri::path(&self.snapshot.uri) {
            let place = self.session.place(&path);
            if self.session.projects.loops(place.root()).is_none() {
                self.beside(move |asked| asked.session.projects.loops_searched(place.root()))
                    .await?;
            }
        }
        Ok(self.surroundings())
    }

    /// What surrounds it.
    pub fn surroundings(&self) -> Box<dyn Surroundings + Send + Sync> {
        self.session.surroundings(&self.snapshot.uri)
    }

    /// The same, for work beside the message loop: a project that was not searched yet is searched.
    pub fn surroundings_searched(&self) -> Box<dyn Surroundings + Send + Sync> {
        self.session.surroundings_searched(&self.snapshot.uri)
    }

    /// It as one of several files.
    pub fn file(&self) -> File {
        File {
            uri: self.uri.clone(),
            version: Some(self.snapshot.version),
            analysis: self.analysis.clone(),
        }
    }

    /// A position of the client in bytes.
    pub fn offset(&self, position: Position) -> usize {
        let encoding = self.session.abilities().encoding;
        offset_at(&self.analysis.rope, convert::position(position), encoding)
    }

    /// A range of the client in bytes.
    pub fn span(&self, range: Range) -> Span {
        let encoding = self.session.abilities().encoding;
        convert::span(&self.analysis.rope, range, encoding)
    }

    /// Bytes as a range for the client.
    pub fn range(&self, span: Span) -> Range {
        let encoding = self.session.abilities().encoding;
        convert::range_out(&self.analysis.rope, span, encoding)
    }

    /// An edit for the client.
    pub fn edit(&self, edit: &text::Edit) -> TextEdit {
        let encoding = self.session.abilities().encoding;
        convert::edit(&self.analysis.rope, edit, encoding)
    }

    /// What there is to say about it.
    pub fn diagnostics(&self) -> Vec<check::Diagnostic> {
        let uri = &self.snapshot.uri;
        let surroundings = self.surroundings();
        self.session
            .diagnostics(uri, &self.analysis, &*surroundings)
    }

    /// A diagnostic for the client.
    pub fn diagnostic(&self, diagnostic: &check::Diagnostic) -> Diagnostic {
        let abilities = self.session.abilities();
        convert::diagnostic(diagnostic, &self.analysis.rope, &self.uri, abilities)
    }
}
