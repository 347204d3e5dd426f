//! Until when agents are at their usage limits.

use std::collections::BTreeMap;

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};

use crate::control::decide::reset_after;

/// An agent that does not say when its limit resets is asked again after this time.
const UNKNOWN_RESET: Duration = Duration::minutes(15);

/// The time of the reset, by the name of the agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct UsageLimits(BTreeMap<String, DateTime<Utc>>);

impl UsageLimits {
    /// `resets_at` is what the agent said.
    pub(crate) fn add(
        &mut self,
        agent: String,
        resets_at: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) {
        self.0.insert(agent, reset_after(resets_at, now).unwrap_or(now + UNKNOWN_RESET));
    }

    pub(crate) fn until(&self, agent: &str, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.0.get(agent).copied().filter(|until| *until > now)
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (agent, until) in &other.0 {
            let own = self.0.entry(agent.clone()).or_insert(*until);
            *own = (*own).max(*until);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: u32) -> DateTime<Utc> {
        format!("2026-01-21T10:{minute:02}:00Z").parse().unwrap()
    }

    fn limits() -> UsageLimits {
        let mut limits = UsageLimits::default();
        limits.add("claude".into(), Some(at(30)), at(0));
        limits
    }

    #[test]
    fn a_limit_without_a_possible_reset_lasts_a_quarter_of_an_hour() {
        for unknown in [None, Some(at(0)), Some(at(0) + Duration::days(30))] {
            let mut limits = UsageLimits::default();
            limits.add("claude".into(), unknown, at(1));
            assert_eq!(limits.until("claude", at(2)), Some(at(16)), "{unknown:?}");
        }
    }

    #[test]
    fn the_later_reset_of_two_lanes_counts() {
        let (mut one, mut other) = (limits(), UsageLimits::default());
        other.add("claude".into(), Some(at(50)), at(0));
        one.merge(&other);
        other.merge(&limits());
        assert_eq!(one, other);
        assert!(one.until("claude", at(49)).is_some());
    }
}
