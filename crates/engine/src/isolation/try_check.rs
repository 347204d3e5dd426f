//! Runs a check once, inside or outside the sandbox, to show the difference.

use std::time::Duration;

use events::CheckOutcome;
use project::Layout;
use supervise::{ChildEvent, Keeper, Limits, Reaction, StopRequests};
use vcs::AllowedChanges;

use super::confined::ConfinedProgram;
use super::refusals::refusals;
use super::sandbox::Sandbox;
use crate::isolation::check_launch::{check_launch, check_limits, check_outcome};

/// Bytes of output.
const KEPT: usize = 64 * 1024;

const GRACE: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckTrial {
    pub outcome: CheckOutcome,
    /// The last non-empty line.
    pub last_line: String,
    /// What the sandbox refused, one sentence each.
    pub refused: Vec<String>,
}

#[derive(Debug)]
pub struct CheckTrialRunner<'t> {
    pub keeper: &'t Keeper,
    pub layout: &'t Layout,
    pub allowed: &'t AllowedChanges,
    pub stop: &'t StopRequests,
    /// The time limit of one check.
    pub limit: Duration,
}

impl CheckTrialRunner<'_> {
    /// Without a sandbox it runs with all permissions of the user.
    pub fn try_check(&self, command: &str, sandbox: Option<&Sandbox>) -> CheckTrial {
        let root = self.layout.root();
        let limits = Limits { total: Some(self.limit), ..check_limits(GRACE) };
        let mut launch = check_launch(self.keeper, root, command, limits, None);
        let confined =
            sandbox.map(|sandbox| sandbox.confine(&mut launch, self.layout, self.allowed));
        let confined = match confined.transpose() {
            Ok(confined) => confined,
            Err(error) => return CheckTrial::not_started(error.to_string()),
        };
        let mut output = String::new();
        let ended = supervise::run(launch, self.stop, &mut |sign| {
            if let ChildEvent::Line(line) = sign
                && output.len() < KEPT
            {
                output.push_str(&String::from_utf8_lossy(line.bytes));
                output.push('\n');
            }
            Reaction::Nothing
        });
        if let Some(Err(error)) = confined.as_ref().map(ConfinedProgram::end) {
            return CheckTrial::not_started(error.to_string());
        }
        let outcome = match ended {
            Err(error) => return CheckTrial::not_started(error.to_string()),
            Ok(ended) => check_outcome(&ended),
        };
        let has_failed = matches!(outcome, CheckOutcome::Failed(_));
        let refused = confined.iter().filter(|_| has_failed);
        let refused = refused.flat_map(|confined| refusals(confined, &output, root)).collect();
        let last_line = output.lines().rev().find(|line| !line.trim().is_empty());
        let last_line = sanitize::plain(last_line.unwrap_or_default());
        CheckTrial { outcome, last_line, refused }
    }
}

impl CheckTrial {
    fn not_started(why: String) -> Self {
        Self { outcome: CheckOutcome::NotStarted, last_line: why, refused: Vec::new() }
    }
}
