//! The stream of events to one page: all there is, then what changes, and now and then that the server is
//! still there. Whoever reads slowly hears of fewer pictures, never of older ones.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame};
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};

use crate::snapshot::{Outlook, Picture, Snapshot};

/// How long a browser waits before it asks again, and room for what some proxies hold back.
const GREETING: &[u8] = b"retry: 2000\n\n";
const HEARTBEAT: &[u8] = b": still here\n\n";
const END: &[u8] = b"event: end\ndata: {}\n\n";

/// The body of an answer that goes on.
#[derive(Debug)]
pub(crate) struct Stream(mpsc::Receiver<Bytes>);

/// Nobody reads any more.
struct Gone;

impl Stream {
    /// Needs a runtime. The place is taken for as long as somebody reads.
    pub(crate) fn of(
        snapshot: watch::Receiver<Snapshot>,
        heartbeat: Duration,
        place: OwnedSemaphorePermit,
    ) -> Self {
        let (to, from) = mpsc::channel(1);
        tokio::spawn(async move {
            // The stream ends either way.
            let _: Result<(), Gone> = tell(snapshot, heartbeat, &to).await;
            drop(place);
        });
        Self(from)
    }
}

impl Body for Stream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

async fn tell(
    mut snapshot: watch::Receiver<Snapshot>,
    heartbeat: Duration,
    to: &mpsc::Sender<Bytes>,
) -> Result<(), Gone> {
    let say = async |bytes: Bytes| to.send(bytes).await.map_err(|_| Gone);
    say(Bytes::from_static(GREETING)).await?;
    let mut seen: Option<Arc<Picture>> = None;
    loop {
        let Snapshot { picture, outlook } = snapshot.borrow_and_update().clone();
        if let Some(picture) = picture {
            for part in picture.news(seen.as_deref()) {
                say(part).await?;
            }
            seen = Some(picture);
        }
        if outlook == Outlook::NothingMore {
            return say(Bytes::from_static(END)).await;
        }
        while !something_new(&mut snapshot, heartbeat, to).await? {
            say(Bytes::from_static(HEARTBEAT)).await?;
        }
    }
}

/// `false` if nothing came for as long as a page should not be left without a word.
async fn something_new(
    snapshot: &mut watch::Receiver<Snapshot>,
    heartbeat: Duration,
    to: &mpsc::Sender<Bytes>,
) -> Result<bool, Gone> {
    tokio::select! {
        changed = snapshot.changed() => changed.map(|()| true).map_err(|_| Gone),
        () = to.closed() => Err(Gone),
        () = tokio::time::sleep(heartbeat) => Ok(false),
    }
}
