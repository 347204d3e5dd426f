//! One connection over a small pipe, so that unread data blocks the server at once.

use html_report::PageSection;
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
    watcher_slots: Arc<Semaphore>,
    snapshot: watch::Sender<PageSnapshot>,
}

/// An authenticated client that watches a run with a large page.
async fn watching(limits: ServerLimits) -> TestServer {
    let (snapshot, seen) = watch::channel(PageSnapshot::default());
    let watcher_slots = Arc::new(Semaphore::new(limits.watchers));
    let (requests, received) = mpsc::channel();
    std::thread::spawn(move || {
        while let Ok(RenderRequest::Update(to)) = received.recv() {
            to.send(()).unwrap();
        }
    });
    let hosts = Hosts::of("127.0.0.1:1".parse().unwrap(), &[]).unwrap();
    let allow_orders = false;
    let auth = Auth::new(hosts, Token::chosen(TOKEN).unwrap(), 1, allow_orders);
    let handler = Arc::new(RequestHandler {
        auth,
        requests,
        snapshot: seen,
        watcher_slots: watcher_slots.clone(),
        limits,
    });
    let (mut client, here) = duplex(SMALL);
    let mut connections = Connections::new(1);
    connections.add(|connection| serve(here, handler, connection));
    let head = format!(
        "GET /events HTTP/1.1\r\nHost: 127.0.0.1:1\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
    );
    client.write_all(head.as_bytes()).await.unwrap();
    let server = TestServer { client, connections, watcher_slots, snapshot };
    server.publish(1);
    server
}

impl TestServer {
    fn publish(&self, number: usize) {
        let html = format!("{} {number}", "x".repeat(LARGE));
        let before = self.snapshot.borrow().page.clone();
        let page =
            Arc::new(RenderedPage::of(vec![PageSection { id: "a", html }], before.as_deref()));
        self.snapshot.send_modify(|snapshot| snapshot.page = Some(page));
    }
}

#[tokio::test]
async fn a_client_that_never_reads_is_closed_and_frees_its_slot() {
    let limits =
        ServerLimits { stall: Duration::from_millis(100), watchers: 1, ..ServerLimits::default() };
    let mut server = watching(limits).await;
    tokio::time::timeout(Duration::from_secs(10), server.connections.all_closed()).await.unwrap();
    drop(server.watcher_slots.acquire().await.unwrap());
}

#[tokio::test]
async fn a_slow_client_skips_updates_but_gets_the_last_one() {
    let mut server = watching(ServerLimits::default()).await;
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
