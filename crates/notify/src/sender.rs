//! Sends notices in the background: one thread and one short queue for each channel.

use std::sync::mpsc::{
    Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel,
};
use std::time::{Duration, Instant};

use supervise::{Stop, StopRequests};

use crate::Notice;
use crate::channel::{Channel, ChannelName, SendContext, SendError};

/// The time limit for one notice, and for the last ones after the run.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// At one notice a minute of each kind, only a channel that hangs fills its queue.
const QUEUE: usize = 8;

const POLL: Duration = Duration::from_millis(300);

/// The time that a stopped command has to end.
const ENDING: Duration = Duration::from_secs(5);

/// The first failure of a channel.
#[derive(Debug)]
pub struct ChannelFailure {
    pub channel: ChannelName,
    pub why: SendError,
}

/// Does not block before [`NotificationSender::close`].
#[derive(Debug)]
pub struct NotificationSender {
    /// The queue of the thread of each channel.
    queues: Vec<(ChannelName, SyncSender<Notice>)>,
    failures: Receiver<ChannelFailure>,
    stop: StopRequests,
    /// Channels whose failure was reported: each is reported once.
    failed: Vec<ChannelName>,
}

impl NotificationSender {
    pub fn start(channels: Vec<Channel>, sending: &SendContext) -> Self {
        let (sender, failures) = channel();
        let queues =
            channels.into_iter().map(|channel| start_thread(channel, sending, &sender)).collect();
        Self { queues, failures, stop: sending.stop.clone(), failed: Vec::new() }
    }

    /// Returns the channels whose queue is full, if it is their first failure.
    pub fn send(&mut self, notice: &Notice) -> Vec<ChannelFailure> {
        let mut full = Vec::new();
        for (channel, queue) in &self.queues {
            if let Err(TrySendError::Full(_)) = queue.try_send(notice.clone()) {
                full.push(ChannelFailure { channel: *channel, why: SendError::TooMany });
            }
        }
        full.retain(|failure| first(&mut self.failed, failure));
        full
    }

    /// The channels that failed since the last call, each only once.
    pub fn failures(&mut self) -> Vec<ChannelFailure> {
        let failed = &mut self.failed;
        self.failures.try_iter().filter(|failure| first(failed, failure)).collect()
    }

    /// Waits for notices that are being sent, at most `patience`, and while `goes_on` returns true. It is
    /// called every 300 ms.
    pub fn close(
        self,
        patience: Duration,
        mut goes_on: impl FnMut() -> bool,
    ) -> Vec<ChannelFailure> {
        let Self { queues, failures, stop, mut failed } = self;
        // Closed queues end the threads, and the last thread closes `failures`.
        drop(queues);
        let mut reported = Vec::new();
        for (end, urgency) in [(patience, Some(Stop::Now)), (ENDING, None)] {
            let deadline = Instant::now() + end;
            loop {
                let left = deadline.saturating_duration_since(Instant::now());
                match failures.recv_timeout(left.min(POLL)) {
                    Ok(failure) => {
                        reported.extend(Some(failure).filter(|one| first(&mut failed, one)))
                    }
                    Err(RecvTimeoutError::Disconnected) => return reported,
                    Err(RecvTimeoutError::Timeout) if left.is_zero() => break,
                    Err(RecvTimeoutError::Timeout) if urgency.is_some() && !goes_on() => break,
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
            if let Some(urgency) = urgency {
                stop.raise(urgency);
            }
        }
        reported
    }
}

fn first(failed: &mut Vec<ChannelName>, failure: &ChannelFailure) -> bool {
    let is_first = !failed.contains(&failure.channel);
    failed.push(failure.channel);
    is_first
}

fn start_thread(
    channel: Channel,
    sending: &SendContext,
    failures: &Sender<ChannelFailure>,
) -> (ChannelName, SyncSender<Notice>) {
    let (queue, notices) = sync_channel::<Notice>(QUEUE);
    let (name, sending, failures) =
        (ChannelName::from(&channel), sending.clone(), failures.clone());
    std::thread::spawn(move || {
        for notice in notices {
            if let Err(why) = channel.send(&notice, &sending) {
                // The receiver is gone if the run ended without `close`.
                let _ = failures.send(ChannelFailure { channel: name, why });
            }
        }
    });
    (name, queue)
}
