//! The kinds of isolation.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The isolation of a session or a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// A Docker Sandboxes virtual machine.
    Docker,
    /// A Podman or Docker Engine container around the process tree.
    Container,
    /// The sandbox of the operating system around the process tree. Older logs have `native`, Claude Code's own
    /// sandbox for its commands.
    #[serde(alias = "native")]
    Os,
    /// command-guard alone: it checks each command before it runs, but stops nothing that it cannot parse.
    Guard,
    /// None: the agent has no hooks that could run command-guard.
    #[serde(rename = "none")]
    Open,
}

impl Isolation {
    /// The name in settings, flags and events.
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
