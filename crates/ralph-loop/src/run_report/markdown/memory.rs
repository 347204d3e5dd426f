//! The sections about handoffs, compactions, plan changes and rollbacks.

use events::{Handoffs, PlanOutcome};

use super::super::safe_markdown::{code, text};
use super::super::{Compactions, Rollback, RunReport};
use super::{list, sublist};
use crate::report::format::{listed, short_id};
use crate::report::{count, money};

/// More plan changes are only counted: an agent may request any number.
const MOST_CHANGES: usize = 50;

pub(super) fn memory(report: &RunReport) -> String {
    let lines = [handoffs(&report.handoffs), compactions(&report.compactions)];
    list(lines.into_iter().flatten())
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
    let figures = [Some(done), failed, cost].into_iter().flatten().collect::<Vec<_>>();
    let reasons = sublist(compactions.failures.iter().map(|why| text(why)));
    Some(figures.join(", ") + &reasons)
}

pub(super) fn plan_changes(report: &RunReport) -> String {
    let changes = &report.plan_changes;
    let shown = changes.iter().take(MOST_CHANGES).map(|change| {
        let mark = match change.outcome {
            PlanOutcome::Applied => "",
            PlanOutcome::Refused => "**not applied**, ",
        };
        format!("iteration {}: {mark}{}", change.iteration, text(&change.text))
    });
    let more = changes.len().saturating_sub(MOST_CHANGES);
    list(shown.chain((more > 0).then(|| format!("and {more} more"))))
}

pub(super) fn rollbacks(report: &RunReport) -> String {
    list(report.rollbacks.iter().map(|Rollback { rolled_back, command }| {
        let left = match command {
            Some(command) => format!("its changes: {}", code(command)),
            None => "it had no changes".to_owned(),
        };
        let (story, to) = (&rolled_back.story, code(&short_id(&rolled_back.to)));
        let not_restored = rolled_back.left.iter();
        let not_restored =
            sublist(not_restored.map(|left| format!("not restored: {}", text(left))));
        let iteration = rolled_back.iteration;
        format!("iteration {iteration} ({story}): restored {to}; {left}{not_restored}")
    }))
}
