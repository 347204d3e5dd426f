//! Many clients that want nothing good, and one that does.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use events::samples;
use report_server::{Limits, Options};

use crate::harness::{Site, options, warning};

/// What a good client waits at most, on a machine that has other things to do.
const SOON: Duration = Duration::from_secs(60);

const MANY: usize = 200;

/// Each has sent something, and none of them a whole request.
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
fn two_hundred_slow_clients_do_not_keep_a_good_one_waiting() {
    let limits = Limits { request: 10 * SOON, ..options().limits };
    let site = Site::open(Options { limits, ..options() });
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
fn when_it_is_full_strangers_make_room_and_whoever_watches_stays() {
    let limits = Limits { connections: 8, ..options().limits };
    let site = Site::open(Options { limits, ..options() });
    let mut watching = site.watch();
    let mut slow = slow_clients(&site);
    assert_eq!(site.get("/").status(), 200);
    site.write(samples::RUN, &warning("mind the gap"));
    assert!(watching.until("mind the gap").is_some());
    // The first of them was sent away for those that came later.
    assert!(matches!(slow[0].read(&mut [0]), Ok(0) | Err(_)));
}

#[test]
fn a_request_that_is_never_finished_is_given_up() {
    let limits = Limits { request: Duration::from_millis(100), ..options().limits };
    let site = Site::open(Options { limits, ..options() });
    for mut slow in slow_clients(&site).into_iter().take(4) {
        let began = Instant::now();
        // Closed, with or without a word.
        let mut heard = Vec::new();
        let _ = slow.read_to_end(&mut heard);
        assert!(began.elapsed() < SOON);
    }
}

#[test]
fn one_request_a_connection() {
    let site = Site::open(options());
    let twice = site.head("GET /status.json", "Connection: keep-alive\r\n").repeat(2);
    assert_eq!(site.send(twice.as_bytes()).0.matches("HTTP/1.1").count(), 1);
}
