//! Servers on the loopback, and proxy clients.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use sandbox_network::{Address, AllowedHosts, Listen, Proxy, Rules};

/// Long enough for a busy machine.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// An HTTP server that records each request and answers `hello`.
pub(crate) struct Origin {
    pub(crate) port: u16,
    pub(crate) requests: Receiver<String>,
}

impl Origin {
    pub(crate) fn start() -> Self {
        let (sender, requests) = channel();
        let port = serve(move |stream| {
            let mut request = String::new();
            let mut reader = BufReader::new(&stream);
            while !request.ends_with("\r\n\r\n") && reader.read_line(&mut request).unwrap() > 0 {}
            if request.contains("Content-Length: 4\r\n") {
                let mut body = [0; 4];
                reader.read_exact(&mut body).unwrap();
                request += str::from_utf8(&body).unwrap();
            }
            // The test may have ended.
            let _ = sender.send(request);
            (&stream).write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello").unwrap();
        });
        Self { port, requests }
    }

    pub(crate) fn request(&self) -> String {
        self.requests.recv_timeout(SOON).unwrap()
    }

    /// Works because a request is recorded before its answer.
    pub(crate) fn got_no_request(&self) -> bool {
        self.requests.try_recv().is_err()
    }
}

/// A server that sends first, then echoes everything.
pub(crate) fn echo() -> u16 {
    serve(|stream| {
        (&stream).write_all(b"welcome ").unwrap();
        let _ = io::copy(&mut &stream, &mut &stream);
    })
}

fn serve(answer: impl Fn(TcpStream) + Send + 'static) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            answer(stream.unwrap());
        }
    });
    port
}

pub(crate) fn proxy(patterns: &[String], host_ports: &[u16]) -> Proxy {
    let hosts = AllowedHosts::parse(patterns.iter().map(String::as_str)).unwrap();
    let rules = Rules { hosts, host_ports: host_ports.to_vec() };
    Proxy::start(rules, Listen::Loopback).unwrap()
}

pub(crate) fn connect(proxy: &Proxy) -> TcpStream {
    let Address::Loopback(port) = proxy.address() else { panic!("{:?}", proxy.address()) };
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, *port)).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    stream
}

/// The whole answer to `request`.
pub(crate) fn ask(proxy: &Proxy, request: &str) -> String {
    exchange(connect(proxy), request)
}

pub(crate) fn exchange(mut stream: impl Read + Write, request: &str) -> String {
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// The part of an answer after its head.
pub(crate) fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").unwrap().1
}
