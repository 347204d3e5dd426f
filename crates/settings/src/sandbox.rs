//! The wall around the agent's sessions.

use serde::Serialize;

use crate::leaf::WORDING;
use crate::object_reader::{FromKeys, ObjectReader};
use crate::time_span::TimeSpan;
use crate::words::words;

/// The wall around the agent's sessions, and what may pass it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Sandbox {
    /// Which wall: the strongest that this machine has (`auto`); docker or native, or the run does not
    /// begin (`required`); exactly this one (`docker`, `native`); or none but the guard that reads
    /// commands (`guard`).
    pub kind: SandboxKind,
    /// `native`: hosts that commands may connect to besides the package registries, such as
    /// `api.example.com` or `*.example.com`.
    #[cfg_attr(test, schemars(inner(regex(pattern = r"\S"))))]
    pub allowed_domains: Vec<String>,
    /// Files and folders outside the project that may be written: from the project's root, or with
    /// `~/` from your home.
    #[cfg_attr(test, schemars(inner(regex(pattern = r"\S"))))]
    pub writable_paths: Vec<String>,
    /// `docker`: the folder that keeps the sign-in of the sandbox. Never your own `~/.claude`.
    #[cfg_attr(test, schemars(regex(pattern = r"\S")))]
    pub state_dir: String,
    /// `docker`: a folder with the hooks of Ralph built for Linux, for a machine that is none: a sandbox
    /// is a Linux.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(regex(pattern = r"\S")))]
    pub linux_hooks_dir: Option<String>,
    /// `docker`: how long to wait after a session for its files to arrive on the host. Without it, as
    /// long as the sandbox is known to take: nothing with `sbx`, 3 seconds with `docker sandbox`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settle: Option<TimeSpan>,
}

words! {
    /// Which wall.
    pub enum SandboxKind {
        Auto = "auto",
        Required = "required",
        Docker = "docker",
        Native = "native",
        Guard = "guard",
    }
    expected "\"auto\", \"required\", \"docker\", \"native\" or \"guard\""
}

impl Default for Sandbox {
    fn default() -> Self {
        Self {
            kind: SandboxKind::Auto,
            allowed_domains: Vec::new(),
            writable_paths: Vec::new(),
            state_dir: "~/.dclaude_state".into(),
            linux_hooks_dir: None,
            settle: None,
        }
    }
}

impl FromKeys for Sandbox {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        let default = Self::default();
        Some(Self {
            kind: keys.leaf("kind", SandboxKind::LEAF).unwrap_or(default.kind),
            allowed_domains: keys.leaves("allowedDomains", WORDING).unwrap_or_default(),
            writable_paths: keys.leaves("writablePaths", WORDING).unwrap_or_default(),
            state_dir: keys.leaf("stateDir", WORDING).unwrap_or(default.state_dir),
            linux_hooks_dir: keys.leaf("linuxHooksDir", WORDING),
            settle: keys.leaf("settle", TimeSpan::LEAF),
        })
    }
}
