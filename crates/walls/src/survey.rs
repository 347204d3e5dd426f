//! What a machine offers to one agent.

use crate::WallKind;

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

/// What stands in the way of a wall, and the way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    pub why: String,
    pub fix: Option<String>,
}

impl Survey {
    pub fn of(&self, kind: WallKind) -> Option<&Availability> {
        match kind {
            WallKind::Docker => Some(&self.docker),
            WallKind::Container => Some(&self.container),
            WallKind::Guard => Some(&self.guard),
            WallKind::Os => Some(&self.os),
            WallKind::Open => None,
        }
    }
}
