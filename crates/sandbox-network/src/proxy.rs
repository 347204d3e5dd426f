//! The proxy: listens outside a sandbox, and connects to allowed hosts.

mod connection;
mod listener;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use socket2::Socket;

use crate::head::HeadLimits;
use crate::stream::{ACCEPT_PAUSE, undelayed};
use crate::{Refused, Rules};

use listener::BoundAddress;
pub use listener::{Address, Listen};

/// Refusals kept until they are read.
const MOST_REFUSED: usize = 100;

#[derive(Debug, Clone, Copy)]
struct Limits {
    head: HeadLimits,
    connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { head: HeadLimits::default(), connections: 256 }
    }
}

/// An HTTP proxy (`CONNECT`, and requests for `http://…`) in threads of this process.
///
/// When dropped, it stops accepting and deletes its folder. Open connections continue until one end closes.
#[derive(Debug)]
pub struct Proxy {
    bound: BoundAddress,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    rules: Rules,
    limits: Limits,
    stopping: AtomicBool,
    refused: Mutex<Vec<Refused>>,
}

impl Proxy {
    pub fn start(rules: Rules, listen: Listen) -> io::Result<Self> {
        Self::start_within(rules, listen, Limits::default())
    }

    fn start_within(rules: Rules, listen: Listen, limits: Limits) -> io::Result<Self> {
        let (listener, bound) = listener::open(listen)?;
        let (stopping, refused) = (AtomicBool::new(false), Mutex::default());
        let shared = Arc::new(Shared { rules, limits, stopping, refused });
        let theirs = Arc::clone(&shared);
        let accepting = thread::Builder::new().spawn(move || accept(&listener, &theirs))?;
        Ok(Self { bound, shared, accepting: Some(accepting) })
    }

    pub fn address(&self) -> &Address {
        &self.bound.address
    }

    /// The refusals since the last call: each host and port once, in order, at most 100.
    pub fn take_refused(&self) -> Vec<Refused> {
        let mut refused = self.shared.refused.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *refused)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // A connection wakes the thread. If connecting fails, joining the thread would hang.
        if let (Ok(_), Some(accepting)) = (self.bound.connect(), self.accepting.take()) {
            let _ = accepting.join();
        }
    }
}

impl Shared {
    fn note(&self, refused: &Refused) {
        let mut all = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = all.iter().any(|old| old.host == refused.host && old.port == refused.port);
        if !is_known && all.len() < MOST_REFUSED {
            all.push(refused.clone());
        }
    }
}

fn accept(listener: &Socket, shared: &Arc<Shared>) {
    // Each open connection has a clone, which counts it.
    let open = Arc::new(());
    loop {
        let accepted = listener.accept().map(|(client, _)| undelayed(client));
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        match accepted {
            Ok(client) if Arc::strong_count(&open) > shared.limits.connections => {
                connection::reject(&client);
            }
            Ok(client) => start(client, Arc::clone(&open), Arc::clone(shared)),
            Err(_) => thread::sleep(ACCEPT_PAUSE),
        }
    }
}

/// If no thread starts, the client sees its connection closed.
fn start(client: Socket, open: Arc<()>, shared: Arc<Shared>) {
    let _ = thread::Builder::new().spawn(move || {
        connection::serve(&client, &shared);
        drop(client);
        drop(open);
    });
}

#[cfg(test)]
mod tests;
