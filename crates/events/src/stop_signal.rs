//! Why a run was asked to stop.

use crate::RunEnd;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopSignal {
    Interrupt,
    Terminate,
    /// The terminal was closed.
    HangUp,
    /// The time limit of the run was reached.
    TimeUsed,
    /// The user ordered it with `ralph-loop stop`.
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
            Self::TimeUsed => "time limit of the run",
            Self::Order => "stopped by the user",
        }
    }
}
