//! The event stream of one page: all sections, then changed ones, and heartbeats. A slow client skips
//! updates but never gets outdated ones.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame};
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};

use crate::snapshot::{PageSnapshot, RenderedPage};

/// Sets the reconnection delay of the browser.
const GREETING: &[u8] = b"retry: 2000\n\n";
const HEARTBEAT: &[u8] = b": still here\n\n";
const END: &[u8] = b"event: end\ndata: {}\n\n";

/// A streaming response body.
#[derive(Debug)]
pub(crate) struct EventStream(mpsc::Receiver<Bytes>);

/// The client is gone.
struct Gone;

impl EventStream {
    /// Needs a runtime. The slot is held while the client reads.
    pub(crate) fn of(
        snapshot: watch::Receiver<PageSnapshot>,
        heartbeat: Duration,
        slot: OwnedSemaphorePermit,
    ) -> Self {
        let (to, from) = mpsc::channel(1);
        tokio::spawn(async move {
            // The stream ends either way.
            let _: Result<(), Gone> = send_updates(snapshot, heartbeat, &to).await;
            drop(slot);
        });
        Self(from)
    }
}

impl Body for EventStream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

async fn send_updates(
    mut snapshot: watch::Receiver<PageSnapshot>,
    heartbeat: Duration,
    to: &mpsc::Sender<Bytes>,
) -> Result<(), Gone> {
    let send = async |bytes: Bytes| to.send(bytes).await.map_err(|_| Gone);
    send(Bytes::from_static(GREETING)).await?;
    let mut seen: Option<Arc<RenderedPage>> = None;
    loop {
        let PageSnapshot { page, is_final } = snapshot.borrow_and_update().clone();
        if let Some(page) = page {
            for part in page.news(seen.as_deref()) {
                send(part).await?;
            }
            seen = Some(page);
        }
        if is_final {
            return send(Bytes::from_static(END)).await;
        }
        while !next_update(&mut snapshot, heartbeat, to).await? {
            send(Bytes::from_static(HEARTBEAT)).await?;
        }
    }
}

/// `false` if it is time for a heartbeat.
async fn next_update(
    snapshot: &mut watch::Receiver<PageSnapshot>,
    heartbeat: Duration,
    to: &mpsc::Sender<Bytes>,
) -> Result<bool, Gone> {
    tokio::select! {
        changed = snapshot.changed() => changed.map(|()| true).map_err(|_| Gone),
        () = to.closed() => Err(Gone),
        () = tokio::time::sleep(heartbeat) => Ok(false),
    }
}
