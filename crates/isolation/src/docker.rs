//! Docker Sandboxes: a small virtual machine that sees only the project.
//!
//! Builds its command lines and parses its output. `engine::isolation` runs them.

mod cli;
mod listing;
mod mount;
mod name;
mod record;
mod session;
mod setup;

pub use cli::{Cli, CliDialect, FileSharing, Version};
pub use listing::{ListedSandbox, SandboxStatus, UnreadableList, in_json, in_table};
pub use mount::{Mount, MountAccess, OffLimits};
pub use name::SandboxName;
pub use record::Record;
pub use session::{SessionCall, SessionRefused};
pub use setup::{GitIdentity, Script};
