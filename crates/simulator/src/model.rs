//! A scripted model behind the HTTP APIs of Claude Code and Codex.
//!
//! It answers and records requests. Tests read the record.

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

/// The main thread sends one request at a time; the others serve side calls and keep-alive probes.
const WORKERS: usize = 4;

/// A running scripted model. Dropping it stops the server.
///
/// Every request that offers tools uses one turn. A subagent also uses turns, and a compaction uses
/// two.
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

    /// The value of `ANTHROPIC_BASE_URL` for Claude Code; Codex needs `/v1` after it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests of the main thread, in the order of their answers.
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
            // A worker that panicked has already stopped.
            drop(worker.join());
        }
    }
}

/// The remaining script and the recorded requests, under one lock, so that each turn is used once.
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

    /// Records a request of the main thread and returns its answer.
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

/// A server-sent event, named after its type.
fn sse(event: &Value) -> String {
    let name = event["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {event}\n\n")
}
