//! Docker Sandboxes: a small virtual machine that sees the project and nothing else of the host.
//!
//! How its command line is called and what it answers. Not here: calling it (`engine::isolation`).

mod cli;
mod identity;
mod listing;
mod mount;
mod name;
mod record;
mod session;
mod setup;
mod state_folder;

pub use cli::{Cli, Dialect, FileSharing, Version};
pub use identity::GitIdentity;
pub use listing::{Listed, Status, UnreadableList, in_json, in_table};
pub use mount::{Access, Mount, MountRefused};
pub use name::SandboxName;
pub use record::Record;
pub use session::{SessionCall, SessionRefused};
pub use setup::Script;
pub use state_folder::{OffLimits, StateFolderRefused};
