//! A user's project on disk: its files, the marker of a running loop, the run lock, orders to
//! a run, small state per session, atomic file replacement.
//!
//! Not here: git, starting processes, the terminal.

mod atomic;
mod command_rules;
pub mod env;
mod layout;
mod lock;
mod marker;
mod marker_wire;
mod membership;
pub mod orders;
mod own_marker;
mod process;
mod protected;
mod session_state;
mod unix_time;

pub use atomic::{remove_any, replace_unsynced, replace_whole, write_whole};
pub use command_rules::{COMMAND_GUARD, CommandRules, GuardScope};
pub use env::LoopEnvironment;
pub use layout::{AGENTS_FILES, Layout, ReviewScope, TEMPORARY_PREFIX, USERS_FILES};
pub use lock::{LockError, RunLock};
pub use marker::{ControlFiles, Marker, MarkerError, MarkerMode, StoredMarker, VerdictIn};
pub use marker_wire::MarkerBrief;
pub use membership::{Membership, Tampering, membership, membership_of};
pub use own_marker::OwnMarker;
pub use process::is_alive;
pub use protected::{ProtectedChange, ProtectedFiles, check_protected, record_protected};
pub use session_state::{Claim, SessionState, SessionStore};

/// The largest task list that is read: far more than people and models write, and small enough to check
/// within the time of a hook.
pub const LARGEST_TASK_LIST: u64 = 8 * 1024 * 1024;
