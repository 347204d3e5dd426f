//! The HTTP server: listening, accepting connections and shutdown.

mod connections;
mod handler;
mod stopping;

use std::io;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use project::Layout;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, watch};
use tokio_io_timeout::TimeoutStream;

use crate::auth::Auth;
use crate::hosts::Hosts;
use crate::limits::ServerLimits;
use crate::renderer::{PageSource, RenderCache, Renderer};
use crate::run_follower::RunFollower;
use crate::serve_error::ServeError;
use crate::snapshot::PageSnapshot;
use crate::token::Token;
use connections::{Connection, Connections};
use handler::RequestHandler;
pub use stopping::Stopper;

/// The largest request head, and the size of the write buffer.
const BUFFER: usize = 16 * 1024;
const MOST_HEADERS: usize = 64;

/// The delay after a failed accept.
const ACCEPT_DELAY: Duration = Duration::from_millis(50);

#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Port 0 selects a free port.
    pub address: SocketAddr,
    /// Whether other addresses than loopback are allowed.
    pub allow_remote: bool,
    /// Allowed host names besides loopback and its own address.
    pub hosts: Vec<String>,
    pub token: Token,
    /// The id of a run; by default the run with the latest event, also when another one starts or resumes.
    pub run: Option<String>,
    /// Ends after the run ended and all watching pages were notified.
    pub until_end: bool,
    /// Whether the page may send orders to the run.
    pub allow_orders: bool,
    pub limits: ServerLimits,
}

#[derive(Debug)]
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    auth: Auth,
    run: Option<String>,
    until_end: bool,
    limits: ServerLimits,
    stopper: Stopper,
}

impl Server {
    /// Opens the port; requests are answered after `run` is called.
    pub fn bind(options: ServerOptions) -> Result<Self, ServeError> {
        let wanted = options.address;
        if !options.allow_remote && !wanted.ip().is_loopback() {
            return Err(ServeError::NotLoopback(wanted));
        }
        let listener = StdListener::bind(wanted).map_err(ServeError::bind(wanted))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let hosts = Hosts::of(address, &options.hosts)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(async { TcpListener::from_std(listener) })?;
        let auth = Auth::new(hosts, options.token, address.port(), options.allow_orders);
        let (run, until_end, limits) = (options.run, options.until_end, options.limits);
        let stopper = Stopper::new();
        Ok(Self { runtime, listener, address, auth, run, until_end, limits, stopper })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The link with the token.
    pub fn link(&self) -> String {
        format!("http://{}/?token={}", self.auth.hosts.in_links, self.token())
    }

    pub fn token(&self) -> &str {
        self.auth.token.as_str()
    }

    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Stops on Ctrl-C and other termination signals.
    pub fn stop_on_signals(&self) -> io::Result<()> {
        self.runtime.block_on(async { self.stopper.on_signals() })
    }

    /// Serves the runs of a project until it is stopped, or until its run ends.
    pub fn run(self, layout: Layout, source: impl PageSource) -> Result<(), ServeError> {
        let (snapshot, seen) = watch::channel(PageSnapshot::default());
        let watcher_slots = Arc::new(Semaphore::new(self.limits.watchers));
        let (requests, received) = mpsc::channel();
        let renderer = Renderer {
            follower: RunFollower::new(layout, self.run, self.limits.process_interval),
            source: Arc::new(source),
            until_end: self.until_end,
            links: self.auth.links(),
            limits: self.limits.clone(),
            snapshot,
            watcher_slots: watcher_slots.clone(),
            cache: RenderCache::default(),
        };
        std::thread::spawn(move || renderer.work(&received));
        let (auth, limits) = (self.auth, self.limits);
        let handler =
            RequestHandler { auth, requests, snapshot: seen.clone(), watcher_slots, limits };
        let serving =
            accept_loop(Arc::new(handler), self.until_end, self.listener, &self.stopper, seen);
        self.runtime.block_on(serving)
    }
}

async fn accept_loop(
    handler: Arc<RequestHandler>,
    until_end: bool,
    listener: TcpListener,
    stopper: &Stopper,
    mut snapshot: watch::Receiver<PageSnapshot>,
) -> Result<(), ServeError> {
    let mut connections = Connections::new(handler.limits.connections);
    // Only the renderer updates the snapshot, and it runs as long as there is a handler.
    let mut updates = snapshot.clone();
    let renderer_ended = async move { while updates.changed().await.is_ok() {} };
    let run_ended = async move {
        let has_ended = snapshot.wait_for(|snapshot| snapshot.is_final).await.is_ok();
        if !has_ended || !until_end {
            std::future::pending::<()>().await;
        }
    };
    tokio::pin!(run_ended, renderer_ended);
    loop {
        tokio::select! {
            () = stopper.requested() => return Ok(()),
            () = &mut renderer_ended => return Err(ServeError::RendererEnded),
            () = &mut run_ended => break,
            accepted = listener.accept() => accept(&handler, &mut connections, accepted).await,
            () = connections.one_closed() => {}
        }
    }
    drop(listener);
    tokio::select! {
        () = stopper.requested() => {}
        () = connections.all_closed() => {}
        () = tokio::time::sleep(handler.limits.final_update) => {}
    }
    Ok(())
}

async fn accept(
    handler: &Arc<RequestHandler>,
    connections: &mut Connections,
    accepted: io::Result<(TcpStream, SocketAddr)>,
) {
    match accepted {
        Ok((stream, _)) => {
            if connections.make_space().await {
                let handler = handler.clone();
                connections.add(|connection| serve(stream, handler, connection));
            }
        }
        // The client closed it first.
        Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
        // Most likely too many open files: closing an unauthenticated connection frees one.
        Err(_) => {
            connections.close_unauthenticated().await;
            tokio::time::sleep(ACCEPT_DELAY).await;
        }
    }
}

/// Handles one request; without keep-alive, so that idle connections take no slots.
async fn serve<IO>(io: IO, handler: Arc<RequestHandler>, connection: Connection)
where
    IO: AsyncRead + AsyncWrite + Send + 'static,
{
    let limits = &handler.limits;
    let mut io = TimeoutStream::new(io);
    io.set_write_timeout(Some(limits.stall));
    let service = service_fn(|request| handler.answer(request, &connection));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.request)
        .max_buf_size(BUFFER)
        .max_headers(MOST_HEADERS)
        .keep_alive(false)
        // hyper cannot format dates before 1970.
        .auto_date_header(false)
        .serve_connection(TokioIo::new(Box::pin(io)), service);
    // Errors of a single connection are ignored.
    let _ = connection.await;
}

#[cfg(test)]
mod tests;
