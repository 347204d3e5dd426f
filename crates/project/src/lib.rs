//! A user's project on disk: where things are, the marker of a running loop, the run lock, orders to
//! a run, small state per session, files replaced whole.
//!
//! Not here: git, starting processes, the terminal.

mod atomic;
mod command_rules;
pub mod env;
mod layout;
mod lock;
mod marker;
mod marker_brief;
mod marker_wire;
pub mod orders;
mod own_marker;
mod process;
mod protected;
mod session_state;
mod standing;
mod unix_time;

pub use atomic::{replace_unsynced, replace_whole, write_whole};
pub use command_rules::{COMMAND_GUARD, CommandRules, GuardScope};
pub use env::LoopEnvironment;
pub use layout::{AGENTS_FILES, Layout, ReviewScope, USERS_FILES};
pub use lock::{LockError, RunLock};
pub use marker::{ControlFiles, Marker, MarkerError, MarkerMode, StoredMarker, VerdictIn};
pub use marker_brief::MarkerBrief;
pub use own_marker::OwnMarker;
pub use process::is_alive;
pub use protected::{ProtectedChange, ProtectedFiles, check_protected, record_protected};
pub use session_state::{Claim, SessionState, SessionStore};
pub use standing::{Standing, Tampering, standing, standing_of};

/// The largest task list that is read: far beyond what people and models keep in one file, and
/// still checked within the time of a hook.
pub const LARGEST_TASK_LIST: u64 = 8 * 1024 * 1024;
