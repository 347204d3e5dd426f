//! One child and its whole tree, under time limits, as a stream of lines.
//!
//! Not here: what an agent is, what its lines mean.
//!
//! How much of the tree is reached:
//!
//! | system | while the runner lives | when the runner is killed |
//! |---|---|---|
//! | Linux | every descendant, daemons and processes in sessions of their own included | the same |
//! | macOS and other Unix | the child and its process group | the same, within a fraction of a second |
//! | Windows | the child alone, without a polite signal | nothing |
//!
//! On Unix a [`keeper`] process stands between the runner and the child: it outlives a runner that
//! is killed, and on Linux it inherits every orphan of the tree. Should the keeper itself be killed, the
//! runner inherits them and ends them ([`Orphans::End`]). Should both be killed, [`orphans`] finds what is
//! left by its environment.

#[cfg(unix)]
mod adoption;
#[cfg(target_os = "linux")]
mod descendants;
mod ended;
mod error;
mod event;
mod inherited_files;
pub mod keeper;
#[cfg_attr(unix, path = "kept_unix.rs")]
#[cfg_attr(not(unix), path = "kept_plain.rs")]
mod kept;
mod launch;
mod limits;
mod line;
pub mod orphans;
mod output;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod process_table;
mod run;
mod sign;
mod soft_limits;
mod stop;
mod timetable;
mod tracing;
mod watch;

pub use ended::{Ended, Exit, How, Leftover, Leftovers};
pub use error::SuperviseError;
pub use inherited_files::keep_inherited_files;
pub use keeper::Keeper;
pub use launch::{Launch, Orphans, PoliteSignal, Recipient, Stdout};
pub use limits::Limits;
pub use line::{Line, Source};
pub use run::run;
pub use sign::{Seen, Sign};
pub use soft_limits::{SoftLimit, SoftLimits};
pub use stop::{Stop, StopRequests, Waited};
pub use tracing::refuse_tracing;
pub use watch::TICK;
