//! Many slow or malicious clients, and one good client.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use events::samples;
use report_server::{ServerLimits, ServerOptions};

use crate::harness::{Site, options, warning};

/// The longest wait of a good client on a busy machine.
const SOON: Duration = Duration::from_secs(60);

const MANY: usize = 200;

/// Each has sent an incomplete request.
fn slow_clients(site: &Site) -> Vec<TcpStream> {
    let halves = ["", "G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "];
    let client = |at: usize| {
        let mut stream = site.connect();
        stream.write_all(halves[at % halves.len()].as_bytes()).unwrap();
        stream
    };
    (0..MANY).map(client).collect()
}

#[test]
fn two_hundred_slow_clients_do_not_delay_a_good_one() {
    let limits = ServerLimits { request: 10 * SOON, ..options().limits };
    let site = Site::open(ServerOptions { limits, ..options() });
    let _slow = slow_clients(&site);
    let began = Instant::now();
    assert_eq!(site.get("/").status(), 200);
    let mut watching = site.watch();
    assert!(watching.until("\"summary\":").is_some());
    site.write(samples::RUN, &warning("mind the gap"));
    assert!(watching.until("mind the gap").is_some());
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

#[test]
fn at_the_limit_unauthenticated_clients_are_closed_and_watchers_stay() {
    let limits = ServerLimits { connections: 8, ..options().limits };
    let site = Site::open(ServerOptions { limits, ..options() });
    let mut watching = site.watch();
    let mut slow = slow_clients(&site);
    assert_eq!(site.get("/").status(), 200);
    site.write(samples::RUN, &warning("mind the gap"));
    assert!(watching.until("mind the gap").is_some());
    // The first of them was closed for later ones.
    assert!(matches!(slow[0].read(&mut [0]), Ok(0) | Err(_)));
}

#[test]
fn an_unfinished_request_times_out() {
    let limits = ServerLimits { request: Duration::from_millis(100), ..options().limits };
    let site = Site::open(ServerOptions { limits, ..options() });
    for mut slow in slow_clients(&site).into_iter().take(4) {
        let began = Instant::now();
        // Closed, with or without a response.
        let mut received = Vec::new();
        let _ = slow.read_to_end(&mut received);
        assert!(began.elapsed() < SOON);
    }
}

#[test]
fn one_request_a_connection() {
    let site = Site::open(options());
    let twice = site.head("GET /status.json", "Connection: keep-alive\r\n").repeat(2);
    assert_eq!(site.send(twice.as_bytes()).0.matches("HTTP/1.1").count(), 1);
}
