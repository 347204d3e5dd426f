//! How a session ended: what its last result says, and what its process says where there is none.

use agents::{Agent, AgentResult, Completion, Ending};
use chrono::{DateTime, Utc};
use supervise::{Ended, Exit, How};

use super::{Turn, Watch, time};
use crate::session_command::has_hooks;
use crate::{AgentOutcome, NearMiss};

/// How a session ended, and what it cost.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Conclusion {
    pub(crate) outcome: AgentOutcome,
    pub(crate) detail: String,
    pub(crate) result: Option<AgentResult>,
    pub(crate) resets_at: Option<DateTime<Utc>>,
    pub(crate) quota: Option<f64>,
    /// Whether the last message was searched for the completion tag, and what it gave.
    pub(crate) completion: Option<CompletionCheck>,
    /// Why a guard did not do its work, if it had the chance and did not.
    pub(crate) guard_missing: Vec<String>,
}

/// What was found in the place of the completion tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CompletionCheck {
    pub(crate) wanted: String,
    /// The word of the tag that was given.
    pub(crate) found: Option<String>,
    pub(crate) is_given: bool,
    /// What is wrong where it is not given, but was probably meant to be.
    pub(crate) near_miss: Option<NearMiss>,
}

/// Which hooks of ours watch the session from within.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guarded {
    /// The agent has none.
    No,
    /// command-guard reads what it runs.
    Commands,
    /// And the Stop guard judges its end.
    CommandsAndEnd,
}

impl Guarded {
    /// Of a session that works on a story.
    pub(crate) fn of_story(agent: Agent) -> Self {
        if has_hooks(agent) { Self::CommandsAndEnd } else { Self::No }
    }

    /// Of any other.
    pub(crate) fn of_commands(agent: Agent) -> Self {
        if has_hooks(agent) { Self::Commands } else { Self::No }
    }
}

impl Conclusion {
    pub(crate) fn claims_completion(&self) -> bool {
        self.completion.as_ref().is_some_and(|check| check.is_given)
    }
}

impl Watch {
    pub(crate) fn conclude(
        self,
        ended: &Ended,
        wanted: Option<&Completion>,
        guarded: Guarded,
    ) -> Conclusion {
        let (outcome, detail) = self.outcome(ended);
        let had_its_chance = matches!(outcome, AgentOutcome::Answered | AgentOutcome::EmptyAnswer);
        let text = self.result.as_ref().map(|result| result.text.as_str()).unwrap_or_default();
        Conclusion {
            completion: wanted
                .filter(|_| had_its_chance)
                .map(|wanted| CompletionCheck::of(text, wanted)),
            guard_missing: self.guard_missing(guarded, had_its_chance),
            resets_at: self.resets_at(),
            quota: self.quota,
            outcome,
            detail,
            result: self.result,
        }
    }

    fn guard_missing(&self, guarded: Guarded, had_its_chance: bool) -> Vec<String> {
        let end = || self.guard.missing().filter(|_| had_its_chance);
        match guarded {
            Guarded::No => Vec::new(),
            Guarded::Commands => self.commands.missing().into_iter().collect(),
            Guarded::CommandsAndEnd => end().into_iter().chain(self.commands.missing()).collect(),
        }
    }

    fn outcome(&self, ended: &Ended) -> (AgentOutcome, String) {
        if let (Some(result), Turn::Answered) = (&self.result, self.turn) {
            match of_result(result, &self.notice) {
                // What it says after somebody told it to end is not its own doing.
                Some((AgentOutcome::ApiError | AgentOutcome::Crashed, _))
                    if ended.how != How::ByItself && ended.how != How::Lingered => {}
                // It said that all is well, and then it was not.
                Some((AgentOutcome::Answered | AgentOutcome::EmptyAnswer, _))
                    if ended.how == How::ByItself && ended.exit != Some(Exit::Code(0)) =>
                {
                    return (AgentOutcome::Crashed, self.crash(ended.exit));
                }
                Some((AgentOutcome::Crashed, detail)) => {
                    return (AgentOutcome::Crashed, self.with_complaints(detail));
                }
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
            Some(Exit::Code(code)) if self.turn == Turn::Answered => {
                format!("it ended with exit code {code} after its result")
            }
            Some(Exit::Code(code)) => format!("it ended with exit code {code} and no result"),
            Some(Exit::Signal(signal)) => format!("signal {signal} ended it"),
            None => "it ended, nobody knows how".to_owned(),
        };
        self.with_complaints(how)
    }

    fn with_complaints(&self, how: String) -> String {
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

impl CompletionCheck {
    fn of(message: &str, wanted: &Completion) -> Self {
        Self {
            wanted: wanted.to_string(),
            found: wanted.given_word(message).map(str::to_owned),
            is_given: wanted.is_given_in(message),
            near_miss: wanted.near_miss(message).map(NearMiss::from),
        }
    }
}

/// What a result line says; `None` if it says nothing that counts. Where it has no words of its own,
/// the last warning is the reason.
fn of_result(result: &AgentResult, notice: &str) -> Option<(AgentOutcome, String)> {
    let text = result.text.trim();
    let why = if text.is_empty() { notice } else { text };
    Some(match &result.ending {
        Ending::Completed if text.is_empty() => (AgentOutcome::EmptyAnswer, String::new()),
        Ending::Completed => (AgentOutcome::Answered, String::new()),
        Ending::TurnLimit => (AgentOutcome::TurnLimit, "it used up its turns".into()),
        // What it did is there to be judged all the same.
        Ending::NoStructuredAnswer => {
            (AgentOutcome::TurnLimit, "it gave no answer of the shape that was asked for".into())
        }
        Ending::BudgetExhausted => {
            (AgentOutcome::BudgetExhausted, "it used up what was left of the budget".into())
        }
        Ending::UsageLimit { .. } => (AgentOutcome::UsageLimit, why.to_owned()),
        Ending::PromptTooLong => (AgentOutcome::PromptTooLong, why.to_owned()),
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
