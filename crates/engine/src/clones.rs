//! Clones of the project in which stories are worked on: making them, and the commands that prepare them.

/// The names of clones for candidates begin with it.
pub(crate) const CANDIDATE: &str = "candidate-";

mod outside;
mod project_clone;
mod setup;

pub(crate) use outside::{options_outside, project_of};
pub(crate) use project_clone::{borrowed_folders, lock_files, make, make_private, open};
pub(crate) use setup::{SetupResult, set_up};
