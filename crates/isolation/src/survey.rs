//! Which kinds of isolation a machine offers to one agent.

use crate::Isolation;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    pub docker: Availability,
    pub container: Availability,
    pub os: Availability,
    pub guard: Availability,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// Available, with the name of the program: `sbx 0.12`, `bubblewrap`.
    Ready {
        by: String,
    },
    /// Available, but only used if the user asks for it.
    OnRequest {
        by: String,
        why: Obstacle,
    },
    Missing(Obstacle),
}

/// Why a kind of isolation is not available, and the fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    pub why: String,
    pub fix: Option<String>,
}

impl Survey {
    pub fn of(&self, kind: Isolation) -> Option<&Availability> {
        match kind {
            Isolation::Docker => Some(&self.docker),
            Isolation::Container => Some(&self.container),
            Isolation::Guard => Some(&self.guard),
            Isolation::Os => Some(&self.os),
            Isolation::Open => None,
        }
    }
}
