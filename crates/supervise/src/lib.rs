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
mod event_loop;
pub mod keeper;
mod launch;
pub mod orphans;
mod output;
mod own_process;
#[cfg(target_os = "linux")]
mod process;
mod program_call;
mod run;
mod stop;
mod timetable;

pub use child_event::{ChildEvent, OutputLine, Reaction, Source};
pub use ended::{EndReason, Ended, Exit, Leftover, Leftovers, SuperviseError};
pub use event_loop::TICK;
pub use keeper::Keeper;
pub use launch::{
    Launch, Limits, Orphans, PoliteSignal, Recipient, Shell, SoftLimit, SoftLimits, Stdout,
};
pub use own_process::{close_inherited_files_on_exec, refuse_tracing};
pub use program_call::{ProgramCall, ProgramError, ProgramOutput, ProgramRunner};
pub use run::run;
pub use stop::{Stop, StopRequests, WaitResult};
