//! The story loop as a user gets it: the real programs and real git, in a scratch project. Only the
//! agent is simulated, and it may cheat.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on fails where it stands"
)]

mod cheating;
mod cycle;
mod endings;
mod gates;
mod guardrail_settings;
mod harness;
mod history;
mod life_cycle;
mod other_agents;
mod other_loops;
mod outcome;
mod owners_files;
mod retries;
mod review_cheats;
mod reviewer;
mod scm;
mod settings;
mod signed_out;
mod stories;
mod task_list_cheats;
