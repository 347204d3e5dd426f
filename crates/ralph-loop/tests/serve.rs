//! `ralph-loop serve` as a person and a script use it.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use assert_cmd::cargo::CommandCargoExt;
use assert_fs::TempDir;
use events::{LoopEvent, samples};
use project::orders::{Order, OrderQueue};
use project::{Layout, RunLock};
use rustix::process::{Pid, Signal, kill_process};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Killed when the test ends.
struct Serving {
    child: Child,
    printed: BufReader<std::process::ChildStdout>,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(project: &TempDir, args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("ralph-loop").unwrap();
    command.arg("serve").arg("-d").arg(project.path()).args(args);
    command.env_remove("RALPH_SERVE_TOKEN").stdin(Stdio::null());
    command
}

fn start(mut command: Command) -> Serving {
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let printed = BufReader::new(child.stdout.take().unwrap());
    Serving { child, printed }
}

impl Serving {
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.printed.read_line(&mut line).unwrap();
        line
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }
}

/// With a run that has ended.
fn project() -> TempDir {
    let dir = TempDir::new().unwrap();
    let folder = Layout::new(dir.path()).run_dir(samples::RUN);
    std::fs::create_dir_all(&folder).unwrap();
    let text: String = samples::a_run().iter().map(|stamped| stamped.to_line() + "\n").collect();
    std::fs::write(folder.join("events.jsonl"), text).unwrap();
    dir
}

fn get(port: u16, path: &str) -> String {
    sent(port, &format!("GET {path}"), "")
}

fn post(port: u16, order: &str) -> String {
    sent(port, "POST /orders", order)
}

