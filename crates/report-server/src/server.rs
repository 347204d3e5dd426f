//! The server: where it listens, whom it lets in, and when it ends.

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
use crate::limits::Limits;
use crate::renderer::{Made, Material, Renderer};
use crate::serve_error::ServeError;
use crate::snapshot::{Outlook, Snapshot};
use crate::subject::{Subject, Which};
use crate::token::Token;
use connections::{Connection, Connections};
use handler::RequestHandler;
pub use stopping::Stopper;
use stopping::Stopping;

/// A request's head is this large at most, and no more than this of an answer waits to be written.
const BUFFER: usize = 16 * 1024;
const MOST_HEADERS: usize = 64;

/// After a connection could not be taken, so that the next try finds something changed.
const BREATH: Duration = Duration::from_millis(50);

#[derive(Debug, Clone)]
pub struct Options {
    /// Port 0 is any that is free.
    pub address: SocketAddr,
    pub reach: Reach,
    /// By which names it may be called besides those of loopback and its own address.
    pub hosts: Vec<String>,
    pub token: Token,
    pub run: Which,
    pub until: Until,
    pub orders: Orders,
    pub limits: Limits,
}

/// Who can reach the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Programs of this machine.
    Loopback,
    /// Whoever can reach the address.
    Anywhere,
}

/// How long it serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    Stopped,
    /// And whoever watches has heard of it.
    RunEnds,
}

/// Whether the run can be told something through the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orders {
    Refused,
    Taken,
}

#[derive(Debug)]
pub struct Server {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    auth: Auth,
    run: Which,
    until: Until,
    limits: Limits,
    stopping: Stopping,
}

impl Server {
    /// From here on it is heard, and answers once it is run.
    pub fn bind(options: Options) -> Result<Self, ServeError> {
        let wanted = options.address;
        if options.reach == Reach::Loopback && !wanted.ip().is_loopback() {
            return Err(ServeError::NotLoopback(wanted));
        }
        let listener = StdListener::bind(wanted).map_err(ServeError::bind(wanted))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let hosts = Hosts::of(address, &options.hosts)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(async { TcpListener::from_std(listener) })?;
        let auth = Auth::new(hosts, options.token, address.port(), options.orders);
        let (run, until, limits) = (options.run, options.until, options.limits);
        let stopping = Stopping::new();
        Ok(Self { runtime, listener, address, auth, run, until, limits, stopping })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The link that lets its reader in.
    pub fn link(&self) -> String {
        format!("http://{}/?token={}", self.auth.hosts.in_links(), self.token())
    }

    pub fn token(&self) -> &str {
        self.auth.token.as_str()
    }

    pub fn stopper(&self) -> Stopper {
        self.stopping.stopper()
    }

    /// Ctrl-C, and what else asks a program to end.
    pub fn stop_on_signals(&self) -> io::Result<()> {
        self.runtime.block_on(async { self.stopping.on_signals() })
    }

    /// Serves the runs of a project until it is told to stop, or its run ends.
    pub fn run(self, layout: Layout, material: impl Material) -> Result<(), ServeError> {
        let (snapshot, seen) = watch::channel(Snapshot::default());
        let places = Arc::new(Semaphore::new(self.limits.watchers));
        let (asks, asked) = mpsc::channel();
        let renderer = Renderer {
            subject: Subject::new(layout, self.run, self.limits.glance),
            material: Arc::new(material),
            until: self.until,
            links: self.auth.links(),
            limits: self.limits.clone(),
            snapshot,
            places: places.clone(),
            made: Made::default(),
        };
        std::thread::spawn(move || renderer.work(&asked));
        let (auth, limits) = (self.auth, self.limits);
        let handler = RequestHandler { auth, asks, snapshot: seen.clone(), places, limits };
        let house = House { handler: Arc::new(handler), until: self.until };
        self.runtime.block_on(house.keep_open(self.listener, self.stopping, seen))
    }
}

struct House {
    handler: Arc<RequestHandler>,
    until: Until,
}

impl House {
    async fn keep_open(
        self,
        listener: TcpListener,
        mut stopping: Stopping,
        mut snapshot: watch::Receiver<Snapshot>,
    ) -> Result<(), ServeError> {
        let mut connections = Connections::new(self.handler.limits.connections);
        // Nobody but the renderer hangs anything there, and it stays as long as there is a handler.
        let mut hung = snapshot.clone();
        let painter_gone = async move { while hung.changed().await.is_ok() {} };
        let until = self.until;
        let run_ended = async move {
            let nothing_more = |snapshot: &Snapshot| snapshot.outlook == Outlook::NothingMore;
            let heard = snapshot.wait_for(nothing_more).await.is_ok();
            if !heard || until == Until::Stopped {
                std::future::pending::<()>().await;
            }
        };
        tokio::pin!(run_ended, painter_gone);
        loop {
            tokio::select! {
                () = stopping.told() => return Ok(()),
                () = &mut painter_gone => return Err(ServeError::NoPainter),
                () = &mut run_ended => break,
                accepted = listener.accept() => self.take_in(&mut connections, accepted).await,
                () = connections.somebody_left() => {}
            }
        }
        drop(listener);
        tokio::select! {
            () = stopping.told() => {}
            () = connections.all_left() => {}
            () = tokio::time::sleep(self.handler.limits.farewell) => {}
        }
        Ok(())
    }

    async fn take_in(
        &self,
        connections: &mut Connections,
        accepted: io::Result<(TcpStream, SocketAddr)>,
    ) {
        match accepted {
            Ok((stream, _)) => {
                if connections.make_room().await {
                    let handler = self.handler.clone();
                    connections.add(|connection| serve(stream, handler, connection));
                }
            }
            // It went away before it came in.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            // Most likely there are too many open files: a stranger less is one less.
            Err(_) => {
                connections.send_a_stranger_away().await;
                tokio::time::sleep(BREATH).await;
            }
        }
    }
}

/// One request: a connection is cheap here, and one that is kept could be kept for nothing.
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
        // It cannot be written where the clock stands before 1970.
        .auto_date_header(false)
        .serve_connection(TokioIo::new(Box::pin(io)), service);
    // Whatever is wrong with a connection is its own business.
    let _ = connection.await;
}

#[cfg(test)]
mod tests;
