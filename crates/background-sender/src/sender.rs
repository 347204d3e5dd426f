//! One thread and one short queue for each destination.

use std::fmt;
use std::sync::mpsc::{
    Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel,
};
use std::time::{Duration, Instant};

use supervise::{Stop, StopRequests};

use crate::{SendContext, SendError};

/// The time limit for one item, and for the last ones after the run.
pub const PATIENCE: Duration = Duration::from_secs(30);

const POLL: Duration = Duration::from_millis(300);

/// The time that a stopped program has to end.
const ENDING: Duration = Duration::from_secs(5);

type SendItem<T> = dyn Fn(&T, &SendContext) -> Result<(), SendError> + Send;

/// Where items are sent.
pub struct Destination<T> {
    /// For [`SendFailure`].
    pub name: &'static str,
    /// Blocks until the item is sent or fails.
    pub send: Box<SendItem<T>>,
}

/// The first failure of a destination.
#[derive(Debug)]
pub struct SendFailure {
    pub destination: &'static str,
    pub why: SendError,
}

/// Does not block before [`BackgroundSender::close`].
#[derive(Debug)]
pub struct BackgroundSender<T> {
    /// The queue of the thread of each destination.
    queues: Vec<(&'static str, SyncSender<T>)>,
    failures: Receiver<SendFailure>,
    stop: StopRequests,
    /// Destinations whose failure was reported: each is reported once.
    failed: Vec<&'static str>,
}

impl<T: Clone + Send + 'static> BackgroundSender<T> {
    /// `queue` is the most items that wait for each destination.
    pub fn start(destinations: Vec<Destination<T>>, queue: usize, context: &SendContext) -> Self {
        let (sender, failures) = channel();
        let start = |destination| start_thread(destination, queue, context, &sender);
        let queues = destinations.into_iter().map(start).collect();
        Self { queues, failures, stop: context.stop.clone(), failed: Vec::new() }
    }

    /// Returns the destinations whose queue is full, if it is their first failure.
    pub fn send(&mut self, item: &T) -> Vec<SendFailure> {
        let mut full = Vec::new();
        for (destination, queue) in &self.queues {
            if let Err(TrySendError::Full(_)) = queue.try_send(item.clone()) {
                full.push(SendFailure { destination, why: SendError::TooMany });
            }
        }
        full.retain(|failure| first(&mut self.failed, failure));
        full
    }

    /// The destinations that failed since the last call, each only once.
    pub fn failures(&mut self) -> Vec<SendFailure> {
        let failed = &mut self.failed;
        self.failures.try_iter().filter(|failure| first(failed, failure)).collect()
    }

    /// Waits for items that are being sent, at most `patience`, and while `goes_on` returns true. It is
    /// called every 300 ms.
    pub fn close(self, patience: Duration, mut goes_on: impl FnMut() -> bool) -> Vec<SendFailure> {
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

fn first(failed: &mut Vec<&'static str>, failure: &SendFailure) -> bool {
    let is_first = !failed.contains(&failure.destination);
    failed.push(failure.destination);
    is_first
}

fn start_thread<T: Send + 'static>(
    Destination { name, send }: Destination<T>,
    queue: usize,
    context: &SendContext,
    failures: &Sender<SendFailure>,
) -> (&'static str, SyncSender<T>) {
    let (queue, items) = sync_channel::<T>(queue);
    let (context, failures) = (context.clone(), failures.clone());
    std::thread::spawn(move || {
        for item in items {
            if let Err(why) = send(&item, &context) {
                // The receiver is gone if the run ended without `close`.
                let _ = failures.send(SendFailure { destination: name, why });
            }
        }
    });
    (name, queue)
}

impl<T> fmt::Debug for Destination<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Destination").field("name", &self.name).finish_non_exhaustive()
    }
}
