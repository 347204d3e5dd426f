//! Walls around agents, put up on this machine: looking for programs, trying them, and driving the one
//! that has to be driven. Which of them it is to be, and how they are called: the crate `walls`.

pub mod docker;
pub(crate) mod git_in_sandbox;
pub(crate) mod native;
pub(crate) mod session_path;
pub(crate) mod stand_ins;

pub use git_in_sandbox::{GitInSandbox, git_in_sandbox};
pub use native::survey_native;
