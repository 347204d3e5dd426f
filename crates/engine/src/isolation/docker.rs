//! A Docker sandbox for Claude Code: created once per project, set up, and kept.
//!
//! Here: which calls are made and when. The calls themselves are in `isolation::docker`.

mod caller;
mod fingerprint;
mod hooks;
mod mounts;
mod options;
mod prepare;
mod records;
mod sandbox;
mod sessions;
mod state_folder;
mod survey;

pub use hooks::SandboxHooks;
pub use options::{DockerNetwork, DockerOptions, Programs};
pub use sandbox::{DockerSandbox, SandboxContext};
pub use survey::survey;
