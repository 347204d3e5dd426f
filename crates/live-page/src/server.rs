//! The server: where it listens, whom it lets in, and when it ends.

mod crowd;
mod desk;
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

use crate::board::{Board, Outlook};
use crate::doorman::Doorman;
use crate::hosts::Hosts;
use crate::limits::Limits;
use crate::painter::{Made, Material, Painter};
use crate::serve_error::ServeError;
use crate::subject::{Subject, Which};
use crate::token::Token;
use crowd::{Crowd, Guest};
use desk::Desk;
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
    doorman: Doorman,
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
        let doorman = Doorman::new(hosts, options.token, address.port(), options.orders);
        let (run, until, limits) = (options.run, options.until, options.limits);
        let stopping = Stopping::new();
        Ok(Self { runtime, listener, address, doorman, run, until, limits, stopping })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The link that lets its reader in.
    pub fn link(&self) -> String {
        format!("http://{}/?token={}", self.doorman.hosts.in_links(), self.token())
    }

    pub fn token(&self) -> &str {
        self.doorman.token.as_str()
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
        let (board, seen) = watch::channel(Board::default());
        let places = Arc::new(Semaphore::new(self.limits.watchers));
        let (asks, asked) = mpsc::channel();
        let painter = Painter {
            subject: Subject::new(layout, self.run, self.limits.glance),
            material: Arc::new(material),
            until: self.until,
            links: self.doorman.links(),
            limits: self.limits.clone(),
            board,
            places: places.clone(),
            made: Made::default(),
        };
        std::thread::spawn(move || painter.work(&asked));
        let (doorman, limits) = (self.doorman, self.limits);
        let desk = Desk { doorman, asks, board: seen.clone(), places, limits };
        let house = House { desk: Arc::new(desk), until: self.until };
        self.runtime.block_on(house.keep_open(self.listener, self.stopping, seen))
    }
}

struct House {
    desk: Arc<Desk>,
    until: Until,
}

impl House {
    async fn keep_open(
        self,
        listener: TcpListener,
        mut stopping: Stopping,
        mut board: watch::Receiver<Board>,
    ) -> Result<(), ServeError> {
        let mut crowd = Crowd::new(self.desk.limits.connections);
        // Nobody but the painter hangs anything there, and it stays as long as there is a desk.
        let mut hung = board.clone();
        let painter_gone = async move { while hung.changed().await.is_ok() {} };
        let until = self.until;
        let run_ended = async move {
            let nothing_more = |board: &Board| board.outlook == Outlook::NothingMore;
            let heard = board.wait_for(nothing_more).await.is_ok();
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
                accepted = listener.accept() => self.take_in(&mut crowd, accepted).await,
                () = crowd.somebody_left() => {}
            }
        }
        drop(listener);
        tokio::select! {
            () = stopping.told() => {}
            () = crowd.all_left() => {}
            () = tokio::time::sleep(self.desk.limits.farewell) => {}
        }
        Ok(())
    }

    async fn take_in(&self, crowd: &mut Crowd, accepted: io::Result<(TcpStream, SocketAddr)>) {
        match accepted {
            Ok((stream, _)) => {
                if crowd.make_room().await {
                    let desk = self.desk.clone();
                    crowd.add(|guest| serve(stream, desk, guest));
                }
            }
            // It went away before it came in.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            // Most likely there are too many open files: a stranger less is one less.
            Err(_) => {
                crowd.send_a_stranger_away().await;
                tokio::time::sleep(BREATH).await;
            }
        }
    }
}

/// One request: a connection is cheap here, and one that is kept could be kept for nothing.
async fn serve<IO>(io: IO, desk: Arc<Desk>, guest: Guest)
where
    IO: AsyncRead + AsyncWrite + Send + 'static,
{
    let limits = &desk.limits;
    let mut io = TimeoutStream::new(io);
    io.set_write_timeout(Some(limits.stall));
    let service = service_fn(|request| desk.answer(request, &guest));
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
