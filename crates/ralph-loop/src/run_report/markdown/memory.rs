//! The sections about handoffs, compactions, plan changes and rollbacks.

use std::fmt::Write;

use events::{Handoffs, PlanOutcome};

use super::super::safe_markdown::{code, text};
use super::super::{Compactions, Rollback, RunReport};
use crate::report::format::{listed, short_id};
use crate::report::{count, money};

/// More plan changes are only counted: an agent may request any number.
const MOST_CHANGES: usize = 50;

pub(super) fn memory(report: &RunReport) -> Vec<String> {
    let lines = [handoffs(&report.memory.handoffs), compactions(&report.memory.compactions)];
    let mut lines: String = lines.into_iter().flatten().map(|line| format!("- {line}\n")).collect();
    for why in &report.memory.compactions.failures {
        let _ = writeln!(lines, "  - {}", text(why));
    }
    if lines.is_empty() { Vec::new() } else { vec![lines] }
}

fn handoffs(handoffs: &Handoffs) -> Option<String> {
    let kept = count(handoffs.kept, "handoff", "handoffs");
    let numbers: Vec<String> = handoffs.by_runner.iter().map(u64::to_string).collect();
    let by_runner = match numbers.len() {
        0 => String::new(),
        1 => format!("; the runner wrote that of iteration {}", numbers[0]),
        _ => format!("; the runner wrote those of iterations {}", listed(&numbers)),
    };
    (handoffs.kept > 0).then(|| format!("{kept}{by_runner}"))
}

fn compactions(compactions: &Compactions) -> Option<String> {
    let failed = compactions.failures.len();
    if compactions.done == 0 && failed == 0 {
        return None;
    }
    let done = count(compactions.done, "compaction", "compactions");
    let failed = (failed > 0).then(|| format!("{failed} failed"));
    let cost =
        (compactions.cost_usd > 0.0).then(|| format!("cost {}", money(compactions.cost_usd)));
    Some([Some(done), failed, cost].into_iter().flatten().collect::<Vec<_>>().join(", "))
}

pub(super) fn plan_changes(report: &RunReport) -> Vec<String> {
    let mut lines = String::new();
    for change in report.memory.plan_changes.iter().take(MOST_CHANGES) {
        let mark = match change.outcome {
            PlanOutcome::Applied => "",
            PlanOutcome::Refused => "**not applied**, ",
        };
        let _ = writeln!(lines, "- iteration {}: {mark}{}", change.iteration, text(&change.text));
    }
    let more = report.memory.plan_changes.len().saturating_sub(MOST_CHANGES);
    if more > 0 {
        let _ = writeln!(lines, "- and {more} more");
    }
    if lines.is_empty() { Vec::new() } else { vec![lines] }
}

pub(super) fn rollbacks(report: &RunReport) -> Vec<String> {
    let mut lines = String::new();
    for Rollback { rolled_back, command } in &report.memory.rollbacks {
        let left = match command {
            Some(command) => format!("its changes: {}", code(command)),
            None => "it had no changes".to_owned(),
        };
        let (story, to) = (&rolled_back.story, code(&short_id(&rolled_back.to)));
        let _ = writeln!(
            lines,
            "- iteration {} ({story}): restored {to}; {left}",
            rolled_back.iteration
        );
        for left in &rolled_back.left {
            let _ = writeln!(lines, "  - not restored: {}", text(left));
        }
    }
    if lines.is_empty() { Vec::new() } else { vec![lines] }
}
