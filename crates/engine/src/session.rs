//! Runs one agent session: command line, time limits, the stream of its events.

pub(crate) mod agent_settings;
pub(crate) mod allowance;
pub(crate) mod command;
pub(crate) mod docker_sandbox;
pub(crate) mod isolation_report;
pub(crate) mod job_session;
pub(crate) mod reader;
pub(crate) mod recording;
pub(crate) mod run_session;
pub(crate) mod watch;

pub(crate) use allowance::Allowance;
pub use command::{git_settings_off, kept_back};
pub(crate) use run_session::{Session, SessionRequest};
pub(crate) use watch::{Conclusion, ExpectedHooks};
