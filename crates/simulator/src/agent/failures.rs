//! Acts that fail a session.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use super::act::LimitStatus;
use super::ending::{ApiFailure, Ending};
use super::message::Message;
use super::session::{Halt, Session};
use super::{Act, number_from_env, park_forever};

/// Shown retries of an API failure, unless the environment limits them.
const RETRIES: u64 = 2;

impl Session {
    pub(super) fn fail_with(&mut self, act: &Act) -> Result<(), Halt> {
        let ending = match act {
            Act::Abort => abort(),
            Act::Hang { .. } => park_forever(),
            Act::Limit { status, resets_in_s, resets_at, utilization } => {
                let resets_at = resets_at.or_else(|| Some(unix_now() + (*resets_in_s)?));
                let mut info = Map::new();
                info.insert("status".into(), json!(status));
                info.insert("rateLimitType".into(), json!("five_hour"));
                info.extend(resets_at.map(|at| ("resetsAt".to_owned(), json!(at))));
                info.extend(utilization.map(|part| ("utilization".to_owned(), json!(part))));
                self.print(&Message::Limit(Value::Object(info)))?;
                match status {
                    LimitStatus::Rejected => self.failed(ApiFailure::usage_limit())?,
                    LimitStatus::Allowed | LimitStatus::AllowedWarning => return Ok(()),
                }
            }
            Act::ApiError { status, message } => {
                let failure = ApiFailure::new(*status, message);
                self.retry(&failure)?;
                self.failed(failure)?
            }
            Act::PromptTooLong => self.failed(ApiFailure::prompt_too_long())?,
            Act::TurnLimit => {
                let turns = self.stream().tally.turns;
                Ending::TurnLimit(self.args.max_turns.unwrap_or(turns))
            }
            Act::BudgetExhausted => {
                let spent = self.stream().tally.usd();
                Ending::BudgetExhausted(self.args.max_budget_usd.unwrap_or(spent))
            }
            Act::Crash { exit_code } => Ending::Crashed(*exit_code),
            _ => return Ok(()),
        };
        Err(Halt::Ended(ending))
    }

    fn failed(&self, failure: ApiFailure) -> Result<Ending, Halt> {
        self.print(&Message::Failure(&failure))?;
        Ok(Ending::Failed(failure))
    }

    /// Prints the retries without waiting.
    fn retry(&self, failure: &ApiFailure) -> Result<(), Halt> {
        if failure.names().retried_as.is_none() {
            return Ok(());
        }
        let of = number_from_env("CLAUDE_CODE_MAX_RETRIES", RETRIES);
        for attempt in 1..=of {
            self.print(&Message::Retry { attempt, of, failure })?;
        }
        Ok(())
    }
}

fn unix_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn abort() -> ! {
    #[cfg(unix)]
    {
        use rustix::process::{Signal, getpid, kill_process};
        let _ = kill_process(getpid(), Signal::KILL);
    }
    std::process::abort()
}
