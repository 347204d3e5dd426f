//! Whether everything is here that a run needs, line by line, each with what mends it.
//!
//! A file a check: looking (facts from the disk or from a program) apart from judging (from facts to a
//! [`Check`]), so that what is said of what is tested without either. `examine` does both, `render` shows
//! it. Nothing is changed, and nothing of the user's is used but to be looked at.

mod agent_programs;
mod ask;
mod check;
mod check_sandbox;
mod claude_files;
mod disk;
mod examine;
mod git;
mod here;
mod hook_programs;
mod hooks_heard;
mod in_path;
mod isolation;
mod leftovers;
mod plugin;
mod project_files;
mod render;
mod self_test;
mod sign_in;
mod temporary;
mod version;
mod webhook;

use std::ffi::OsStr;

use serde::Serialize;

pub(crate) use examine::{CheckTrials, Examined, Extent, Wish, examine};
pub(crate) use render::render;

use check::{Check, State};
use isolation::AgentIsolation;
use self_test::Trial;

/// What `doctor --json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Checkup {
    v: u32,
    /// Nothing stands in the way of a run.
    ok: bool,
    version: &'static str,
    checks: Vec<Check>,
    /// Nothing if it was not tried.
    self_test: Option<Trial>,
    /// One for each agent that has a part in a run.
    isolation: Vec<AgentIsolation>,
}

impl Checkup {
    pub(crate) fn new(
        checks: Vec<Check>,
        self_test: Option<Trial>,
        isolation: Vec<AgentIsolation>,
    ) -> Self {
        let ok = checks.iter().all(|check| check.state != State::Problem)
            && isolation.iter().all(|agent| agent.problem.is_none());
        Self { v: 1, ok, version: env!("CARGO_PKG_VERSION"), checks, self_test, isolation }
    }

    /// Whether a run could begin.
    pub(crate) fn is_well(&self) -> bool {
        self.ok
    }
}

/// As a shell takes it.
fn quoted(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref().to_string_lossy();
    shlex::try_quote(&word).map_or_else(|_| word.to_string(), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;
    use check::Id;

    #[test]
    fn every_line_is_explained() {
        let page = include_str!("../../../docs/doctor.md");
        for id in Id::ALL {
            let name = serde_json::to_value(id).unwrap();
            let row = format!("| `{}` |", name.as_str().unwrap());
            assert!(page.contains(&row), "docs/doctor.md does not explain {row}");
        }
    }
}
