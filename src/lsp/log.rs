//! What the server writes down of itself: to the client, and to a file where one is named.
//!
//! Places, methods, counts and times only: no text of a document, prompt, input, result or header, at any level
//! (`security.md`, 15). Other libraries' events are left out, for nobody knows what they quote.

use super::outbox::Outbox;
use std::fmt::{self, Write};
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use tower_lsp::ls_types::notification::LogMessage;
use tower_lsp::ls_types::{LogMessageParams, MessageType};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

/// The levels of the setting `loopls.log`, from the quietest.
pub const LEVELS: [&str; 5] = ["off", "error", "warning", "info", "debug"];

/// The level of [`LEVELS`] for a client that sets none: lines that are rare, and tell that something is wrong.
pub const DEFAULT_LEVEL: &str = "warning";

/// Where lines for the client go; cheap to clone, and nowhere before it is connected.
#[derive(Clone, Debug)]
pub struct Log {
    outbox: Arc<RwLock<Option<Outbox>>>,
    /// An index of [`LEVELS`].
    level: Arc<AtomicU8>,
}

impl Default for Log {
    fn default() -> Self {
        let log = Self {
            outbox: Arc::default(),
            level: Arc::default(),
        };
        log.set_level(DEFAULT_LEVEL);
        log
    }
}

impl Log {
    /// Takes up all that this process has to tell from now on.
    ///
    /// # Errors
    ///
    /// Somebody has taken it up already.
    pub fn install(&self, file: Option<File>) -> Result<(), TryInitError> {
        self.subscriber(file).try_init()
    }

    /// Takes up what there is to tell, down to `debug` in the file.
    pub fn subscriber(&self, file: Option<File>) -> impl Subscriber + Send + Sync + 'static {
        let to_file = file.map(|file| {
            tracing_subscriber::fmt::layer()
                .with_writer(Arc::new(file))
                .with_ansi(false)
                .with_filter(LevelFilter::DEBUG)
                .with_filter(filter_fn(is_ours))
        });
        tracing_subscriber::registry()
            .with(to_file)
            .with(ToClient(self.clone()).with_filter(filter_fn(is_ours)))
    }

    /// From now on the client is told.
    pub fn connect(&self, outbox: &Outbox) {
        let mut place = self.outbox.write().unwrap_or_else(PoisonError::into_inner);
        *place = Some(outbox.clone());
    }

    /// Tells the client what is of this level or graver; a level that there is none of changes nothing.
    pub fn set_level(&self, level: &str) {
        if let Some(at) = LEVELS.iter().position(|it| *it == level) {
            self.level.store(at as u8, Ordering::Relaxed);
        }
    }
}

fn is_ours(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with(env!("CARGO_CRATE_NAME"))
}

/// Opens the file at `path` to append to, for nobody else to read.
///
/// # Errors
///
/// It cannot be opened.
pub fn open(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

struct ToClient(Log);

impl<S: Subscriber> Layer<S> for ToClient {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let (rank, typ) = match *event.metadata().level() {
            Level::ERROR => (1, MessageType::ERROR),
            Level::WARN => (2, MessageType::WARNING),
            Level::INFO => (3, MessageType::INFO),
            Level::DEBUG => (4, MessageType::LOG),
            Level::TRACE => return,
        };
        if rank > self.0.level.load(Ordering::Relaxed) {
            return;
        }
        let outbox = self.0.outbox.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(outbox) = &*outbox {
            let mut line = Line::default();
            event.record(&mut line);
            let message = format!("{}{}", line.message, line.fields);
            outbox.notify::<LogMessage>(LogMessageParams { typ, message });
        }
    }
}

/// The message of an event, and ` name=value` for each of its fields.
#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
