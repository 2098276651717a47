//! A provider's client: a [`Wire`] over HTTP.

use super::wire::{Decoder, SseEvent, SseReader, Wire};
use super::{ModelClient, ModelError, ModelRequest, ReplyPart, ReplyStream};
use crate::bind::{USER_AGENT, cause, place};
use crate::definition::Milliseconds;
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, StreamExt, TryStreamExt};
use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Method, Response, StatusCode, Url, redirect};
use serde_json::Value;
use std::collections::VecDeque;
use std::time::{Duration, SystemTime};

/// How long a provider has until the first byte of its answer.
const FIRST_BYTE: Duration = Duration::from_secs(600);
/// How long it may be silent after that.
const BETWEEN_BYTES: Duration = Duration::from_secs(120);
/// The most bytes that are read of an answer that is an error.
const ERROR_BYTES: usize = 64 << 10;
/// The most characters of a provider's own words in an error.
const ERROR_WORDS: usize = 300;
/// What OpenAI says beside `retry-after`, more exactly.
const RETRY_AFTER_MS: HeaderName = HeaderName::from_static("retry-after-ms");
/// The most bytes of an answer that is one JSON value.
const WHOLE_BYTES: usize = 16 << 20;

/// A client of one model. Its key is in no error and in no log.
pub struct HttpModel {
    wire: Box<dyn Wire>,
    address: String,
    key: Option<String>,
    client: Client,
}

impl HttpModel {
    /// A client of what is served at `address`, which has no slash at its end.
    ///
    /// # Errors
    ///
    /// The connection's security cannot be set up on this machine.
    pub fn new(
        wire: Box<dyn Wire>,
        address: &str,
        key: Option<String>,
    ) -> Result<Self, ModelError> {
        // The first to set it up wins; there is but one kind of it here.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // A redirect would carry the prompt and the key to where nobody meant them to go.
        let client = Client::builder()
            .redirect(redirect::Policy::none())
            .user_agent(USER_AGENT)
            .build();
        let client = client.map_err(|error| {
            failure(
                format!("no secure connection can be set up here: {error}"),
                false,
            )
        })?;
        Ok(Self {
            wire,
            address: address.trim_end_matches('/').to_owned(),
            key,
            client,
        })
    }

    async fn send(&self, request: &ModelRequest) -> Result<ReplyStream, ModelError> {
        loop {
            let (response, place) = self.ask(request).await?;
            if response.status().is_success() {
                return match kind(&response).starts_with("text/html") {
                    // Whatever it says, no model says it.
                    true => Err(failure(
                        format!("{place} answered with a web page; is `base_url` right?"),
                        false,
                    )),
                    false => Ok(self.follow(response, &place)),
                };
            }
            let refusal = Refusal::of(response).await;
            let refused = refusal.parameter();
            if !refused.is_some_and(|parameter| self.wire.goes_without(parameter)) {
                return Err(refusal.error(&place, self.wire.where_not_served()));
            }
        }
    }

