//! The DevTools protocol: one command at a time, and all events in the meantime.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

/// Time limit for an answer or event; a page of a thousand iterations takes a small part of it.
const TIME_LIMIT: Duration = Duration::from_secs(30);

pub(crate) struct DevTools {
    socket: WebSocket<TcpStream>,
    commands: u64,
    /// Events that were not read yet.
    events: Vec<Event>,
}

pub(crate) struct Event {
    pub(crate) method: String,
    pub(crate) params: Value,
}

impl DevTools {
    pub(crate) fn connect(address: &str, url: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(TIME_LIMIT)).unwrap();
        let (socket, _) = tungstenite::client(url, stream).unwrap();
        Self { socket, commands: 0, events: Vec::new() }
    }

    /// The answer of Chromium; panics on an error.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.send(method, params).unwrap();
        let deadline = Instant::now() + TIME_LIMIT;
        loop {
            let mut message = self.receive(method, deadline);
            if message["id"] == self.commands {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].take();
            }
            self.keep(message);
        }
    }

    /// The same without waiting for the answer.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> tungstenite::Result<()> {
        self.commands += 1;
        let command = json!({ "id": self.commands, "method": method, "params": params });
        self.socket.send(Message::text(command.to_string()))
    }

    /// Waits for a matching event that was not read yet.
    pub(crate) fn wait_for(&mut self, method: &str) {
        let deadline = Instant::now() + TIME_LIMIT;
        while !self.events.iter().any(|event| event.method == method) {
            let message = self.receive(method, deadline);
            self.keep(message);
        }
    }

    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    fn receive(&mut self, what_for: &str, deadline: Instant) -> Value {
        loop {
            assert!(Instant::now() < deadline, "no answer to {what_for}");
            let message = self.socket.read().unwrap_or_else(|error| panic!("{what_for}: {error}"));
            if let Message::Text(text) = message {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    fn keep(&mut self, mut message: Value) {
        if let Some(method) = message["method"].as_str() {
            let method = method.to_owned();
            self.events.push(Event { method, params: message["params"].take() });
        }
    }
}
