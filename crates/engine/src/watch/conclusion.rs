//! How a session ended: what its last result says, and what its process says where there is none.

use agents::{AgentResult, Ending, has_completion_tag};
use chrono::{DateTime, Utc};
use supervise::{Ended, Exit, How};

use super::{Turn, Watch, time};
use crate::AgentOutcome;
use crate::prompt::COMPLETION_TAG;

/// How a session ended, and what it cost.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Conclusion {
    pub(crate) outcome: AgentOutcome,
    pub(crate) detail: String,
    pub(crate) result: Option<AgentResult>,
    pub(crate) resets_at: Option<DateTime<Utc>>,
    pub(crate) quota: Option<f64>,
    pub(crate) claims_completion: bool,
    /// Why the guard did not do its work, if it had the chance and did not.
    pub(crate) guard_missing: Option<String>,
}

impl Watch {
    pub(crate) fn conclude(self, ended: &Ended) -> Conclusion {
        let (outcome, detail) = self.outcome(ended);
        let had_its_chance = matches!(outcome, AgentOutcome::Answered | AgentOutcome::EmptyAnswer);
        let text = self.result.as_ref().map(|result| result.text.as_str()).unwrap_or_default();
        Conclusion {
            claims_completion: had_its_chance && has_completion_tag(text, COMPLETION_TAG),
            guard_missing: self.guard.missing().filter(|_| had_its_chance),
            resets_at: self.resets_at(),
            quota: self.quota,
            outcome,
            detail,
            result: self.result,
        }
    }

    fn outcome(&self, ended: &Ended) -> (AgentOutcome, String) {
        if let (Some(result), Turn::Answered) = (&self.result, self.turn) {
            match of_result(result) {
                // What it says after somebody told it to end is not its own doing.
                Some((AgentOutcome::ApiError | AgentOutcome::Crashed, _))
                    if ended.how != How::ByItself && ended.how != How::Lingered => {}
                Some(outcome) => return outcome,
                None => {}
            }
        }
        match ended.how {
            How::WallLimit => (AgentOutcome::TimedOut, "its time was up".into()),
            How::IdleLimit => (AgentOutcome::TimedOut, "it printed nothing for too long".into()),
            How::Stopped => (AgentOutcome::Stopped, String::new()),
            How::ByItself | How::Lingered => (AgentOutcome::Crashed, self.crash(ended.exit)),
        }
    }

    fn crash(&self, exit: Option<Exit>) -> String {
        let how = match exit {
            Some(Exit::Code(code)) => format!("it ended with exit code {code} and no result"),
            Some(Exit::Signal(signal)) => format!("signal {signal} ended it"),
            None => "it ended, nobody knows how".to_owned(),
        };
        let complaints: Vec<&str> = self.complaints.iter().map(String::as_str).collect();
        if complaints.is_empty() { how } else { format!("{how}: {}", complaints.join("\n")) }
    }

    fn resets_at(&self) -> Option<DateTime<Utc>> {
        let of_result = self.result.as_ref().and_then(|result| match result.ending {
            Ending::UsageLimit { resets_at } => resets_at,
            _ => None,
        });
        let of_event = self.rejected.as_ref().and_then(|limit| limit.resets_at);
        of_result.or(of_event).and_then(time)
    }
}

/// What a result line alone says; `None` if it says nothing that counts.
fn of_result(result: &AgentResult) -> Option<(AgentOutcome, String)> {
    let text = result.text.trim();
    Some(match &result.ending {
        Ending::Completed if text.is_empty() => (AgentOutcome::EmptyAnswer, String::new()),
        Ending::Completed => (AgentOutcome::Answered, String::new()),
        Ending::TurnLimit => (AgentOutcome::TurnLimit, "it used up its turns".into()),
        Ending::BudgetExhausted => {
            (AgentOutcome::BudgetExhausted, "it used up what was left of the budget".into())
        }
        Ending::UsageLimit { .. } => (AgentOutcome::UsageLimit, text.to_owned()),
        Ending::PromptTooLong => (AgentOutcome::PromptTooLong, text.to_owned()),
        Ending::ApiError { status, message } => {
            let outcome = match status {
                Some(401 | 403) => AgentOutcome::LoginNeeded,
                _ if message.contains("/login") => AgentOutcome::LoginNeeded,
                _ => AgentOutcome::ApiError,
            };
            (outcome, message.clone())
        }
        Ending::Other { message, .. } if message.contains("/login") => {
            (AgentOutcome::LoginNeeded, message.clone())
        }
        Ending::Other { reason, message } => {
            (AgentOutcome::Crashed, format!("{reason}: {message}").trim_end_matches(": ").into())
        }
    })
}
