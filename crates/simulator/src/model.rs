//! A model that says what a script tells it, behind the HTTP interface that Claude Code talks to.
//!
//! It judges nothing: it answers and records. Tests read the record.

mod reply;
mod request;
mod server;

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

pub use self::request::Request;
use crate::script::{Script, Turn};

/// The main thread asks one thing at a time; the others serve side calls and keep-alive probes.
const WORKERS: usize = 4;

/// A running scripted model. Dropping it stops the server.
///
/// Every request that offers tools uses up a turn. Mind that a subagent asks that way too, and
/// that a compaction asks twice.
#[derive(Debug)]
pub struct ScriptedModel {
    address: SocketAddr,
    server: server::Handle,
    conversation: Arc<Conversation>,
    workers: Vec<JoinHandle<()>>,
}

impl ScriptedModel {
    /// Starts a server on a free port of the loopback interface.
    pub fn start(script: Script) -> io::Result<Self> {
        let conversation = Arc::new(Conversation::new(script));
        let server = server::Handle::bind()?;
        let address = server.address()?;
        let workers = (0..WORKERS)
            .map(|_| {
                let server = server.clone();
                let conversation = Arc::clone(&conversation);
                std::thread::spawn(move || server::serve(&server, &conversation))
            })
            .collect();
        Ok(Self { address, server, conversation, workers })
    }

    /// What to give Claude Code as `ANTHROPIC_BASE_URL`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests of the main thread so far, in the order in which they were answered.
    pub fn requests(&self) -> Vec<Request> {
        self.conversation.requests().clone()
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        for _ in &self.workers {
            self.server.stop_one_worker();
        }
        for worker in self.workers.drain(..) {
            // A worker that panicked has nothing left to stop.
            drop(worker.join());
        }
    }
}

/// The script and the place in it, which is the number of recorded requests: one lock for both,
/// so that a turn cannot be given twice.
#[derive(Debug)]
struct Conversation {
    script: Script,
    requests: Mutex<Vec<Request>>,
}

impl Conversation {
    fn new(script: Script) -> Self {
        Self { script, requests: Mutex::default() }
    }

    /// Records a request of the main thread and gives the answer to it.
    fn next_turn(&self, request: Request) -> &Turn {
        let mut requests = self.requests();
        let turn = self.script.turn(requests.len());
        requests.push(request);
        turn
    }

    fn requests(&self) -> MutexGuard<'_, Vec<Request>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
