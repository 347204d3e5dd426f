//! How a session ended: from its last result, or from its process if there is none.

use agents::{Agent, AgentResult, Completion, Ending};
use chrono::{DateTime, Utc};
use events::{AgentOutcome, NearMiss};
use supervise::{EndReason, Ended, Exit};

use super::{SessionWatch, TurnState, time};
use crate::session::command::has_hooks;

/// How a session ended, and its cost.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Conclusion {
    pub(crate) outcome: AgentOutcome,
    pub(crate) detail: String,
    pub(crate) result: Option<AgentResult>,
    pub(crate) resets_at: Option<DateTime<Utc>>,
    pub(crate) quota: Option<f64>,
    /// The search for the completion tag in the last message.
    pub(crate) completion: Option<CompletionCheck>,
    /// Why a hook did not run although it should have.
    pub(crate) guard_missing: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CompletionCheck {
    pub(crate) wanted: String,
    /// The word in the tag.
    pub(crate) found: Option<String>,
    pub(crate) is_given: bool,
    /// The mistake, if the tag was probably intended.
    pub(crate) near_miss: Option<NearMiss>,
}

/// Which hooks of the runner guard the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpectedHooks {
    /// The agent has none.
    No,
    /// command-guard checks its commands.
    Commands,
    /// Also the Stop hook judges its end.
    CommandsAndEnd,
}

impl ExpectedHooks {
    /// For a session that works on a story.
    pub(crate) fn of_story(agent: Agent) -> Self {
        if has_hooks(agent) { Self::CommandsAndEnd } else { Self::No }
    }

    /// For any other session.
    pub(crate) fn of_commands(agent: Agent) -> Self {
        if has_hooks(agent) { Self::Commands } else { Self::No }
    }
}

impl Conclusion {
    pub(crate) fn claims_completion(&self) -> bool {
        self.completion.as_ref().is_some_and(|check| check.is_given)
    }
}

impl SessionWatch {
    pub(crate) fn conclude(
        self,
        ended: &Ended,
        wanted: Option<&Completion>,
        expected_hooks: ExpectedHooks,
    ) -> Conclusion {
        let (outcome, detail) = self.outcome(ended);
        let had_its_chance = matches!(outcome, AgentOutcome::Answered | AgentOutcome::EmptyAnswer);
        let text = self.result.as_ref().map(|result| result.text.as_str()).unwrap_or_default();
        Conclusion {
            completion: wanted
                .filter(|_| had_its_chance)
                .map(|wanted| CompletionCheck::of(text, wanted)),
            guard_missing: self.guard_missing(expected_hooks, had_its_chance),
            resets_at: self.resets_at(),
            quota: self.quota,
            outcome,
            detail,
            result: self.result,
        }
    }

    fn guard_missing(&self, expected_hooks: ExpectedHooks, had_its_chance: bool) -> Vec<String> {
        let end = || self.guard.missing().filter(|_| had_its_chance);
        match expected_hooks {
            ExpectedHooks::No => Vec::new(),
            ExpectedHooks::Commands => self.commands.missing().into_iter().collect(),
            ExpectedHooks::CommandsAndEnd => {
                end().into_iter().chain(self.commands.missing()).collect()
            }
        }
    }

    fn outcome(&self, ended: &Ended) -> (AgentOutcome, String) {
        if let (Some(result), TurnState::Answered) = (&self.result, self.turn) {
            match of_result(result, &self.notice) {
                // An error after a stop request is not the agent's failure.
                Some((AgentOutcome::ApiError | AgentOutcome::Crashed, _))
                    if ended.how != EndReason::ByItself && ended.how != EndReason::Lingered => {}
                // A successful result, followed by a failing exit code.
                Some((AgentOutcome::Answered | AgentOutcome::EmptyAnswer, _))
                    if ended.how == EndReason::ByItself && ended.exit != Some(Exit::Code(0)) =>
                {
                    return (AgentOutcome::Crashed, self.crash(ended.exit));
                }
                Some((AgentOutcome::Crashed, detail)) => {
                    return (AgentOutcome::Crashed, self.with_error_lines(detail));
                }
                Some(outcome) => return outcome,
                None => {}
            }
        }
        match ended.how {
            EndReason::TotalLimit => (AgentOutcome::TimedOut, "it exceeded its time limit".into()),
            EndReason::IdleLimit => {
                (AgentOutcome::TimedOut, "it printed nothing for longer than the idle limit".into())
            }
            EndReason::Stopped => (AgentOutcome::Stopped, String::new()),
            EndReason::ByItself | EndReason::Lingered => {
                (AgentOutcome::Crashed, self.crash(ended.exit))
            }
        }
    }

    fn crash(&self, exit: Option<Exit>) -> String {
        let how = match exit {
            Some(Exit::Code(code)) if self.turn == TurnState::Answered => {
                format!("it ended with exit code {code} after its result")
            }
            Some(Exit::Code(code)) => format!("it ended with exit code {code} and no result"),
            Some(Exit::Signal(signal)) => format!("signal {signal} ended it"),
            None => "ended without a result".to_owned(),
        };
        self.with_error_lines(how)
    }

    fn with_error_lines(&self, how: String) -> String {
        let lines: Vec<&str> = self.error_lines.iter().map(String::as_str).collect();
        if lines.is_empty() { how } else { format!("{how}: {}", lines.join("\n")) }
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
            near_miss: wanted.near_miss(message),
        }
    }
}

/// The outcome in a result line; `None` if it has none. The last warning is the reason if the result has no text.
fn of_result(result: &AgentResult, notice: &str) -> Option<(AgentOutcome, String)> {
    let text = result.text.trim();
    let why = if text.is_empty() { notice } else { text };
    Some(match &result.ending {
        Ending::Completed if text.is_empty() => (AgentOutcome::EmptyAnswer, String::new()),
        Ending::Completed => (AgentOutcome::Answered, String::new()),
        Ending::TurnLimit => (AgentOutcome::TurnLimit, "it reached its turn limit".into()),
        // Its work is judged nevertheless.
        Ending::NoStructuredAnswer => {
            (AgentOutcome::TurnLimit, "its answer does not have the required format".into())
        }
        Ending::BudgetExhausted => {
            (AgentOutcome::BudgetExhausted, "it reached the rest of the cost limit".into())
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
