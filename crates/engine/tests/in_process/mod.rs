//! Lanes without a run, and runs without processes: a test plays the agent and the checks in a scratch repository.

mod booking;
mod giving_up;
mod processes;
mod project;
mod recovery;
mod reviews;
mod settling;
mod whole_run;
