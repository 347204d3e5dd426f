//! Why a run ended, in a sentence, where every kind of loop ends alike.

use crate::RunEnd;
use crate::options::Policy;

pub(crate) fn of(end: RunEnd, policy: &Policy, spent_usd: f64, trouble: &str) -> String {
    match end {
        RunEnd::IterationsUsed => {
            let used = match policy.max_iterations {
                1 => "the one iteration is".to_owned(),
                most => format!("all {most} iterations are"),
            };
            format!("{used} used up; go on with --resume and a larger number of them")
        }
        RunEnd::TimeUsed => {
            "the run has worked for as long as it may; go on with --resume and more \
                              time (--run-timeout, --timeout-multiplier)"
                .into()
        }
        RunEnd::CostCeiling => match policy.max_cost_usd {
            Some(most) => format!("the ceiling of ${most:.2} is reached (${spent_usd:.2} spent)"),
            None => format!("the agent's own budget is used up (${spent_usd:.2} spent)"),
        },
        RunEnd::QuotaCeiling => "the usage limit, or the ceiling set for it, is reached".into(),
        RunEnd::AgentFailed if trouble.trim().is_empty() => "it answered nothing".into(),
        RunEnd::AgentFailed => trouble.to_owned(),
        RunEnd::Stopped | RunEnd::Interrupted | RunEnd::Terminated | RunEnd::HungUp => {
            "stopped; the same command goes on from here".into()
        }
        RunEnd::Complete
        | RunEnd::Blocked
        | RunEnd::StoriesFailed
        | RunEnd::ReviewerFailed
        | RunEnd::PlanMissing
        | RunEnd::ProcessesLeft
        | RunEnd::GitFailed
        | RunEnd::DiskFailed => end.to_string(),
    }
}
