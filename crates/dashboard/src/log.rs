//! The log panel: decisions about the work, orders and warnings.

use crate::text::shown;
use chrono::{DateTime, FixedOffset, Utc};
use events::describe::{describe, one_line};
use events::{
    CheckOutcome, ChecksOutcome, HookAnswerKind, LoopEvent, Role, RunView, Stamped, StopSignal,
};

const MOST: usize = 10_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogEntry {
    pub(crate) at: DateTime<Utc>,
    /// The iteration that ran in the lane of the event.
    pub(crate) iteration: Option<u64>,
    pub(crate) role: Role,
    pub(crate) text: String,
}

/// `view` is the state before the event.
pub(crate) fn apply(
    entries: &mut Vec<LogEntry>,
    stamped: &Stamped,
    view: &RunView,
    offset: FixedOffset,
) {
    if !is_logged(&stamped.event) {
        return;
    }
    let iteration = view.iteration_in(stamped.lane).map(|iteration| iteration.number);
    let described = one_line(&describe(stamped, view, offset));
    entries.extend(described.map(|(role, text)| LogEntry {
        at: stamped.at,
        iteration,
        role,
        text: shown(&text),
    }));
    let excess = entries.len().saturating_sub(MOST);
    entries.drain(..excess);
}

fn is_logged(event: &LoopEvent) -> bool {
    match event {
        LoopEvent::HookAnswered { answer, .. } => *answer == HookAnswerKind::Blocked,
        LoopEvent::CheckEnded(check) => check.outcome != CheckOutcome::Passed,
        LoopEvent::ChecksJudged { outcome, .. } => {
            matches!(outcome, ChecksOutcome::Passed | ChecksOutcome::PassedBefore)
        }
        // The order has its own entry.
        LoopEvent::StopRequested { signal, .. } => signal != StopSignal::Order.name(),
        LoopEvent::ChangesReverted { .. }
        | LoopEvent::StoryStatusChanged { .. }
        | LoopEvent::VerdictVoid { .. }
        | LoopEvent::AttemptFailed { .. }
        | LoopEvent::QuestionAsked { .. }
        | LoopEvent::QuestionAnswered { .. }
        | LoopEvent::Escalated { .. }
        | LoopEvent::EscalationEnded { .. }
        | LoopEvent::AgentReplaced(_)
        | LoopEvent::CandidateEnded { .. }
        | LoopEvent::CandidateChosen { .. }
        | LoopEvent::StoryAssigned { .. }
        | LoopEvent::StoryQueued { .. }
        | LoopEvent::StoryMerged { .. }
        | LoopEvent::StoryGivenUp { .. }
        | LoopEvent::RolledBack { .. }
        | LoopEvent::TestsWeakened { .. }
        | LoopEvent::HookMissing { .. }
        | LoopEvent::LogAltered { .. }
        | LoopEvent::OrderAccepted { .. }
        | LoopEvent::OrderRefused { .. }
        | LoopEvent::Warning { .. }
        | LoopEvent::Waiting { .. }
        | LoopEvent::PullRequest(_)
        | LoopEvent::RunEnded { .. } => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use chrono::Offset;
    use events::samples::{a_run, stamped};
    use project::orders::Order;

    use super::*;

    fn logged(events: &[Stamped]) -> Vec<LogEntry> {
        let (mut log, mut view) = (Vec::new(), RunView::default());
        for event in events {
            apply(&mut log, event, &view, Utc.fix());
            view.apply(event);
        }
        log
    }

    #[test]
    fn each_order_has_one_entry() {
        let taken = |order| stamped(3, LoopEvent::OrderAccepted { order });
        let signal = StopSignal::Order.name().to_owned();
        let log = logged(&[
            taken(Order::Pause),
            stamped(4, LoopEvent::Paused),
            taken(Order::GoOn),
            stamped(5, LoopEvent::Resumed),
            taken(Order::Stop),
            stamped(6, LoopEvent::StopRequested { signal, text: String::new() }),
        ]);
        let texts: Vec<&str> = log.iter().map(|entry| entry.text.as_str()).collect();
        assert_eq!(texts, ["pausing after this iteration", "resuming", "stop requested"]);
    }

    #[test]
    fn decisions_orders_and_warnings_are_in_order_of_time_and_sanitized() {
        let mut events = a_run();
        let steer = Order::steer("use\ttabs\u{202e}").unwrap();
        events.insert(6, stamped(3, LoopEvent::OrderAccepted { order: steer }));
        let log = logged(&events);
        assert!(log.is_sorted_by_key(|entry| entry.at));
        let texts: Vec<&str> = log.iter().map(|entry| entry.text.as_str()).collect();
        assert!(texts.iter().all(|text| !text.contains(['\x1b', '\n'])), "{texts:#?}");
        let steer = "instruction for the next implementing session: use tabs\u{fffd}";
        assert_eq!(texts[..2], ["the plugin is not installed hooks come from settings", steer]);
        assert_eq!(texts.iter().filter(|text| text.starts_with("instruction")).count(), 1);
        assert!(texts.last().unwrap().starts_with("interrupted"), "{texts:#?}");
        for expected in [
            "stop-guard blocked: 1",
            "the agent broke a rule; its changes were reverted; story US-003",
            "check 2/2  cargo clippy  8s  exit code 101; error: unused",
            "US-002 awaits review -> changes requested, review 2; Round half to even.",
            "hook failure: the hook never answered",
        ] {
            assert!(texts.iter().any(|text| text.starts_with(expected)), "{expected}: {texts:#?}");
        }
    }
}
