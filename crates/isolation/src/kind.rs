//! The rungs of the ladder.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What can confine a session or a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// A virtual machine of Docker Sandboxes.
    Docker,
    /// A container of Podman or Docker Engine around a whole process tree.
    Container,
    /// The sandbox of the operating system around a whole process tree. Logs of former versions have `native`, the
    /// sandbox that Claude Code puts around its commands.
    #[serde(alias = "native")]
    Os,
    /// command-guard reads every command before it runs, and nothing stops what it does not understand.
    Guard,
    /// Nothing: the agent has no hooks that a guard could be called by.
    #[serde(rename = "none")]
    Open,
}

impl Isolation {
    /// In settings, flags and events.
    pub fn name(self) -> &'static str {
        match self {
            Self::Docker => "docker",
            Self::Container => "container",
            Self::Os => "os",
            Self::Guard => "guard",
            Self::Open => "none",
        }
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
