//! Runs a child process with its process tree under time limits, and delivers its output as lines.
//!
//! How much of the tree is ended:
//!
//! | system | while the runner lives | when the runner is killed |
//! |---|---|---|
//! | Linux | every descendant, daemons and processes in sessions of their own included | the same |
//! | macOS and other Unix | the child and its process group | the same, within a fraction of a second |
//! | Windows | the child alone, without a polite signal | nothing |
//!
//! On Unix a [`keeper`] process between runner and child survives a killed runner. On Linux it
//! inherits every orphan of the tree. If the keeper is killed, the runner inherits and ends them
//! ([`Orphans::End`]). If both are killed, [`orphans`] finds the rest by their environment.

#[cfg(unix)]
mod adoption;
mod child_event;
#[cfg_attr(unix, path = "child_handle_unix.rs")]
#[cfg_attr(not(unix), path = "child_handle_plain.rs")]
mod child_handle;
#[cfg(target_os = "linux")]
mod descendants;
mod ended;
mod error;
mod event;
mod event_loop;
mod inherited_files;
pub mod keeper;
mod launch;
mod limits;
pub mod orphans;
mod output;
mod output_line;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod process_table;
mod program_call;
mod run;
mod shell;
mod soft_limits;
mod stop;
mod timetable;
mod tracing;

pub use child_event::{ChildEvent, Reaction};
pub use ended::{EndReason, Ended, Exit, Leftover, Leftovers};
pub use error::SuperviseError;
pub use event_loop::TICK;
pub use inherited_files::close_inherited_files_on_exec;
pub use keeper::Keeper;
pub use launch::{Launch, Orphans, PoliteSignal, Recipient, Stdout};
pub use limits::Limits;
pub use output_line::{OutputLine, Source};
pub use program_call::{ProgramCall, ProgramError, ProgramOutput, ProgramRunner};
pub use run::run;
pub use shell::Shell;
pub use soft_limits::{SoftLimit, SoftLimits};
pub use stop::{Stop, StopRequests, WaitResult};
pub use tracing::refuse_tracing;
