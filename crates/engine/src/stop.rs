//! The wish to end a run, from a signal, an order or the run's own time limit to whoever is waiting.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use supervise::{Stop, StopRequests};

use crate::RunEnd;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopSignal {
    Interrupt,
    Terminate,
    /// The terminal is gone.
    HangUp,
    /// The run has worked for as long as it may.
    TimeUsed,
    /// The user said so from elsewhere.
    Order,
}

impl StopSignal {
    pub fn end(self) -> RunEnd {
        match self {
            Self::Interrupt => RunEnd::Interrupted,
            Self::Terminate => RunEnd::Terminated,
            Self::HangUp => RunEnd::HungUp,
            Self::TimeUsed => RunEnd::TimeUsed,
            Self::Order => RunEnd::Stopped,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
            Self::HangUp => "SIGHUP",
            Self::TimeUsed => "the time limit of the run",
            Self::Order => "stopped by its user",
        }
    }
}

/// Shared between the thread that hears signals and the run. The first interrupt or order lets the
/// agent finish its answer, a termination asks it to end; any second signal kills it.
#[derive(Debug, Clone)]
pub struct StopSwitch {
    requests: StopRequests,
    patience: Duration,
    heard: Arc<Mutex<Option<StopSignal>>>,
}

impl StopSwitch {
    /// `patience` is how long the agent may go on with its answer after the first interrupt.
    pub fn new(patience: Duration) -> Self {
        Self { requests: StopRequests::new(), patience, heard: Arc::default() }
    }

    /// Returns what this signal asks for, for somebody to say so.
    pub fn hear(&self, signal: StopSignal) -> Stop {
        let next = match (self.requests.current(), signal) {
            (None, StopSignal::Interrupt | StopSignal::Order) => {
                Stop::AfterAnswer { grace: self.patience }
            }
            (None, StopSignal::Terminate | StopSignal::HangUp | StopSignal::TimeUsed) => {
                Stop::Politely
            }
            (Some(_), _) => Stop::Now,
        };
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(signal);
        self.requests.raise(next);
        next
    }

    pub fn requests(&self) -> &StopRequests {
        &self.requests
    }

    /// The first signal that was heard.
    pub fn heard(&self) -> Option<StopSignal> {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    #[test]
    fn interrupts_and_orders_grow_impatient() {
        for signal in [StopSignal::Interrupt, StopSignal::Order] {
            let switch = StopSwitch::new(PATIENCE);
            assert_eq!(switch.heard(), None);
            let heard = [(); 4].map(|()| switch.hear(signal));
            let after = Stop::AfterAnswer { grace: PATIENCE };
            assert_eq!(heard, [after, Stop::Now, Stop::Now, Stop::Now]);
            assert_eq!(switch.requests().current(), Some(Stop::Now));
        }
    }

    #[test]
    fn a_termination_does_not_wait_for_the_answer_and_the_first_signal_names_the_end() {
        let switch = StopSwitch::new(PATIENCE);
        assert_eq!(switch.hear(StopSignal::Terminate), Stop::Politely);
        assert_eq!(switch.hear(StopSignal::Interrupt), Stop::Now);
        assert_eq!(switch.heard().map(StopSignal::end), Some(RunEnd::Terminated));
    }
}
