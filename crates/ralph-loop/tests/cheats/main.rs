//! Attacks on the promise that done means done: a hostile agent, a wrong implementation, a real check
//! and an honest reviewer. No run may end as complete, and no change may go unreported.
//!
//! One file for each class of attack. `attack_target` is the project that all of them attack.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a panic fails the test")]

mod attack_target;
#[expect(dead_code, reason = "shared with the tests of the story loop")]
#[path = "../story_loop/harness.rs"]
mod harness;
#[expect(dead_code, reason = "shared with the tests of the story loop")]
#[path = "../story_loop/outcome.rs"]
mod outcome;
#[expect(dead_code, reason = "shared with the tests of the story loop")]
#[path = "../story_loop/stories.rs"]
mod stories;

mod checks;
mod commit_messages;
mod control;
mod control_file_fuzz;
mod control_files;
mod event_log;
mod final_review;
mod honest_work;
mod judge_settings;
mod lanes;
mod notices;
mod objects;
mod other_files;
mod outside_settings;
mod own_repositories;
mod panel;
mod pipes;
mod processes;
mod proofs;
mod pushes;
mod questions;
mod unjudged;
#[cfg(target_os = "linux")]
mod unjudged_end;
mod verdict;
