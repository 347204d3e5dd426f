//! One connection over a small pipe, so that unread data blocks the server at once.

use html_report::Section;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

use super::*;
use crate::renderer::RenderRequest;
use crate::snapshot::RenderedPage;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// The size of the pipe, and much more than that.
const SMALL: usize = 1024;
const LARGE: usize = 256 * SMALL;

struct TestServer {
    client: DuplexStream,
    connections: Connections,
    places: Arc<Semaphore>,
    snapshot: watch::Sender<Snapshot>,
}

/// An authenticated client that watches a run with a large page.
async fn watching(limits: Limits) -> TestServer {
    let (snapshot, seen) = watch::channel(Snapshot::default());
    let places = Arc::new(Semaphore::new(limits.watchers));
    let (asks, asked) = mpsc::channel();
    std::thread::spawn(move || {
        while let Ok(RenderRequest::Update(to)) = asked.recv() {
            to.send(()).unwrap();
        }
    });
    let hosts = Hosts::of("127.0.0.1:1".parse().unwrap(), &[]).unwrap();
    let auth = Auth::new(hosts, Token::chosen(TOKEN).unwrap(), 1, Orders::Refused);
    let handler =
        Arc::new(RequestHandler { auth, asks, snapshot: seen, places: places.clone(), limits });
    let (mut client, here) = duplex(SMALL);
    let mut connections = Connections::new(1);
    connections.add(|connection| serve(here, handler, connection));
    let head = format!(
        "GET /events HTTP/1.1\r\nHost: 127.0.0.1:1\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
    );
    client.write_all(head.as_bytes()).await.unwrap();
    let server = TestServer { client, connections, places, snapshot };
    server.publish(1);
    server
}

impl TestServer {
    fn publish(&self, number: usize) {
        let html = format!("{} {number}", "x".repeat(LARGE));
        let before = self.snapshot.borrow().page.clone();
        let page = Arc::new(RenderedPage::of(vec![Section { id: "a", html }], before.as_deref()));
        self.snapshot.send_modify(|snapshot| snapshot.page = Some(page));
    }
}

#[tokio::test]
async fn a_client_that_never_reads_is_closed_and_frees_its_slot() {
    let limits = Limits { stall: Duration::from_millis(100), watchers: 1, ..Limits::default() };
    let mut server = watching(limits).await;
    tokio::time::timeout(Duration::from_secs(10), server.connections.all_closed()).await.unwrap();
    drop(server.places.acquire().await.unwrap());
}

#[tokio::test]
async fn a_slow_client_skips_updates_but_gets_the_last_one() {
    let mut server = watching(Limits::default()).await;
    // It is reading the first update when the others arrive.
    server.client.read_exact(&mut [0; 2000]).await.unwrap();
    for number in 2..50 {
        server.publish(number);
    }
    let mut received = Vec::new();
    while !received.windows(4).rev().take(2 * SMALL).any(|end| end == b" 49\"") {
        server.client.read_buf(&mut received).await.unwrap();
    }
    assert!(received.len() < 4 * LARGE, "{}", received.len());
}
