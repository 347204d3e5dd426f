//! A model that says what a script tells it, behind the HTTP interfaces that Claude Code and Codex
//! talk to.
//!
//! It judges nothing: it answers and records. Tests read the record.

mod messages;
mod request;
mod responses;
mod server;

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use serde_json::Value;

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

    /// What to give Claude Code as `ANTHROPIC_BASE_URL`; Codex wants `/v1` behind it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests of the main thread so far, in the order in which they were answered.
    pub fn requests(&self) -> Vec<Request> {
        self.conversation.lock().requests.clone()
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

/// What is left of the script, and the requests so far: one lock for both, so that a turn cannot be
/// given twice.
#[derive(Debug)]
struct Conversation(Mutex<Progress>);

#[derive(Debug)]
struct Progress {
    script: Script,
    requests: Vec<Request>,
}

impl Conversation {
    fn new(script: Script) -> Self {
        Self(Mutex::new(Progress { script, requests: Vec::new() }))
    }

    /// Records a request of the main thread and gives the answer to it.
    fn next_turn(&self, request: Request) -> Turn {
        let mut progress = self.lock();
        let turn = progress.script.take_turn(|words| request.mentions(words) > 0);
        progress.requests.push(request);
        turn
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server-sent event, which both interfaces name after its type.
fn sse(event: &Value) -> String {
    let name = event["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {event}\n\n")
}
