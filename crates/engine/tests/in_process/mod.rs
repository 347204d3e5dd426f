//! Lanes without a run, and runs without processes: a test plays the agent and the checks in a scratch repository.

mod agent;
mod answers;
mod base_checks;
mod booking;
mod checks;
mod endings;
mod follow_ups;
mod giving_up;
mod jobs;
mod lane_orders;
mod lanes;
mod memory;
mod merged_edits;
mod preparing;
mod processes;
mod project;
mod prompting;
mod questions;
mod recovery;
mod restoring;
mod reviews;
mod rolling_back;
mod separate;
mod settling;
mod starting;
mod whole_run;
