//! A project with runs, its server on a free port, and a raw TCP client.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use assert_fs::TempDir;
use chrono::{FixedOffset, Offset, Utc};
use events::{LoopEvent, RunView, Stamped, samples};
use html_report::{Diffs, NextStep, WaitingAnswer};
use project::orders::Order;
use project::{Layout, RunLock};
use report_server::{PageSource, ServeError, Server, ServerLimits, ServerOptions, Stopper, Token};

pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Longer than any response takes.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    pub(crate) stopper: Stopper,
    pub(crate) layout: Layout,
    server: Option<JoinHandle<Result<(), ServeError>>>,
    _lock: RunLock,
    _dir: TempDir,
}

pub(crate) struct Nothing;

impl PageSource for Nothing {
    fn diffs(&self, view: &RunView) -> Diffs {
        let note = format!("{} warnings do not change anything.", view.warning_texts.len());
        Diffs { notes: vec![note], ..Diffs::default() }
    }

    fn next_steps(&self, _: &str) -> Vec<NextStep> {
        vec![NextStep { text: "look at it".into(), commands: Vec::new() }]
    }

    fn waiting_answers(&self, _: &str) -> Option<Vec<WaitingAnswer>> {
        None
    }

    fn status(&self, run: &str) -> Option<String> {
        Some(format!("{{\"run\":\"{run}\"}}"))
    }

    fn offset(&self) -> FixedOffset {
        Utc.fix()
    }

    /// Refuses orders for a run that has ended.
    fn give(&self, running: Option<&RunView>, order: &Order) -> Result<String, String> {
        match running {
            Some(view) => Ok(format!("{} {order:?}", view.id)),
            None => Err(format!("{order:?}")),
        }
    }
}

pub(crate) fn options() -> ServerOptions {
    ServerOptions {
        address: "127.0.0.1:0".parse().unwrap(),
        allow_remote: false,
        hosts: Vec::new(),
        token: Token::chosen(TOKEN).unwrap(),
        run: None,
        until_end: false,
        allow_orders: false,
        limits: ServerLimits {
            update_interval: Duration::from_millis(20),
            log_interval: Duration::from_millis(10),
            process_interval: Duration::from_millis(10),
            ..ServerLimits::default()
        },
    }
}

impl Site {
    /// With a running run.
    pub(crate) fn open(options: ServerOptions) -> Self {
        Self::with(options, &beginning(), Nothing)
    }

    pub(crate) fn without_a_run(options: ServerOptions) -> Self {
        Self::with(options, &[], Nothing)
    }

    pub(crate) fn with(
        options: ServerOptions,
        events: &[Stamped],
        source: impl PageSource,
    ) -> Self {
        let dir = TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let lock = RunLock::acquire(&layout).unwrap();
        let server = Server::bind(options).unwrap();
        let (address, stopper) = (server.address(), server.stopper());
        let mut site = Self { address, stopper, layout, server: None, _lock: lock, _dir: dir };
        if !events.is_empty() {
            site.write(samples::RUN, events);
        }
        let layout = site.layout.clone();
        site.server = Some(std::thread::spawn(move || server.run(layout, source)));
        site
    }

    pub(crate) fn write(&self, run: &str, events: &[Stamped]) {
        let folder = self.layout.run_dir(run);
        fs::create_dir_all(&folder).unwrap();
        let file = OpenOptions::new().create(true).append(true).open(folder.join("events.jsonl"));
        let text: String = events.iter().map(|stamped| stamped.to_line() + "\n").collect();
        file.unwrap().write_all(text.as_bytes()).unwrap();
    }

    /// Waits until the server ends.
    pub(crate) fn wait(mut self) -> Result<(), ServeError> {
        let server = self.server.take().unwrap();
        let (to, from) = std::sync::mpsc::channel();
        std::thread::spawn(move || to.send(server.join().unwrap()));
        from.recv_timeout(PATIENCE).unwrap()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The head of an authenticated request, with `more` lines.
    pub(crate) fn head(&self, line: &str, more: &str) -> String {
        let host = self.address;
        format!("{line} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {TOKEN}\r\n{more}\r\n")
    }

    pub(crate) fn send(&self, bytes: &[u8]) -> HttpResponse {
        let mut stream = self.connect();
        // The server may already have closed the connection.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        HttpResponse(String::from_utf8_lossy(&answer).into_owned())
    }

    pub(crate) fn get(&self, path: &str) -> HttpResponse {
        self.send(self.head(&format!("GET {path}"), "").as_bytes())
    }

    pub(crate) fn watch(&self) -> Watching {
        let mut stream = self.connect();
        stream.write_all(self.head("GET /events", "").as_bytes()).unwrap();
        let mut watching = Watching(BufReader::new(stream));
        let status = watching.line();
        assert!(status.starts_with("HTTP/1.1 200"), "{status}");
        watching
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(server) = self.server.take() {
            let _ = server.join();
        }
    }
}

/// With the pid of this process, which holds the project's lock.
pub(crate) fn beginning() -> Vec<Stamped> {
    let mut started = samples::a_run().swap_remove(0);
    if let LoopEvent::RunStarted { start, .. } = &mut started.event {
        start.pid = std::process::id();
    }
    vec![started]
}

pub(crate) fn warning(text: &str) -> Vec<Stamped> {
    vec![samples::stamped(5, LoopEvent::Warning { text: text.into() })]
}

pub(crate) fn ending() -> Vec<Stamped> {
    vec![samples::a_run().pop().unwrap()]
}

pub(crate) struct HttpResponse(pub(crate) String);

impl HttpResponse {
    /// 0 if the connection was closed without a response.
    pub(crate) fn status(&self) -> u16 {
        self.0.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let head = self.0.split("\r\n\r\n").next().unwrap();
        let mut pairs = head.lines().filter_map(|line| line.split_once(": "));
        pairs.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn body(&self) -> &str {
        self.0.split_once("\r\n\r\n").map_or("", |(_, body)| body)
    }
}

pub(crate) struct Watching(BufReader<TcpStream>);

impl Watching {
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line
    }

    /// Everything up to a line that contains `wanted`; `None` if the stream ended or has only heartbeats.
    pub(crate) fn until(&mut self, wanted: &str) -> Option<String> {
        let (mut received, begun) = (String::new(), Instant::now());
        while begun.elapsed() < PATIENCE {
            let line = self.line();
            received.push_str(&line);
            match line.as_str() {
                "" => return None,
                _ if received.contains(wanted) => return Some(received),
                _ => {}
            }
        }
        None
    }
}
