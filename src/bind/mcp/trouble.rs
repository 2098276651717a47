//! Why a server cannot be used or does not answer, in words that a person and a model may see.

use super::super::{Secrets, http};
use super::Key;
use reqwest::Method;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use std::error::Error;
use std::sync::Arc;

/// The most characters of what is said.
const LENGTH: usize = 300;

/// Why it cannot be used.
pub fn at_start(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => of_transport(error),
        ClientInitializeError::ConnectionClosed(_) => "it ended".to_owned(),
        ClientInitializeError::JsonRpcError(error) => error.message.to_string(),
        error => error.to_string(),
    }
}

/// Why it does not answer.
pub fn of_service(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => error.message.to_string(),
        ServiceError::TransportSend(error) => of_transport(error),
        ServiceError::TransportClosed => "it ended".to_owned(),
        error => error.to_string(),
    }
}

/// The library's own words name its types; what is behind them says what happened.
fn of_transport(error: &DynamicTransportError) -> String {
    let mut next: Option<&(dyn Error + 'static)> = Some(&*error.error);
    while let Some(error) = next {
        match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            Some(StreamableHttpError::Client(error)) => return http::cause(error),
            Some(StreamableHttpError::UnexpectedContentType(kind)) => {
                let kind = kind.as_deref().unwrap_or("no content type");
                return format!("what answers there is no MCP server: it sent {kind}");
            }
            _ => {}
        }
        next = error.source();
    }
    error.error.to_string()
}

/// What may be told of a server's troubles.
pub struct Words {
    secrets: Arc<Secrets>,
    /// Where it is asked, if that is an address.
    place: Option<String>,
    /// What errors do not name of an address, for it may hold what is secret: what stands behind its path.
    query: Option<String>,
}

impl Words {
    /// Those of the server of `key`, of which nobody is to know `secrets`.
    pub fn new(secrets: Arc<Secrets>, key: &Key) -> Self {
        let url = match key {
            Key::Address { url, .. } => Some(url.as_str()),
            Key::Process { .. } => None,
        };
        let place = url.and_then(|url| Some(http::place(&Method::POST, &url.parse().ok()?)));
        let query = url.and_then(|url| Some(url[url.find('?')?..].to_owned()));
        Self {
            secrets,
            place,
            query,
        }
    }

    /// `words` as they may be told.
    pub fn said(&self, words: &str) -> String {
        let words = match &self.query {
            Some(query) => words.replace(query, ""),
            None => words.to_owned(),
        };
        let words = match &self.place {
            Some(place) => format!("{place}: {words}"),
            None => words,
        };
        // Before it is cut, for a part of a secret would not be known.
        let words = self.secrets.hide(&words);
        match words.char_indices().nth(LENGTH) {
            None => words.into_owned(),
            Some((end, _)) => format!("{}…", &words[..end]),
        }
    }
}
