//! The sentence that says why a run ended, for the ends that all kinds of loops share.

use events::RunEnd;

use crate::options::RunPolicy;

pub(crate) fn of(end: RunEnd, policy: &RunPolicy, spent_usd: f64, trouble: &str) -> String {
    match end {
        RunEnd::IterationsUsed => {
            let used = match policy.max_iterations {
                1 => "1 iteration".to_owned(),
                most => format!("{most} iterations"),
            };
            format!("reached the limit of {used}; continue with --resume and a higher limit")
        }
        RunEnd::TimeUsed => "the run reached its time limit; continue with --resume and more \
                              time (--run-timeout, --timeout-multiplier)"
            .into(),
        RunEnd::CostCeiling => match policy.max_cost_usd {
            Some(most) => format!("reached the cost limit of ${most:.2} (${spent_usd:.2} spent)"),
            None => format!("the agent reached its own budget (${spent_usd:.2} spent)"),
        },
        RunEnd::QuotaCeiling => "reached the usage limit or --max-quota".into(),
        RunEnd::AgentFailed if trouble.trim().is_empty() => "the agent printed nothing".into(),
        RunEnd::AgentFailed => trouble.to_owned(),
        RunEnd::Stopped | RunEnd::Interrupted | RunEnd::Terminated | RunEnd::HungUp => {
            "stopped; run the same command again to resume".into()
        }
        RunEnd::Complete
        | RunEnd::Blocked
        | RunEnd::StoriesFailed
        | RunEnd::QuestionsOpen
        | RunEnd::ReviewerFailed
        | RunEnd::PlanMissing
        | RunEnd::BaseFails
        | RunEnd::ProcessesLeft
        | RunEnd::GitFailed
        | RunEnd::DiskFailed => end.to_string(),
    }
}
