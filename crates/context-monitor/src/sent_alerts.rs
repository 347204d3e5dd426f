//! Remembers which alerts a session already got.

use std::io;

use project::{Claim, SessionState, SessionStore};

use crate::alert::THRESHOLDS;

/// How many percent points usage must fall below a threshold to count as a new context.
/// Usage only falls that far after a compaction or `/clear`.
const NEW_CONTEXT_DROP: u64 = 10;

const TIME: &str = "time";

pub(crate) struct SentAlerts {
    session: SessionState,
}

impl SentAlerts {
    pub(crate) fn of(store: &SessionStore, session_id: &str) -> Self {
        // A separate key: a new context must not reset the stop-guard's block count.
        Self { session: store.session(&format!("alerts of {session_id}")) }
    }

    /// Returns `crossed` if neither it nor a higher threshold was reported yet, and records it.
    pub(crate) fn first_time(&self, crossed: Option<u64>, percent: u64) -> io::Result<Option<u64>> {
        let below = percent.saturating_add(NEW_CONTEXT_DROP);
        let outgrown = THRESHOLDS.into_iter().filter(|threshold| *threshold > below);
        for threshold in outgrown {
            self.session.release(&name(threshold))?;
        }
        let Some(crossed) = crossed else { return Ok(None) };
        let higher = THRESHOLDS.into_iter().filter(|threshold| *threshold > crossed);
        if higher.map(name).any(|name| self.session.is_taken(&name)) {
            return Ok(None);
        }
        match self.session.claim(&name(crossed))? {
            Claim::Won => Ok(Some(crossed)),
            Claim::AlreadyTaken => Ok(None),
        }
    }

    /// Won only once per session.
    pub(crate) fn claim_time(&self) -> io::Result<Claim> {
        self.session.claim(TIME)
    }

    pub(crate) fn is_time_claimed(&self) -> bool {
        self.session.is_taken(TIME)
    }

    /// Keeps the time warning: a new context does not extend the time limit.
    pub(crate) fn forget_alerts(&self) -> io::Result<()> {
        THRESHOLDS.into_iter().try_for_each(|threshold| self.session.release(&name(threshold)))
    }
}

fn name(threshold: u64) -> String {
    format!("alert-{threshold}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alert::highest_reached;

    /// The alerts that a session gets while its usage takes the values of `percents`.
    fn alerts(percents: &[u64]) -> Vec<u64> {
        let dir = assert_fs::TempDir::new().unwrap();
        let given = SentAlerts::of(&SessionStore::new(Some(dir.path())), "s");
        let sent = percents
            .iter()
            .filter_map(|percent| given.first_time(highest_reached(*percent), *percent).unwrap());
        sent.collect()
    }

    #[test]
    fn each_threshold_is_reported_once() {
        assert_eq!(alerts(&[10, 49, 50, 51, 59, 60, 60, 71, 80, 85, 90, 99]), [50, 60, 70, 80, 90]);
    }

    #[test]
    fn only_the_highest_crossed_threshold_is_reported() {
        assert_eq!(alerts(&[85, 86]), [80]);
        assert_eq!(alerts(&[20, 95, 95]), [90]);
    }

    #[test]
    fn a_small_decrease_does_not_repeat_an_alert() {
        assert_eq!(alerts(&[71, 69, 70, 65, 72]), [70]);
    }

    #[test]
    fn the_time_warning_is_sent_once_in_any_context() {
        let dir = assert_fs::TempDir::new().unwrap();
        let given = SentAlerts::of(&SessionStore::new(Some(dir.path())), "s");
        assert!(!given.is_time_claimed());
        assert_eq!(given.claim_time().unwrap(), Claim::Won);
        given.forget_alerts().unwrap();
        given.first_time(None, 0).unwrap();
        assert!(given.is_time_claimed());
        assert_eq!(given.claim_time().unwrap(), Claim::AlreadyTaken);
    }

    #[test]
    fn a_context_that_was_thrown_away_starts_over() {
        assert_eq!(alerts(&[91, 12, 50, 91]), [90, 50, 90]);
        assert_eq!(
            alerts(&[91, 55, 56, 72]),
            [90, 50, 70],
            "a threshold that is still crossed is reported again"
        );
    }
}
