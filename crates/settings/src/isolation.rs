//! The isolation of the agent's sessions and of the checks.

use json_reader::{Json, Leaf};
use run_options::{CheckIsolation, IsolationRequest, NetworkKind, SessionNetwork, TimeSpan};

use crate::leaf::{NON_BLANK, PORT, TIME};
use crate::section::{section, settings};

settings! {
    /// The isolation of the agent's sessions and of the checks.
    pub struct IsolationSettings from keys {
        /// The isolation of sessions: the strongest available (`auto`); a sandbox, otherwise the run does not start
        /// (`required`); a specific one (`docker`, `container`, `os`); or only the command-guard hook (`guard`).
        pub kind: IsolationRequest = keys.optional("kind", Leaf::word()).unwrap_or_default(),
        /// The sandbox of checks and guardrails: a container if the sessions use one, else that of the operating system
        /// if available (`auto`); or none (`none`).
        pub checks: CheckIsolation = keys.optional("checks", Leaf::word()).unwrap_or_default(),
        pub network: NetworkAccess = section(keys, "network"),
        pub container: Container = section(keys, "container"),
        /// Allowed hosts in addition to the package registries, such as `api.example.com`, `*.example.com` or
        /// `example.com:8443`.
        pub allowed_hosts: Vec<String> = keys.items("allowedHosts", NON_BLANK).unwrap_or_default(),
        /// Allowed ports of this machine if the network is restricted, for example of a database.
        #[cfg_attr(test, schemars(inner(range(min = 1))))]
        pub host_ports: Vec<u16> = keys.items("hostPorts", PORT).unwrap_or_default(),
        /// Files and folders outside the project that checks may read: relative to the project, or to your home with
        /// `~/`.
        pub readable_paths: Vec<String> =
            keys.items("readablePaths", NON_BLANK).unwrap_or_default(),
        /// Files and folders outside the project that may be written, in the same form.
        pub writable_paths: Vec<String> =
            keys.items("writablePaths", NON_BLANK).unwrap_or_default(),
        /// Environment variables for checks in addition to those of build tools; a trailing `*` matches any rest.
        pub environment: Vec<String> = keys.items("environment", NON_BLANK).unwrap_or_default(),
        /// `docker`: the folder that stores the sandbox's sign-in. Never your own `~/.claude`.
        pub state_dir: String = keys.or("stateDir", NON_BLANK, "~/.dclaude_state".into()),
        /// `docker`: a folder with Ralph's hooks for Linux, needed on other systems because a sandbox runs Linux.
        pub linux_hooks_dir: Option<String> = keys.optional("linuxHooksDir", NON_BLANK),
        /// `docker`: how long to wait after a session for its files to arrive on the host. Default: no wait with `sbx`,
        /// 3 seconds with `docker sandbox`.
        pub settle: Option<TimeSpan> = keys.optional("settle", TIME),
    }
}

settings! {
    /// The network access of the sandbox.
    pub struct NetworkAccess from keys {
        /// For sessions: as for checks; `auto` is `allowlist` for agents that support a proxy, with the hosts of their
        /// model and of the git remotes, and `open` for others.
        pub sessions: SessionNetwork = keys.optional("sessions", Leaf::word()).unwrap_or_default(),
        /// For checks: everything (`open`); package registries and `allowedHosts` through a proxy, and `hostPorts`
        /// (`allowlist`); or only an isolated loopback interface (`none`).
        pub checks: NetworkKind = keys.optional("checks", Leaf::word()).unwrap_or_default(),
    }
}

settings! {
    /// Containers of Podman or Docker Engine, one for each session and each check.
    pub struct Container from keys {
        /// The image with the agent, git and the tools of the checks. If set, containers are used where they are
        /// available.
        pub image: Option<String> = keys.optional("image", NON_BLANK),
        /// `podman`, `docker` or the path of one of them. Default: the first one found.
        pub engine: Option<String> = keys.optional("engine", NON_BLANK),
        /// Additional options of `run`, such as `--memory=4g`.
        pub options: Vec<String> = keys.items("options", NON_BLANK).unwrap_or_default(),
    }
}

/// Settings from when `isolation` was called `sandbox` are still read, and `native` as `os`.
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