fn sent(port: u16, line: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let kind = match body.len() {
        0 => String::new(),
        length => format!("Content-Type: application/json\r\nContent-Length: {length}\r\n"),
    };
    let head = format!("Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {TOKEN}\r\n{kind}");
    write!(stream, "{line} HTTP/1.1\r\n{head}\r\n{body}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_link_works_until_ctrl_c_ends_the_server() {
    let project = project();
    let mut command = command(&project, &["--json"]);
    command.env("RALPH_SERVE_TOKEN", TOKEN);
    let mut serving = start(command);
    let printed: serde_json::Value = serde_json::from_str(&serving.line()).unwrap();
    let port = u16::try_from(printed["port"].as_u64().unwrap()).unwrap();
    assert_eq!(printed["url"], format!("http://127.0.0.1:{port}/?token={TOKEN}"));
    assert_eq!((&printed["token"], &printed["pid"]), (&TOKEN.into(), &serving.child.id().into()));

    assert!(get(port, "/").contains("Sums with tax"));
    let status = get(port, "/status.json");
    assert!(status.contains(&format!("\"run\": \"{}\"", samples::RUN)), "{status}");

    serving.signal(Signal::INT);
    assert_eq!(serving.child.wait().unwrap().code(), Some(0));
    TcpListener::bind(("127.0.0.1", port)).unwrap();
}

/// A server that accepts orders, and its port.
fn taking_orders(project: &TempDir) -> (Serving, u16) {
    let mut command = command(project, &["--json", "--allow-orders"]);
    command.env("RALPH_SERVE_TOKEN", TOKEN);
    let mut serving = start(command);
    let printed: serde_json::Value = serde_json::from_str(&serving.line()).unwrap();
    (serving, u16::try_from(printed["port"].as_u64().unwrap()).unwrap())
}

#[test]
fn with_allow_orders_a_posted_order_reaches_the_run() {
    let project = TempDir::new().unwrap();
    let layout = Layout::new(project.path());
    let _runs = RunLock::acquire(&layout).unwrap();
    let mut started = samples::a_run().swap_remove(0);
    if let LoopEvent::RunStarted { start, .. } = &mut started.event {
        start.pid = std::process::id();
    }
    std::fs::create_dir_all(layout.run_dir(samples::RUN)).unwrap();
    let log = layout.run_dir(samples::RUN).join("events.jsonl");
    std::fs::write(log, started.to_line() + "\n").unwrap();
    let (_serving, port) = taking_orders(&project);

    let given = post(port, r#"{"kind":"steer","text":"Mind the gap"}"#);
    assert!(given.starts_with("HTTP/1.1 200") && given.contains(r#""answer":"given""#), "{given}");
    let read = OrderQueue::open(&layout).unwrap().read(&[]);
    let orders: Vec<_> = read.order_files.iter().map(|file| (&file.run[..], &file.order)).collect();
    assert_eq!(orders, [(samples::RUN, &Order::steer("Mind the gap").unwrap())]);

    let not_needed = post(port, r#"{"kind":"go-on"}"#);
    assert!(not_needed.contains(r#""answer":"not-needed""#), "{not_needed}");
    let refused = post(port, r#"{"kind":"skip","story":"US-999"}"#);
    assert!(refused.starts_with("HTTP/1.1 409"), "{refused}");
    assert!(refused.contains("US-999 is not a story of this run") && refused.contains("hint"));
    assert_eq!(OrderQueue::open(&layout).unwrap().read(&[]).order_files.len(), 1);
}

#[test]
fn orders_to_an_ended_run_are_refused() {
    let project = project();
    let (_serving, port) = taking_orders(&project);
    let refused = post(port, r#"{"kind":"stop"}"#);
    assert!(refused.starts_with("HTTP/1.1 409"), "{refused}");
    assert!(refused.contains("no loop is running here"), "{refused}");
    assert!(!Layout::new(project.path()).orders().exists());
}

#[test]
fn each_start_has_its_own_token_and_sigterm_ends_it() {
    let project = project();
    let mut links = Vec::new();
    for signal in [Signal::TERM, Signal::HUP] {
        let mut serving = start(command(&project, &[]));
        links.push(serving.line());
        serving.signal(signal);
        assert_eq!(serving.child.wait().unwrap().code(), Some(0));
    }
    let token = |link: &str| link.trim_end().split_once("/?token=").unwrap().1.to_owned();
    assert!(links[0].starts_with("http://127.0.0.1:"), "{}", links[0]);
    assert_eq!(token(&links[0]).len(), 64);
    assert_ne!(token(&links[0]), token(&links[1]));
}

#[test]
fn with_until_end_an_ended_run_ends_the_server() {
    let project = project();
    let mut serving = start(command(&project, &["--until-end", samples::RUN]));
    assert!(serving.line().starts_with("http://"));
    assert_eq!(serving.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_link_that_cannot_be_printed_is_an_error() {
    let project = project();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    // Without the error it would end too, but with success.
    let mut command = command(&project, &["--until-end", samples::RUN]);
    let child = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
    let output = child.wait_with_output().unwrap();
    let printed = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(printed.starts_with("error: cannot print the link: "), "{printed}");
}

#[test]
fn localhost_is_this_machine() {
    let project = project();
    let mut serving = start(command(&project, &["--bind", "localhost"]));
    assert!(serving.line().starts_with("http://127.0.0.1:"));
}

#[test]
fn invalid_options_are_refused_with_a_hint() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let project = project();
    for (args, wanted) in [
        (&["--bind", "0.0.0.0"][..], "is not a loopback address"),
        (&["--bind", "0.0.0.0"], "--allow-remote"),
        (&["--bind", "::"], "is not a loopback address"),
        (&["--bind", "everywhere"], "such as 127.0.0.1 or ::1, or localhost"),
        (&[""], "the id of the run is empty"),
        (&["--port", &port], "is already in use"),
        (&["--port", &port], "hint: pass another port with --port"),
        (&["--allow-host", "a b"], "invalid host"),
        (&["1999"], "run 1999 not found"),
    ] {
        let output = command(&project, args).output().unwrap();
        let printed = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {printed}");
        assert!(printed.contains(wanted), "{args:?}: {printed}");
        assert!(output.stdout.is_empty());
    }
    let mut weak = command(&project, &[]);
    let output = weak.env("RALPH_SERVE_TOKEN", "secret").output().unwrap();
    let printed = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(printed.contains("a token has 32 to 256") && !printed.contains("secret"), "{printed}");
}
