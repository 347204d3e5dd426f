//! The story loop as a user gets it: the real programs and real git, in a scratch project. Only the
//! agent is simulated, and it may cheat.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a panic fails the test")]

mod amendments;
mod attempts;
mod base_checks;
mod candidates;
mod cheating;
#[cfg(target_os = "linux")]
mod clock;
mod compaction;
#[cfg(target_os = "linux")]
mod container_sessions;
mod cycle;
#[cfg(unix)]
mod dashboard;
mod endings;
mod escalation;
mod estimate;
mod failures;
mod fallbacks;
mod final_review;
mod gates;
#[cfg(target_os = "linux")]
mod git_processes;
mod giving_up;
#[cfg(unix)]
mod guard_programs;
mod guardrail_settings;
mod handoffs;
mod harness;
mod history;
#[cfg(target_os = "linux")]
mod isolation;
mod json_output;
mod lanes;
mod life_cycle;
mod long_plan;
#[cfg(unix)]
mod notifications;
#[cfg(unix)]
mod obstacles;
mod only_story;
#[cfg(unix)]
mod orders;
#[cfg(target_os = "linux")]
mod os_sandbox_checks;
#[cfg(target_os = "linux")]
mod os_sandbox_lanes;
#[cfg(target_os = "linux")]
mod os_sandbox_sessions;
mod other_agents;
mod other_loops;
#[cfg(target_os = "linux")]
mod other_names;
mod outcome;
mod owners_files;
mod panel;
mod plan_to_the_end;
#[cfg(target_os = "linux")]
#[path = "../isolation/podman.rs"]
#[expect(dead_code, reason = "tests with real agents ask for more")]
mod podman;
mod previous_version;
mod proof_frameworks;
mod proofs;
#[cfg(unix)]
mod pull_feedback;
mod quality;
mod question_page;
mod questions;
mod range_review;
mod report;
#[cfg(unix)]
mod rerun;
mod retries;
mod retry_loop;
mod review_cheats;
mod reviewer;
mod roll_back;
mod scm;

mod give_up;
mod settings;
mod signed_out;
mod skills;
mod state_md;
mod stories;
mod stronger_help;
mod subfolders;
mod take_over;
mod task_list_cheats;
#[cfg(unix)]
mod telemetry;
#[cfg(unix)]
#[path = "../set_up/terminal.rs"]
mod terminal;
mod time_settings;
#[cfg(unix)]
mod tmux;
mod users_files;
mod validation;
mod verdicts;
mod weakened_tests;
