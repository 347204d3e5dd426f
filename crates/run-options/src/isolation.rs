//! The isolation that users ask for, and the network inside it.

use crate::word::words;

words! {
    /// The isolation of sessions: the strongest available, any sandbox, or a specific one.
    #[derive(Default)]
    pub enum IsolationRequest {
        #[default]
        Auto = "auto",
        Required = "required",
        Docker = "docker",
        Container = "container",
        Os = "os",
        Guard = "guard",
    }
}

words! {
    /// The sandbox of checks.
    #[derive(Default)]
    pub enum CheckIsolation {
        #[default]
        Auto = "auto",
        None = "none",
    }
}

words! {
    /// The network access of sessions.
    #[derive(Default)]
    pub enum SessionNetwork {
        #[default]
        Auto = "auto",
        Open = "open",
        Allowlist = "allowlist",
        None = "none",
    }
}

words! {
    /// What a sandbox lets through to the network.
    #[derive(Default)]
    pub enum NetworkKind {
        #[default]
        Open = "open",
        Allowlist = "allowlist",
        None = "none",
    }
}
