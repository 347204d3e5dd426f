//! What confines the agent's sessions and the checks, and what may pass.

use serde::Serialize;

use crate::json::Json;
use crate::leaf::{Leaf, WORDING, whole};
use crate::object_reader::{FromKeys, ObjectReader};
use crate::time_span::TimeSpan;
use crate::words::words;

/// What confines the agent's sessions and the checks, and what may pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct IsolationSettings {
    /// What confines the sessions: the strongest that this machine has (`auto`); a sandbox, or the run does not
    /// begin (`required`); exactly this one (`docker`, `container`, `os`); or only the hook that reads commands
    /// (`guard`).
    pub kind: IsolationChoice,
    /// Whether checks and guardrails run in a sandbox: a container if the sessions do, else that of the operating
    /// system, where there is one (`auto`); or never (`none`).
    pub checks: CheckIsolation,
    pub network: NetworkAccess,
    pub container: Container,
    /// Hosts that may be connected to besides the package registries, such as `api.example.com`,
    /// `*.example.com` or `example.com:8443`.
    #[cfg_attr(test, schemars(inner(regex(pattern = r"\S"))))]
    pub allowed_hosts: Vec<String>,
    /// Ports of this machine that may be connected to although the network is not open: a database, for example.
    #[cfg_attr(test, schemars(inner(range(min = 1))))]
    pub host_ports: Vec<u16>,
    /// Files and folders outside the project that checks may read: from the project's root, or with `~/` from
    /// your home.
    #[cfg_attr(test, schemars(inner(regex(pattern = r"\S"))))]
    pub readable_paths: Vec<String>,
    /// Files and folders outside the project that may be written, named in the same way.
    #[cfg_attr(test, schemars(inner(regex(pattern = r"\S"))))]
    pub writable_paths: Vec<String>,
    /// Variables that checks get besides those that build tools read; a `*` at the end stands for any rest.
    #[cfg_attr(test, schemars(inner(regex(pattern = r"\S"))))]
    pub environment: Vec<String>,
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

/// What the sandbox lets through to the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NetworkAccess {
    /// For sessions: as for checks; `auto` is `allowlist` for agents that connect through a proxy, with the hosts
    /// of their model and of the git remotes, and `open` for others.
    pub sessions: SessionNetwork,
    /// For checks: everything (`open`); package registries and `allowedHosts` through a proxy, and `hostPorts`
    /// (`allowlist`); or nothing but a loopback of its own (`none`).
    pub checks: NetworkKind,
}

/// Containers of Podman or Docker Engine, one for each session and each check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Container {
    /// The image, which has the agent, git and what the checks need. With one, containers are used wherever they run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(regex(pattern = r"\S")))]
    pub image: Option<String>,
    /// `podman`, `docker` or the path of one of them. Without it, the first of the two that is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(regex(pattern = r"\S")))]
    pub engine: Option<String>,
    /// More options of `run`, such as `--memory=4g`.
    #[cfg_attr(test, schemars(inner(regex(pattern = r"\S"))))]
    pub options: Vec<String>,
}

words! {
    /// What confines the sessions.
    pub enum IsolationChoice {
        Auto = "auto",
        Required = "required",
        Docker = "docker",
        Container = "container",
        Os = "os",
        Guard = "guard",
    }
    expected "\"auto\", \"required\", \"docker\", \"container\", \"os\" or \"guard\""
}

words! {
    /// What sessions reach of the network.
    pub enum SessionNetwork {
        Auto = "auto",
        Open = "open",
        Allowlist = "allowlist",
        None = "none",
    }
    expected "\"auto\", \"open\", \"allowlist\" or \"none\""
}

words! {
    /// What confines the checks.
    pub enum CheckIsolation {
        Auto = "auto",
        None = "none",
    }
    expected "\"auto\" or \"none\""
}

words! {
    /// What is reached of the network.
    pub enum NetworkKind {
        Open = "open",
        Allowlist = "allowlist",
        None = "none",
    }
    expected "\"open\", \"allowlist\" or \"none\""
}

const PORT: Leaf<u16> = Leaf {
    expected: "a port from 1 to 65535",
    read: |json| whole(json).and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0),
};

impl Default for IsolationSettings {
    fn default() -> Self {
        Self {
            kind: IsolationChoice::Auto,
            checks: CheckIsolation::Auto,
            network: NetworkAccess::default(),
            container: Container::default(),
            allowed_hosts: Vec::new(),
            host_ports: Vec::new(),
            readable_paths: Vec::new(),
            writable_paths: Vec::new(),
            environment: Vec::new(),
            state_dir: "~/.dclaude_state".into(),
            linux_hooks_dir: None,
            settle: None,
        }
    }
}

impl Default for NetworkAccess {
    fn default() -> Self {
        Self { sessions: SessionNetwork::Auto, checks: NetworkKind::Open }
    }
}

impl FromKeys for IsolationSettings {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        let default = Self::default();
        Some(Self {
            kind: keys.leaf("kind", IsolationChoice::LEAF).unwrap_or(default.kind),
            checks: keys.leaf("checks", CheckIsolation::LEAF).unwrap_or(default.checks),
            network: keys.object("network").unwrap_or(default.network),
            container: keys.object("container").unwrap_or_default(),
            allowed_hosts: keys.leaves("allowedHosts", WORDING).unwrap_or_default(),
            host_ports: keys.leaves("hostPorts", PORT).unwrap_or_default(),
            readable_paths: keys.leaves("readablePaths", WORDING).unwrap_or_default(),
            writable_paths: keys.leaves("writablePaths", WORDING).unwrap_or_default(),
            environment: keys.leaves("environment", WORDING).unwrap_or_default(),
            state_dir: keys.leaf("stateDir", WORDING).unwrap_or(default.state_dir),
            linux_hooks_dir: keys.leaf("linuxHooksDir", WORDING),
            settle: keys.leaf("settle", TimeSpan::LEAF),
        })
    }
}

impl FromKeys for Container {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        Some(Self {
            image: keys.leaf("image", WORDING),
            engine: keys.leaf("engine", WORDING),
            options: keys.leaves("options", WORDING).unwrap_or_default(),
        })
    }
}

impl FromKeys for NetworkAccess {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        let default = Self::default();
        Some(Self {
            sessions: keys.leaf("sessions", SessionNetwork::LEAF).unwrap_or(default.sessions),
            checks: keys.leaf("checks", NetworkKind::LEAF).unwrap_or(default.checks),
        })
    }
}

/// Settings that were written when `isolation` was called `sandbox` are read as before, and `native` as `os`.
pub(crate) fn rename_former_keys(document: &mut Json) {
    let Json::Object(entries) = document else { return };
    let is_meant = |name: &str| name == "sandbox" || name == "isolation";
    for (name, section) in entries.iter_mut().filter(|(name, _)| is_meant(name)) {
        "isolation".clone_into(name);
        let Json::Object(keys) = section else { continue };
        for (key, value) in keys {
            match key.as_str() {
                "allowedDomains" => "allowedHosts".clone_into(key),
                "kind" if value.text() == Some("native") => *value = Json::Text("os".into()),
                _ => {}
            }
        }
    }
}
