//! The language server: the only room that speaks the protocol.
//!
//! `transport` reads and answers messages over the service that the library makes of `server::Server`, where each
//! request is one line that leads to a file of its own. `session` is what they share. A handler converts what comes
//! in, asks `workspace`, `ide`, `bind` or `run`, and converts what comes out.

mod abilities;
mod around;
mod asked;
mod bindings;
mod capabilities;
mod commands;
mod convert;
mod edits;
mod features;
mod files;
mod foreign;
mod frame;
mod log;
mod machine;
mod markup;
mod outbox;
mod packed;
mod pages;
mod probes;
mod project_settings;
mod projects;
mod publish;
mod refresh;
mod runs;
mod server;
mod session;
mod settings;
mod stdio;
mod sync;
mod transport;
pub mod trust;
mod uri;
mod watch;

pub use machine::Machine;
pub use transport::End;

use log::Log;
use outbox::Outbox;
use server::Server;
use session::Session;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use stdio::Output;
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tower_lsp::LspService;

/// How long runs may take to wind down when the client is gone. What is left of them then ends with this process,
/// for their guards see to that.
const LAST_MOMENTS: Duration = Duration::from_millis(800);

/// Tasks here wait more than they work, and what takes long has threads of its own: however many cores a machine has, the
/// server starts no thread for each of them.
const WORKER_THREADS: usize = 2;

/// Bytes that are taken from the client at once.
const READ_AHEAD_BYTES: usize = 64 << 10;

/// What the server is started with.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Connect to the client's port on 127.0.0.1 instead of using standard input and output.
    pub socket: Option<u16>,
    /// Also write the log to this file, down to its details.
    pub log: Option<PathBuf>,
}

/// Serves until the client leaves; returns the exit status of this process: 0 if the client had asked to shut down.
pub fn main(options: Options) -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        // Not what it says, which may quote a document.
        match panic.location() {
            Some(location) => tracing::error!("internal error at {location}"),
            None => tracing::error!("internal error"),
        }
    }));
    let log = Log::default();
    let file = options.log.as_deref().map(log::open).transpose();
    let installed = file.and_then(|file| log.install(file).map_err(std::io::Error::other));
    if let Err(error) = installed {
        eprintln!("loopls: the log cannot be written: {error}");
        return ExitCode::FAILURE;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKER_THREADS)
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("loopls: the server cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let end = runtime.block_on(serve_at(options, log));
    // Reading standard input cannot be interrupted; this process does not wait for it.
    runtime.shutdown_background();
    match end {
        Ok(End::AfterShutdown) => ExitCode::SUCCESS,
        Ok(End::Abrupt) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("loopls: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve_at(options: Options, log: Log) -> std::io::Result<End> {
    let machine = Machine::of_this_process()?;
    match options.socket {
        None => {
            let (read, write) = stdio::streams()?;
            let output = Some(write.clone());
            Ok(serve_telling(read, write, output, machine, log).await)
        }
        Some(port) => {
            let address = (std::net::Ipv4Addr::LOCALHOST, port);
            let stream = tokio::net::TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            let (read, write) = stream.into_split();
            Ok(serve_telling(read, write, None, machine, log).await)
        }
    }
}

/// Serves one client until it leaves. When this returns every run has ended or is about to: dropping the runtime, or
/// the end of this process, ends what is left.
pub async fn serve(
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
    machine: Machine,
) -> End {
    serve_telling(read, write, None, machine, Log::default()).await
}

/// The same, with a log that its client can be told of; `output` is `write` where senders may write themselves.
async fn serve_telling(
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
    output: Option<Output>,
    machine: Machine,
    log: Log,
) -> End {
    let gone = CancellationToken::new();
    let closing = CancellationToken::new();
    let spellings = Arc::default();
    let (outbox, writer) = Outbox::new(Arc::clone(&spellings), output, gone.clone());
    let writing = on_own_thread(writer.run(write, closing.clone()));

    let mut session = None;
    let (service, socket) = LspService::build(|client| {
        let new = Arc::new(Session::new(
            client,
            outbox.clone(),
            log,
            machine,
            gone.clone(),
        ));
        session = Some(new.clone());
        Server(new)
    })
    .custom_method(
        "window/workDoneProgress/cancel",
        Server::work_done_progress_cancel,
    )
    .custom_method("loopls/didChangeTrust", Server::did_change_trust)
    .finish();
    let reader = BufReader::with_capacity(READ_AHEAD_BYTES, read);
    let serving = transport::serve(reader, service, socket, outbox, spellings, gone.clone());
    let serving = on_own_thread(serving);
    // It may be reading still when the client is gone.
    let end = tokio::select! {
        biased;
        end = serving => end.unwrap_or(End::Abrupt),
        () = gone.cancelled() => End::Abrupt,
    };

    tracing::info!(?end, "the session ends");
    gone.cancel();
    if let Some(session) = session {
        session.runs.end(LAST_MOMENTS).await;
    }
    closing.cancel();
    let _ = tokio::time::timeout(LAST_MOMENTS, writing).await;
    end
}

/// Does the work on a thread that nothing else waits for.
fn on_own_thread<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> JoinHandle<T> {
    let runtime = Handle::current();
    tokio::task::spawn_blocking(move || runtime.block_on(work))
}
