//! One server: started or reached, asked what it offers, called, ended.

use super::super::process::Launch;
use super::super::{Outcome, OutputSink, Secrets, http};
use super::Key;
use super::content::outcome;
use super::heard::Heard;
use super::lines::{Lines, Odd};
use super::listing::Listing;
use super::stdio::Child;
use super::trouble::{self, Words};
use crate::definition::Milliseconds;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientConfig, Implementation,
    ProgressNotificationParam,
};
use rmcp::service::{NotificationContext, Peer, RoleClient, RunningService, ServiceError};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{IntoTransport, StreamableHttpClientTransport};
use rmcp::{ClientHandler, ServiceExt};
use serde_json::{Map, Value};
use std::error::Error;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a server has to start, shake hands and list its tools (`docs/security.md`, 13).
const START: Duration = Duration::from_secs(30);

/// The most bytes of one message: the hard bound of a result, as JSON may write it.
pub const MESSAGE_BYTES: usize = 32 << 20;

/// How long is waited for how a server ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How long is waited for a server at an address to hear that nobody wants it any more.
const FAREWELL: Duration = Duration::from_secs(2);

/// A server that was started or reached. Dropping it ends it.
pub struct Server {
    peer: Peer<RoleClient>,
    /// `None` once it is told to end.
    service: Mutex<Option<Service>>,
    process: Option<ServerProcess>,
    listing: Listing,
    words: Words,
    heard: Heard,
}

type Service = RunningService<RoleClient, Client>;

/// A server that is a process of our own.
struct ServerProcess {
    child: Child,
    odd: Odd,
}

/// What we are to a server: one that asks for nothing and grants nothing. It has no roots, no sampling and no
/// elicitation. What it is told it hands on.
struct Client(Heard);

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let name = Implementation::new("loopls", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), name)
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.0.progress(&progress);
    }
}

impl Server {
    /// Starts or reaches the server of `key`; a process gets `drain` milliseconds to end once it is told to. What it
    /// says of why it failed hides `secrets`.
    ///
    /// # Errors
    ///
    /// Why it cannot be used. Nothing is left of it.
    pub async fn start(
        key: &Key,
        guard: &Path,
        drain: Milliseconds,
        secrets: Arc<Secrets>,
    ) -> Result<Self, String> {
        let words = Words::new(secrets, key);
        let mut process = None;
        let heard = Heard::default();
        let met = match key {
            Key::Address { url, headers, .. } => {
                let client = http::Connection::new()?.client();
                let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
                    .max_json_response_size(MESSAGE_BYTES)
                    .max_sse_event_size(MESSAGE_BYTES);
                config.custom_headers = http::header_map(headers)?;
                let transport = StreamableHttpClientTransport::with_client(client, config);
                meet(transport, &heard).await
            }
            Key::Process {
                program,
                arguments,
                directory,
                environment,
                ..
            } => {
                let launch = Launch {
                    program,
                    arguments: arguments.clone(),
                    directory,
                    environment: environment.clone(),
                    drain: drain.try_into().unwrap_or(0),
                };
                let (child, output, input) = Child::start(guard, launch).await?;
                let (output, odd) = Lines::new(output, MESSAGE_BYTES);
                let transport = AsyncRwTransport::<RoleClient, _, _>::new(output, input);
                let transport = transport.with_max_line_length(MESSAGE_BYTES);
                let met = tokio::select! {
                    biased;
                    met = meet(transport, &heard) => met,
                    () = odd.too_long() => Err(Unmet::GivenUp(too_long_words())),
                };
                process = Some(ServerProcess { child, odd });
                met
            }
        };
        match met {
            Ok((service, listing)) => Ok(Self {
                peer: service.peer().clone(),
                service: Mutex::new(Some(service)),
                process,
                listing,
                words,
                heard,
            }),
            Err(unmet) => {
                let mut said = Vec::new();
                if let Some(process) = process {
                    // Whoever spoke to it is gone, and so it ends.
                    process.child.ended().await;
                    if matches!(unmet, Unmet::Failed(_)) {
                        said.extend(process.child.end());
                    }
                    let no_message = process.odd.no_message();
                    said.extend(
                        no_message.map(|line| format!("it printed no message but: {line}")),
                    );
                    said.extend(process.child.complaint());
                }
                let (Unmet::Failed(why) | Unmet::GivenUp(why)) = unmet;
                let why = [vec![why], said].concat().join("; ");
                Err(format!("the server cannot be used: {}", words.said(&why)))
            }
        }
    }

