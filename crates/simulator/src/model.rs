//! A scripted model behind the HTTP APIs of Claude Code and Codex.
//!
//! It answers and records requests. Tests read the record.

mod messages;
mod request;
mod responses;
mod server;

use std::fmt;
use std::io;
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
pub struct ScriptedModel {
    server: Arc<tiny_http::Server>,
    conversation: Arc<Mutex<Conversation>>,
    workers: Vec<JoinHandle<()>>,
}

impl ScriptedModel {
    /// Starts a server on a free port of the loopback interface.
    pub fn start(script: Script) -> io::Result<Self> {
        let conversation = Arc::new(Mutex::new(Conversation { script, requests: Vec::new() }));
        let server = tiny_http::Server::http("127.0.0.1:0").map_err(io::Error::other)?;
        let server = Arc::new(server);
        let workers = (0..WORKERS)
            .map(|_| {
                let server = Arc::clone(&server);
                let conversation = Arc::clone(&conversation);
                std::thread::spawn(move || server::serve(&server, &conversation))
            })
            .collect();
        Ok(Self { server, conversation, workers })
    }

    /// The value of `ANTHROPIC_BASE_URL` for Claude Code; Codex needs `/v1` after it.
    pub fn url(&self) -> String {
        format!("http://{}", self.server.server_addr())
    }

    /// The requests of the main thread, in the order of their answers.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.conversation).requests.clone()
    }
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ScriptedModel").field(&self.url()).finish()
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        for _ in &self.workers {
            // Each call stops one worker, after the requests already waiting.
            self.server.unblock();
        }
        for worker in self.workers.drain(..) {
            // A worker that panicked has already stopped.
            drop(worker.join());
        }
    }
}

/// The remaining script and the recorded requests, under one lock, so that each turn is used once.
#[derive(Debug)]
struct Conversation {
    script: Script,
    requests: Vec<Request>,
}

/// Records a request of the main thread and returns its answer.
fn next_turn(conversation: &Mutex<Conversation>, request: Request) -> Turn {
    let mut conversation = lock(conversation);
    let turn = conversation.script.take_turn(|words| request.mentions(words) > 0);
    conversation.requests.push(request);
    turn
}

fn lock(conversation: &Mutex<Conversation>) -> MutexGuard<'_, Conversation> {
    conversation.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A server-sent event, named after its type.
fn sse(event: &Value) -> String {
    let name = event["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {event}\n\n")
}
