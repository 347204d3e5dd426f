//! Carries notices off while the run goes on: a thread and a short queue for each way.

use std::sync::mpsc::{
    Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel,
};
use std::time::{Duration, Instant};

use supervise::{Stop, StopRequests};

use crate::Notice;
use crate::channel::{Channel, ChannelName, Sending, Unsent};

/// For one notice, and for the last ones once the run is over.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// At one a minute a kind, only a way that hangs has so many before it.
const QUEUE: usize = 8;

const NOTICED: Duration = Duration::from_millis(300);

/// What was asked to end at once may take so long.
const ENDING: Duration = Duration::from_secs(5);

/// A way that failed for the first time.
#[derive(Debug)]
pub struct Failure {
    pub way: ChannelName,
    pub why: Unsent,
}

/// Never waits before [`NotificationSender::close`].
#[derive(Debug)]
pub struct NotificationSender {
    couriers: Vec<SenderThread>,
    failures: Receiver<Failure>,
    stop: StopRequests,
    /// Those that failed are told of once.
    failed: Vec<ChannelName>,
}

#[derive(Debug)]
struct SenderThread {
    way: ChannelName,
    queue: SyncSender<Notice>,
}

impl NotificationSender {
    pub fn start(channels: Vec<Channel>, sending: &Sending) -> Self {
        let (sender, failures) = channel();
        let couriers =
            channels.into_iter().map(|way| SenderThread::start(way, sending, &sender)).collect();
        Self { couriers, failures, stop: sending.stop.clone(), failed: Vec::new() }
    }

    /// Returns channels whose queue is full, if it is the first thing that went wrong with them.
    pub fn send(&mut self, notice: &Notice) -> Vec<Failure> {
        let mut full = Vec::new();
        for courier in &self.couriers {
            if let Err(TrySendError::Full(_)) = courier.queue.try_send(notice.clone()) {
                full.push(Failure { way: courier.way, why: Unsent::TooMany });
            }
        }
        full.retain(|failure| first(&mut self.failed, failure));
        full
    }

    /// Ways that failed since they were asked for last, each once in all.
    pub fn failures(&mut self) -> Vec<Failure> {
        let failed = &mut self.failed;
        self.failures.try_iter().filter(|failure| first(failed, failure)).collect()
    }

    /// Waits for what is on its way, but no longer than `patience`, and while `goes_on` says so. It is
    /// asked a few times a second, for the first time once the wait is long enough to be noticed.
    pub fn close(self, patience: Duration, mut goes_on: impl FnMut() -> bool) -> Vec<Failure> {
        let Self { couriers, failures, stop, mut failed } = self;
        // Without queues the threads end, and the last of them closes the channel.
        drop(couriers);
        let mut told = Vec::new();
        for (end, urgency) in [(patience, Some(Stop::Now)), (ENDING, None)] {
            let deadline = Instant::now() + end;
            loop {
                let left = deadline.saturating_duration_since(Instant::now());
                match failures.recv_timeout(left.min(NOTICED)) {
                    Ok(failure) => told.extend(Some(failure).filter(|one| first(&mut failed, one))),
                    Err(RecvTimeoutError::Disconnected) => return told,
                    Err(RecvTimeoutError::Timeout) if left.is_zero() => break,
                    Err(RecvTimeoutError::Timeout) if urgency.is_some() && !goes_on() => break,
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
            if let Some(urgency) = urgency {
                stop.raise(urgency);
            }
        }
        told
    }
}

fn first(failed: &mut Vec<ChannelName>, failure: &Failure) -> bool {
    let is_first = !failed.contains(&failure.way);
    failed.push(failure.way);
    is_first
}

impl SenderThread {
    fn start(way: Channel, sending: &Sending, failures: &Sender<Failure>) -> Self {
        let (queue, notices) = sync_channel::<Notice>(QUEUE);
        let (name, sending, failures) = (way.name(), sending.clone(), failures.clone());
        std::thread::spawn(move || {
            for notice in notices {
                if let Err(why) = way.send(&notice, &sending) {
                    // Nobody listens any more once the run has been given up.
                    let _ = failures.send(Failure { way: name, why });
                }
            }
        });
        Self { way: name, queue }
    }
}