    /// What it offered at bind.
    pub fn listing(&self) -> &Listing {
        &self.listing
    }

    /// Calls its tool `name`; what it says meanwhile goes to `output`. Dropping the call tells the server that nobody waits
    /// for it any more.
    pub async fn call(
        &self,
        name: String,
        arguments: Map<String, Value>,
        output: OutputSink,
    ) -> Outcome {
        let _watch = self.heard.watch(output);
        let params = CallToolRequestParams::new(name).with_arguments(arguments);
        let called = self.peer.call_tool_once(params);
        let answer = match &self.process {
            None => called.await,
            Some(process) => tokio::select! {
                biased;
                answer = called => answer,
                // Nobody can tell to which call it belonged.
                () = process.odd.too_long() => {
                    return Outcome::error(format_args!("the server did not answer: {}", too_long_words()));
                }
            },
        };
        match answer {
            Ok(CallToolResponse::Complete(result)) => outcome(result),
            Ok(_) => {
                Outcome::error("the server wants more than a result, which is not given to it")
            }
            Err(ServiceError::McpError(error)) => Outcome::error(error.message),
            Err(error) => {
                let mut why = trouble::of_service(&error);
                if let Some(last) = self.last_words().await {
                    why = format!("{why} ({last})");
                }
                Outcome::error(format_args!(
                    "the server did not answer: {}",
                    self.words.said(&why)
                ))
            }
        }
    }

    /// How it ended, if it is a process that did.
    async fn last_words(&self) -> Option<String> {
        let process = self.process.as_ref();
        let child = &process.filter(|_| self.peer.is_transport_closed())?.child;
        // That its output ended is seen a little before that it did.
        let _ = tokio::time::timeout(LAST_WORDS, child.ended()).await;
        let words: Vec<String> = child.end().into_iter().chain(child.complaint()).collect();
        (!words.is_empty()).then(|| words.join("; "))
    }

    /// Ends it and waits for that.
    pub async fn end(&self) {
        let service = self.service.lock();
        let service = service.unwrap_or_else(PoisonError::into_inner).take();
        if let Some(service) = service {
            let _ = tokio::time::timeout(FAREWELL, service.cancel()).await;
        }
        if let Some(process) = &self.process {
            process.child.ended().await;
        }
    }
}

/// What is said of a message that is not read.
fn too_long_words() -> String {
    format!(
        "it sent a message of more than {} MiB, which is not read",
        MESSAGE_BYTES >> 20
    )
}

/// Why there is no server to speak to.
enum Unmet {
    /// It failed, and how it ended may say more.
    Failed(String),
    /// It was given up, which is why it ended.
    GivenUp(String),
}

/// Shakes hands over `transport` and asks for the tools.
async fn meet<T, E, A>(transport: T, heard: &Heard) -> Result<(Service, Listing), Unmet>
where
    T: IntoTransport<RoleClient, E, A>,
    E: Error + Send + Sync + 'static,
{
    let meeting = async {
        let service = Client(heard.clone()).serve(transport).await;
        let service = service.map_err(|error| Unmet::Failed(trouble::at_start(&error)))?;
        match Listing::ask(service.peer()).await {
            Ok(listing) => Ok((service, listing)),
            Err(error) => Err(Unmet::Failed(format!(
                "it does not list its tools: {}",
                trouble::of_service(&error)
            ))),
        }
    };
    let met = tokio::time::timeout(START, meeting).await;
    met.unwrap_or_else(|_| {
        let why = format!("it did not start within {} s", START.as_secs());
        Err(Unmet::GivenUp(why))
    })
}
