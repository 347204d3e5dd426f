//! Test frameworks: each one is data (`data/`). The rest builds commands, reads results, makes
//! canaries and detects frameworks from that data.

mod canary;
mod commands;
mod configuration;
mod data;
mod detect;
mod failure_kind;
mod framework;
mod reports;
mod results;
mod spec;
mod template;
mod test_ref;

pub use canary::{Canary, canary};
pub use commands::{RunnerOptions, TestCommand, commands};
pub use configuration::configuration_changed;
pub use data::configuration;
pub use framework::Framework;
pub use results::{Failure, FailureKind, TestOutput, TestResult, results};
pub use spec::ConfigurationFile;
pub use test_ref::{ProofError, TestRef};
