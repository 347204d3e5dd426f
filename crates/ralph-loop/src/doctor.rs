//! `ralph-loop doctor`: checks that everything a run needs is in place, with a fix for each problem.
//!
//! One module per check. `look` collects facts; `judge` turns facts into a [`Check`], so that it is tested without disk
//! and programs. `examine` runs all checks, `render` prints them. Nothing is changed.

mod agent_programs;
mod check;
mod check_sandbox;
mod claude_files;
mod disk;
mod examine;
mod executor;
mod git;
mod hooks_enabled;
mod isolation;
mod lanes;
mod leftovers;
mod own_programs;
mod plugin;
mod project_checks;
mod proof;
mod render;
mod self_test;
mod sign_in;
mod version;

use std::ffi::OsStr;

use serde::Serialize;

pub(crate) use check::{Check, CheckState, Fix};
pub(crate) use disk::shown as size_text;
pub(crate) use examine::{DoctorOptions, agents_on_node, examine};
pub(crate) use leftovers::size_of;
pub(crate) use render::render;

use isolation::AgentIsolation;
use self_test::Trial;

/// What `doctor --json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Checkup {
    v: u32,
    /// A run can start.
    pub(crate) ok: bool,
    version: &'static str,
    checks: Vec<Check>,
    /// `None` if it was skipped.
    self_test: Option<Trial>,
    /// One per agent of a run.
    isolation: Vec<AgentIsolation>,
}

impl Checkup {
    pub(crate) fn new(
        checks: Vec<Check>,
        self_test: Option<Trial>,
        isolation: Vec<AgentIsolation>,
    ) -> Self {
        let ok = checks.iter().all(|check| check.state != CheckState::Problem)
            && isolation.iter().all(|agent| agent.problem.is_none());
        Self { v: 1, ok, version: env!("CARGO_PKG_VERSION"), checks, self_test, isolation }
    }
}

/// Quoted for a shell.
fn quoted(word: impl AsRef<OsStr>) -> String {
    crate::run_report::quoted(&word.as_ref().to_string_lossy())
}

#[cfg(test)]
mod tests {
    use check::{CheckId, Fix};
    use clap::ValueEnum;

    use super::*;

    impl Fix {
        pub(crate) fn text(&self) -> &str {
            let (Self::Run(text) | Self::Do(text)) = self;
            text
        }
    }

    #[test]
    fn every_line_is_explained() {
        let page = include_str!("../../../docs/doctor.md");
        for id in CheckId::value_variants() {
            let name = serde_json::to_value(id).unwrap();
            let row = format!("| `{}` |", name.as_str().unwrap());
            assert!(page.contains(&row), "docs/doctor.md does not explain {row}");
        }
    }
}
