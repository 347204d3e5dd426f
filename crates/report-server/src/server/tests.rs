//! One connection over a pipe so small that whatever is not read shows at once.

use html_report::Section;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

use super::*;
use crate::renderer::Ask;
use crate::snapshot::Picture;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// What the pipe holds, and far more than that.
const SMALL: usize = 1024;
const LARGE: usize = 256 * SMALL;

struct Room {
    client: DuplexStream,
    connections: Connections,
    places: Arc<Semaphore>,
    snapshot: watch::Sender<Snapshot>,
}

/// Somebody who may, who asked to watch a run with a large page.
async fn watching(limits: Limits) -> Room {
    let (snapshot, seen) = watch::channel(Snapshot::default());
    let places = Arc::new(Semaphore::new(limits.watchers));
    let (asks, asked) = mpsc::channel();
    std::thread::spawn(move || {
        while let Ok(Ask::Picture(to)) = asked.recv() {
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
    let room = Room { client, connections, places, snapshot };
    room.hang(1);
    room
}

impl Room {
    fn hang(&self, number: usize) {
        let html = format!("{} {number}", "x".repeat(LARGE));
        let before = self.snapshot.borrow().picture.clone();
        let picture = Arc::new(Picture::of(vec![Section { id: "a", html }], before.as_deref()));
        self.snapshot.send_modify(|snapshot| snapshot.picture = Some(picture));
    }
}

#[tokio::test]
async fn a_client_that_never_reads_is_given_up_and_its_place_is_free() {
    let limits = Limits { stall: Duration::from_millis(100), watchers: 1, ..Limits::default() };
    let mut room = watching(limits).await;
    tokio::time::timeout(Duration::from_secs(10), room.connections.all_left()).await.unwrap();
    drop(room.places.acquire().await.unwrap());
}

#[tokio::test]
async fn a_client_that_reads_slowly_hears_of_fewer_pictures_and_of_the_last() {
    let mut room = watching(Limits::default()).await;
    // It has begun to hear of the first when the others come.
    room.client.read_exact(&mut [0; 2000]).await.unwrap();
    for number in 2..50 {
        room.hang(number);
    }
    let mut heard = Vec::new();
    while !heard.windows(4).rev().take(2 * SMALL).any(|end| end == b" 49\"") {
        room.client.read_buf(&mut heard).await.unwrap();
    }
    assert!(heard.len() < 4 * LARGE, "{}", heard.len());
}
