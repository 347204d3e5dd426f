//! The loops over a prompt as a user gets them: the real program and real git, in a scratch project.
//! Only the agent is a script, which does what a test wrote down for each of its calls.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a panic fails the test")]

#[cfg(target_os = "linux")]
mod awake;
mod completion;
mod draft;
mod exit_codes;
mod formats;
mod guardrails;
mod harness;
mod orders;
mod outcome;
mod output;
mod owners_files;
mod plan_and_build;
mod refusals;
mod retries;
mod running;
mod scm;
mod settings;
#[cfg(target_os = "linux")]
mod signals;
mod time_limits;
mod variables;
