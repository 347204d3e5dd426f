//! Connections through the helper to a proxy.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::thread;

use sandbox_network::{Address, Listen, Proxy, Rules};
use tempfile::TempDir;

use crate::harness::{Running, SOON, ask, bridged, connect, entered, finish, free_port};

/// A fake proxy: sends `answer` to the first head on each connection, then echoes everything.
fn fake_proxy(socket: PathBuf, answer: &'static str, head: &'static str) {
    let listener = UnixListener::bind(socket).unwrap();
    let serve = move |mut stream: UnixStream| {
        stream.set_read_timeout(Some(SOON)).unwrap();
        let mut read = vec![0; head.len()];
        stream.read_exact(&mut read).unwrap();
        assert_eq!(str::from_utf8(&read), Ok(head));
        stream.write_all(answer.as_bytes()).unwrap();
        let _ = std::io::copy(&mut &stream, &mut &stream);
    };
    thread::spawn(move || listener.incoming().for_each(|stream| serve(stream.unwrap())));
}

/// The longest valid path of a socket.
fn longest_path(folder: &TempDir) -> PathBuf {
    let folder = folder.path().to_str().unwrap();
    PathBuf::from(format!("{folder}/{}", "s".repeat(107 - folder.len() - 1)))
}

#[test]
fn connections_to_the_proxys_port_reach_the_proxy() {
    let origin = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = origin.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in origin.incoming() {
            stream.unwrap().write_all(b"HTTP/1.1 200 OK\r\n\r\nhello").unwrap();
        }
    });
    let rules = Rules { host_ports: vec![port], ..Rules::default() };
    let proxy = Proxy::start(rules, Listen::Socket).unwrap();
    let Address::Socket(socket) = proxy.address() else { panic!("{:?}", proxy.address()) };
    let (entry, proxy_port) = bridged(socket, &[]);
    let _running = Running::start(&entry, "true");
    let tunnel = format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n");
    assert!(ask(proxy_port, &tunnel).ends_with("hello"));
    let refused = ask(proxy_port, "CONNECT a.example:443 HTTP/1.1\r\n\r\n");
    assert!(refused.starts_with("HTTP/1.1 403 "), "{refused}");
    assert_eq!(proxy.take_refused().len(), 1);
}

#[test]
fn connections_to_the_proxys_port_are_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let socket = longest_path(&folder);
    fake_proxy(socket.clone(), "anything", "any bytes");
    let (entry, proxy_port) = bridged(socket, &[]);
    let _running = Running::start(&entry, "true");
    let mut stream = connect(proxy_port);
    stream.write_all(b"any bytes and more").unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert_eq!(answer, "anything and more");
}

#[test]
fn a_port_of_the_host_is_asked_for_and_then_copied() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, port) = (folder.path().join("s"), free_port());
    let head = format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n").leak();
    fake_proxy(socket.clone(), "HTTP/1.1 200 Fine\r\nA: b\r\n\r\nwelcome ", head);
    let (entry, _) = bridged(socket, &[free_port(), port]);
    let _running = Running::start(&entry, "true");
    let mut stream = connect(port);
    // The server sends first.
    let mut welcome = [0; 8];
    stream.read_exact(&mut welcome).unwrap();
    assert_eq!(&welcome, b"welcome ");
    stream.write_all(b"bytes").unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert_eq!(answer, "bytes");
}

#[test]
fn a_port_of_the_host_that_the_proxy_refuses_answers_nothing() {
    let proxy = Proxy::start(Rules::default(), Listen::Socket).unwrap();
    let Address::Socket(socket) = proxy.address() else { panic!("{:?}", proxy.address()) };
    let port = free_port();
    let (entry, _) = bridged(socket, &[port]);
    let _running = Running::start(&entry, "true");
    let mut bytes = Vec::new();
    connect(port).read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes, b"");
    assert_eq!(proxy.take_refused().len(), 1);
}

#[test]
fn a_command_whose_bridge_cannot_listen_does_not_start() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let (entry, _) = bridged("/no/socket", &[port]);
    let done = finish(entered(&entry, "echo", &["started"]), "");
    assert_eq!((done.code, done.stdout.as_str()), (Some(125), ""), "{done:?}");
    let expected = format!("the network bridge does not listen: port {port}: Address");
    assert!(done.stderr.starts_with(&expected), "{done:?}");
}
