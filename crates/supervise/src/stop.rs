//! Stop requests from signal handlers to the code that runs children or waits between them.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::child_event::Event;

/// The urgency. It is never lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// A running child may finish within `grace`, then as [`Stop::Politely`].
    AfterAnswer { grace: Duration },
    /// The polite signal, the grace of the limits, then the kill.
    Politely,
    /// The kill.
    Now,
}

/// Clones share the state.
#[derive(Debug, Clone, Default)]
pub struct StopRequests(Arc<Shared>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitResult {
    Elapsed,
    Stopped,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<StopState>,
    raised: Condvar,
}

#[derive(Debug, Default)]
struct StopState {
    stop: Option<Stop>,
    listeners: Vec<(u64, Sender<Event>)>,
    next_listener: u64,
}

impl StopRequests {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn raise(&self, stop: Stop) {
        let mut state = self.lock();
        if urgency(Some(stop)) <= urgency(state.stop) {
            return;
        }
        state.stop = Some(stop);
        for (_, listener) in &state.listeners {
            // A closed receiver has nothing left to stop.
            let _ = listener.send(Event::StopRaised);
        }
        self.0.raised.notify_all();
    }

    pub fn current(&self) -> Option<Stop> {
        self.lock().stop
    }

    /// Sleeps until a stop of any urgency is raised.
    pub fn wait(&self, duration: Duration) -> WaitResult {
        let (state, _) = self
            .0
            .raised
            .wait_timeout_while(self.lock(), duration, |state| state.stop.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        if state.stop.is_some() { WaitResult::Stopped } else { WaitResult::Elapsed }
    }

    /// Notifies `sender` of later raises until the result is dropped.
    pub(crate) fn listen(&self, sender: Sender<Event>) -> Listening<'_> {
        let mut state = self.lock();
        let id = state.next_listener;
        state.next_listener += 1;
        state.listeners.push((id, sender));
        Listening { requests: self, id }
    }

    fn lock(&self) -> MutexGuard<'_, StopState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
pub(crate) struct Listening<'a> {
    requests: &'a StopRequests,
    id: u64,
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        self.requests.lock().listeners.retain(|(id, _)| *id != self.id);
    }
}

fn urgency(stop: Option<Stop>) -> u8 {
    match stop {
        None => 0,
        Some(Stop::AfterAnswer { .. }) => 1,
        Some(Stop::Politely) => 2,
        Some(Stop::Now) => 3,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Instant;

    use super::*;

    const AFTER: Stop = Stop::AfterAnswer { grace: Duration::from_secs(7) };

    #[test]
    fn levels_only_go_up() {
        let requests = StopRequests::new();
        assert_eq!(requests.current(), None);
        requests.raise(AFTER);
        requests.raise(Stop::AfterAnswer { grace: Duration::ZERO });
        assert_eq!(requests.current(), Some(AFTER));
        requests.raise(Stop::Now);
        requests.raise(Stop::Politely);
        assert_eq!(requests.clone().current(), Some(Stop::Now));
    }

    #[test]
    fn a_wait_ends_with_a_stop() {
        let requests = StopRequests::new();
        assert_eq!(requests.wait(Duration::from_millis(1)), WaitResult::Elapsed);
        let other = requests.clone();
        let started = Instant::now();
        let raising = std::thread::spawn(move || other.raise(AFTER));
        assert_eq!(requests.wait(Duration::from_secs(60)), WaitResult::Stopped);
        raising.join().unwrap();
        assert_eq!(requests.wait(Duration::MAX), WaitResult::Stopped);
        assert!(started.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn listeners_are_notified_until_they_are_dropped() {
        let requests = StopRequests::new();
        let (sender, events) = channel();
        let listening = requests.listen(sender);
        requests.raise(AFTER);
        assert!(matches!(events.try_recv(), Ok(Event::StopRaised)));
        requests.raise(AFTER);
        assert!(events.try_recv().is_err(), "the level did not change");
        drop(listening);
        requests.raise(Stop::Now);
        assert!(events.try_recv().is_err());
        assert!(requests.lock().listeners.is_empty());
    }
}
