//! Which alerts a session has had.

use std::io;

use project::{Claim, SessionState, SessionStore};

use crate::alert::Threshold;

/// How far use must fall below a threshold before it counts as another context. Between two answers
/// it only ever falls like that when something was thrown away.
const FALL: u64 = 10;

const TIME: &str = "time";

pub(crate) struct AlertsGiven {
    session: SessionState,
}

impl AlertsGiven {
    pub(crate) fn of(store: &SessionStore, session_id: &str) -> Self {
        // Apart from the guard's count, which a new context does not reset.
        Self { session: store.session(&format!("alerts of {session_id}")) }
    }

    /// `crossed` itself if it, and everything above it, is news; it is not news again afterwards.
    pub(crate) fn first_time(
        &self,
        crossed: Option<Threshold>,
        percent: u64,
    ) -> io::Result<Option<Threshold>> {
        let outgrown =
            Threshold::ALL.into_iter().filter(|t| t.percent() > percent.saturating_add(FALL));
        for threshold in outgrown {
            self.session.release(&name(threshold))?;
        }
        let Some(crossed) = crossed else { return Ok(None) };
        let higher = Threshold::ALL.into_iter().filter(|threshold| *threshold > crossed);
        if higher.map(name).any(|name| self.session.is_taken(&name)) {
            return Ok(None);
        }
        match self.session.claim(&name(crossed))? {
            Claim::Won => Ok(Some(crossed)),
            Claim::AlreadyTaken => Ok(None),
        }
    }

    /// Once a session.
    pub(crate) fn claim_time(&self) -> io::Result<Claim> {
        self.session.claim(TIME)
    }

    pub(crate) fn is_time_claimed(&self) -> bool {
        self.session.is_taken(TIME)
    }

    /// But for the word on time: a new context does not turn back the clock.
    pub(crate) fn forget_alerts(&self) -> io::Result<()> {
        Threshold::ALL.into_iter().try_for_each(|threshold| self.session.release(&name(threshold)))
    }
}

fn name(threshold: Threshold) -> String {
    format!("alert-{}", threshold.percent())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The alerts that a session hears while its use goes through `percents`.
    fn heard(percents: &[u64]) -> Vec<u64> {
        let dir = assert_fs::TempDir::new().unwrap();
        let given = AlertsGiven::of(&SessionStore::new(Some(dir.path())), "s");
        let said = percents.iter().filter_map(|percent| {
            given.first_time(Threshold::highest_reached(*percent), *percent).unwrap()
        });
        said.map(Threshold::percent).collect()
    }

    #[test]
    fn each_threshold_is_said_once() {
        assert_eq!(heard(&[10, 49, 50, 51, 59, 60, 60, 71, 80, 85, 90, 99]), [50, 60, 70, 80, 90]);
    }

    #[test]
    fn only_the_highest_newly_crossed_one_is_said() {
        assert_eq!(heard(&[85, 86]), [80]);
        assert_eq!(heard(&[20, 95, 95]), [90]);
    }

    #[test]
    fn a_little_less_is_not_news_again() {
        assert_eq!(heard(&[71, 69, 70, 65, 72]), [70]);
    }

    #[test]
    fn time_is_said_once_whatever_becomes_of_the_context() {
        let dir = assert_fs::TempDir::new().unwrap();
        let given = AlertsGiven::of(&SessionStore::new(Some(dir.path())), "s");
        assert!(!given.is_time_claimed());
        assert_eq!(given.claim_time().unwrap(), Claim::Won);
        given.forget_alerts().unwrap();
        given.first_time(None, 0).unwrap();
        assert!(given.is_time_claimed());
        assert_eq!(given.claim_time().unwrap(), Claim::AlreadyTaken);
    }

    #[test]
    fn a_context_that_was_thrown_away_starts_over() {
        assert_eq!(heard(&[91, 12, 50, 91]), [90, 50, 90]);
        assert_eq!(heard(&[91, 55, 56, 72]), [90, 50, 70], "what still holds is said again");
    }
}