    /// What comes of `request`, and what an error says of it.
    async fn ask(&self, request: &ModelRequest) -> Result<(Response, String), ModelError> {
        let (path, body) = self.wire.request(request);
        let url = Url::parse(&format!("{}{path}", self.address))
            .map_err(|error| failure(format!("`base_url` is no address: {error}"), false))?;
        let place = place(&Method::POST, &url);
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in self.wire.headers() {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        if let Some(key) = &self.key {
            let (name, value) = self.wire.authorization(key);
            let value = HeaderValue::from_str(&value);
            let mut value = value.map_err(|_| {
                failure(
                    "the key holds a character that no header takes".into(),
                    false,
                )
            })?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        let sent = self
            .client
            .post(url)
            .headers(headers)
            .body(body.to_string())
            .send();
        match tokio::time::timeout(FIRST_BYTE, sent).await {
            Err(_) => Err(failure(
                format!("{place} did not answer within 10 minutes"),
                true,
            )),
            Ok(Err(error)) => Err(failure(
                format!("{place}: {}", cause(&error)),
                error.is_connect() || error.is_timeout(),
            )),
            Ok(Ok(response)) => Ok((response, place)),
        }
    }

    fn follow(&self, response: Response, place: &str) -> ReplyStream {
        let place = place.to_owned();
        let is_stream = !kind(&response).starts_with("application/json");
        let bytes = response
            .bytes_stream()
            .map_ok(|bytes| bytes.to_vec())
            .map_err(move |error| {
                failure(
                    format!("the connection to {place} broke: {}", cause(&error)),
                    true,
                )
            });
        parts(bytes.boxed(), self.wire.decoder(), is_stream)
    }
}

/// The content type of `response`, in lower case; empty where it has none.
fn kind(response: &Response) -> String {
    let kind = response.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.trim_start().to_ascii_lowercase()
}

impl ModelClient for HttpModel {
    fn reply(&self, request: ModelRequest) -> BoxFuture<'_, Result<ReplyStream, ModelError>> {
        Box::pin(async move { self.send(&request).await })
    }
}

/// What is read of an answer, piece by piece.
struct Reading {
    bytes: BoxStream<'static, Result<Vec<u8>, ModelError>>,
    decoder: Box<dyn Decoder>,
    events: Option<SseReader>,
    /// An answer that is no stream.
    whole: Vec<u8>,
    ready: VecDeque<ReplyPart>,
    over: bool,
}

/// The parts of an answer that comes as `bytes`.
fn parts(
    bytes: BoxStream<'static, Result<Vec<u8>, ModelError>>,
    decoder: Box<dyn Decoder>,
    is_stream: bool,
) -> ReplyStream {
    let events = is_stream.then(SseReader::default);
    let reading = Reading {
        bytes,
        decoder,
        events,
        whole: Vec::new(),
        ready: VecDeque::new(),
        over: false,
    };
    let stream = futures_util::stream::unfold(reading, |mut reading| async move {
        let part = reading.next().await?;
        // Nothing comes after an error.
        reading.over |= part.is_err();
        Some((part, reading))
    });
    stream.boxed()
}

impl Reading {
    async fn next(&mut self) -> Option<Result<ReplyPart, ModelError>> {
        loop {
            if let Some(part) = self.ready.pop_front() {
                return Some(Ok(part));
            }
            if self.over {
                return None;
            }
            let step = match tokio::time::timeout(BETWEEN_BYTES, self.bytes.next()).await {
                Err(_) => Err(failure(
                    "the provider said nothing for 2 minutes".into(),
                    true,
                )),
                Ok(Some(Err(error))) => Err(error),
                Ok(Some(Ok(bytes))) => self.take(&bytes),
                Ok(None) => self.finish(),
            };
            if let Err(error) = step {
                return Some(Err(error));
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), ModelError> {
        let Some(events) = &mut self.events else {
            self.whole.extend_from_slice(bytes);
            return match self.whole.len() > WHOLE_BYTES {
                true => Err(failure(
                    "the provider's answer is longer than 16 MiB".into(),
                    false,
                )),
                false => Ok(()),
            };
        };
        for event in events.push(bytes)? {
            self.ready.extend(self.decoder.event(&event)?);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ModelError> {
        self.over = true;
        let last = match self.events.take() {
            Some(events) => events.end(),
            None if self.whole.iter().all(u8::is_ascii_whitespace) => None,
            None => {
                let data = String::from_utf8_lossy(&self.whole).into_owned();
                Some(SseEvent {
                    event: String::new(),
                    data,
                })
            }
        };
        if let Some(event) = last {
            self.ready.extend(self.decoder.event(&event)?);
        }
        self.ready.extend(self.decoder.end());
        Ok(())
    }
}

/// An answer outside 2xx.
struct Refusal {
    status: StatusCode,
    retry_after: Option<Milliseconds>,
    /// The error in its body. One that is no JSON may be anything, and is not repeated.
    error: Option<Value>,
}

impl Refusal {
    async fn of(response: Response) -> Self {
        let status = response.status();
        let retry_after = retry_after(response.headers(), SystemTime::now());
        let mut body = Vec::new();
        let mut bytes = response.bytes_stream();
        while let Ok(Some(Ok(more))) = tokio::time::timeout(BETWEEN_BYTES, bytes.next()).await {
            body.extend_from_slice(&more);
            if body.len() > ERROR_BYTES {
                break;
            }
        }
        let error = serde_json::from_slice(&body).ok().map(|body: Value| {
            // Gemini wraps its error in an array.
            let body = body.get(0).unwrap_or(&body);
            let error = body.get("error").filter(|error| !error.is_null());
            error.unwrap_or(body).clone()
        });
        Self {
            status,
            retry_after,
            error,
        }
    }

    /// The parameter of the request that was refused, where the provider names it.
    fn parameter(&self) -> Option<&str> {
        let error = self.error.as_ref()?;
        error["param"].as_str()
    }

    /// The provider's own words, one line, not too long.
    fn words(&self) -> Option<String> {
        let error = self.error.as_ref()?;
        let words = error.as_str().or_else(|| error["message"].as_str())?;
        let line: Vec<&str> = words.split_whitespace().collect();
        let line = line.join(" ");
        let cut: String = line.chars().take(ERROR_WORDS).collect();
        Some(if cut.len() < line.len() {
            cut + "…"
        } else {
            cut
        })
    }

    /// What it means for a request to `place`, `where_not_served` being what to say where the path is not known there.
    fn error(&self, place: &str, where_not_served: &str) -> ModelError {
        let status = self.status;
        let retryable = matches!(status.as_u16(), 408 | 429 | 529) || status.is_server_error();
        let words = self.words();
        let hint = match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                " (is the key right, and that of this provider?)"
            }
            // A provider that knows the path says in words what else is not found.
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED if words.is_none() => {
                where_not_served
            }
            status if status.is_redirection() => {
                " (redirects are not followed; put the address itself into `base_url`)"
            }
            _ => "",
        };
        let words = words.map_or(String::new(), |words| format!(": {words}"));
        ModelError {
            message: format!("{place} answered {status}{words}{hint}"),
            retryable,
            retry_after: self.retry_after,
        }
    }
}

/// Seconds, whole or not, or a date (RFC 9110, 10.2.3); or milliseconds in a header of their own. `now` is by this
/// machine's clock, unless the answer says what time it is by the server's.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Milliseconds> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name| text(name)?.parse::<f64>().ok();
    let date = |name| httpdate::parse_http_date(text(name)?).ok();
    let milliseconds = number(RETRY_AFTER_MS).or_else(|| Some(number(RETRY_AFTER)? * 1_000.0));
    let milliseconds = milliseconds.or_else(|| {
        let now = date(DATE).unwrap_or(now);
        // A moment that is over is no wait.
        let wait = date(RETRY_AFTER)?.duration_since(now).unwrap_or_default();
        Some(wait.as_millis() as f64)
    })?;
    (milliseconds.is_finite() && milliseconds >= 0.0).then_some(milliseconds as Milliseconds)
}

fn failure(message: String, retryable: bool) -> ModelError {
    ModelError {
        message,
        retryable,
        retry_after: None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::wire::{Parameters, wire_of};
    use super::*;
    use crate::definition::provider::provider;
    use futures_util::stream;

    fn wire() -> Box<dyn Wire> {
        wire_of(provider("ollama").unwrap(), Parameters::default())
    }

    /// Nobody waits here: the clock jumps to whatever is due next.
    #[tokio::test(start_paused = true)]
    async fn a_provider_that_does_not_answer_is_given_up() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let place = silent.local_addr().unwrap();
        let model = HttpModel::new(wire(), &format!("http://{place}"), None).unwrap();
        let before = tokio::time::Instant::now();
        let error = model.reply(ModelRequest::default()).await.err().unwrap();
        let expected = format!("POST {place}/v1/chat/completions did not answer within 10 minutes");
        assert_eq!((error.message, error.retryable), (expected, true));
        assert_eq!(before.elapsed(), FIRST_BYTE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_provider_that_falls_silent_is_given_up_and_one_that_is_slow_is_not() {
        const WORD: &[u8] = b"data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n";
        let slow = stream::iter(0..3).then(async |_| {
            tokio::time::sleep(BETWEEN_BYTES - Duration::from_secs(1)).await;
            Ok(WORD.to_vec())
        });
        let silent = slow.chain(stream::pending());
        let parts: Vec<_> = parts(silent.boxed(), wire().decoder(), true)
            .collect()
            .await;
        let (last, words) = parts.split_last().unwrap();
        let word = Ok(ReplyPart::Text("x".into()));
        assert_eq!(words, [word.clone(), word.clone(), word]);
        assert_eq!(
            last.as_ref().unwrap_err().message,
            "the provider said nothing for 2 minutes"
        );
    }

    #[test]
    fn how_long_to_wait_comes_as_seconds_or_milliseconds_or_a_date() {
        let now = httpdate::parse_http_date("Mon, 30 Nov 2026 12:00:00 GMT").unwrap();
        let later = "Mon, 30 Nov 2026 12:00:30 GMT";
        for (headers, expected) in [
            (&[("retry-after", "2")][..], Some(2_000)),
            (&[("retry-after", " 0.5 ")], Some(500)),
            (&[("retry-after", "2"), ("retry-after-ms", "10")], Some(10)),
            (&[("retry-after", later)], Some(30_000)),
            (&[("retry-after", "Mon, 30 Nov 2026 11:00:00 GMT")], Some(0)),
            // The server's clock is the one that counts.
            (
                &[
                    ("retry-after", later),
                    ("date", "Mon, 30 Nov 2026 12:00:20 GMT"),
                ],
                Some(10_000),
            ),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "-1")], None),
            (&[("retry-after", "NaN")], None),
            (&[], None),
        ] {
            let headers: HeaderMap = headers
                .iter()
                .map(|(name, value)| {
                    let name = HeaderName::from_static(name);
                    (name, HeaderValue::from_static(value))
                })
                .collect();
            assert_eq!(retry_after(&headers, now), expected, "{headers:?}");
        }
    }
}
