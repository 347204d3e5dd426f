//! What a machine offers to one agent.

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
    /// Can be put up; by what, for people: `sbx 0.12`, `bubblewrap`.
    Ready {
        by: String,
    },
    /// Can be put up when it is asked for, and is not chosen by itself.
    OnRequest {
        by: String,
        why: Obstacle,
    },
    Missing(Obstacle),
}

/// What stands in the way of a isolation, and the way out.
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
