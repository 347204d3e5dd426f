//! Runs that work in clones of the project: the user's work tree stays as it is.
//!
//! Each story is worked on in a clone, by a coordinator as in the user's work tree. Approved work is merged into the
//! run's branch (`integration`) after the checks passed on the merged files, in a clone where no agent works
//! (`verification`).

pub(crate) mod feedback;
pub(crate) mod integration;
pub(crate) mod merged_lists;
pub(crate) mod separate_run;
pub(crate) mod start;
pub(crate) mod verification;

pub use start::run;
