//! Stop requests for a run: from a signal, an order or the time limit to the waiting thread.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use events::StopSignal;
use supervise::{Stop, StopRequests};

/// Shared between the signal thread and the run. The first interrupt or order lets the agent finish its
/// answer, a termination asks it to end; any second signal kills it.
#[derive(Debug, Clone)]
pub struct StopSwitch {
    requests: StopRequests,
    patience: Duration,
    first: Arc<Mutex<Option<StopSignal>>>,
}

impl StopSwitch {
    /// `patience` is how long the agent may continue its answer after the first interrupt.
    pub fn new(patience: Duration) -> Self {
        Self { requests: StopRequests::new(), patience, first: Arc::default() }
    }

    /// Returns what this signal requests, for a message.
    pub fn request(&self, signal: StopSignal) -> Stop {
        let next = match (self.requests.current(), signal) {
            (None, StopSignal::Interrupt | StopSignal::Order) => {
                Stop::AfterAnswer { grace: self.patience }
            }
            (None, StopSignal::Terminate | StopSignal::HangUp | StopSignal::TimeUsed) => {
                Stop::Politely
            }
            (Some(_), _) => Stop::Now,
        };
        self.first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(signal);
        self.requests.raise(next);
        next
    }

    pub fn requests(&self) -> &StopRequests {
        &self.requests
    }

    /// The first signal.
    pub fn requested(&self) -> Option<StopSignal> {
        *self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use events::RunEnd;

    use super::*;

    const GRACE: Duration = Duration::from_secs(30);

    #[test]
    fn interrupts_and_orders_grow_impatient() {
        for signal in [StopSignal::Interrupt, StopSignal::Order] {
            let switch = StopSwitch::new(GRACE);
            assert_eq!(switch.requested(), None);
            let stops = [(); 4].map(|()| switch.request(signal));
            let after = Stop::AfterAnswer { grace: GRACE };
            assert_eq!(stops, [after, Stop::Now, Stop::Now, Stop::Now]);
            assert_eq!(switch.requests().current(), Some(Stop::Now));
        }
    }

    #[test]
    fn a_termination_does_not_wait_for_the_answer_and_the_first_signal_names_the_end() {
        let switch = StopSwitch::new(GRACE);
        assert_eq!(switch.request(StopSignal::Terminate), Stop::Politely);
        assert_eq!(switch.request(StopSignal::Interrupt), Stop::Now);
        assert_eq!(switch.requested().map(StopSignal::end), Some(RunEnd::Terminated));
    }
}
