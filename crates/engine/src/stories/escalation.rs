//! What follows from the failed attempts at a story, as a plain function: go on, go on with help, or
//! give it up.

use crate::GiveUpReason;
use crate::limits::AttemptLimits;
use crate::stories::attempt::{Attempt, Help, repeats, strategy_shifts};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    Try(Help),
    GiveUp(GiveUpReason),
}

/// Three tiers once the same failure has come back too often: another strategy, twice at most; the
/// files that the error says are missing; the end. Where only one attempt is left, the files come with
/// it, for there would be no later one to get them.
pub(crate) fn next(attempts: &[Attempt], limits: &AttemptLimits) -> Next {
    let failed = attempts.len() as u64;
    if failed >= limits.most {
        return Next::GiveUp(GiveUpReason::AttemptsUsed);
    }
    let Some(last) = attempts.last() else { return Next::Try(Help::None) };
    if repeats(attempts) < limits.stuck_after {
        return Next::Try(Help::None);
    }
    let expanded = attempts.iter().any(|attempt| attempt.help.expands());
    let lacks_files = !last.symptom.missing.is_empty() && !expanded;
    let is_last_chance = failed + 1 == limits.most;
    match (strategy_shifts(attempts) < limits.strategy_shifts, lacks_files) {
        (true, true) if is_last_chance => Next::Try(Help::ShiftAndExpansion),
        (true, _) => Next::Try(Help::StrategyShift),
        (false, true) => Next::Try(Help::ContextExpansion),
        (false, false) => Next::GiveUp(GiveUpReason::Stuck),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stories::attempt::tests::attempt;

    const PLAIN: &str = "E   assert 3 == 2";
    const GAP: &str = "ModuleNotFoundError: No module named 'shop.cart'";

    fn limits(most: u64) -> AttemptLimits {
        AttemptLimits { most, ..AttemptLimits::default() }
    }

    /// What each attempt is given, and how it ends, if all of them fail with `output`.
    fn course(output: &str, limits: AttemptLimits) -> (Vec<Help>, GiveUpReason) {
        let (mut attempts, mut helps) = (Vec::new(), Vec::new());
        loop {
            match next(&attempts, &limits) {
                Next::GiveUp(reason) => return (helps, reason),
                Next::Try(help) => {
                    helps.push(help);
                    attempts.push(Attempt { help, ..attempt(output) });
                }
            }
        }
    }

    #[test]
    fn stuck_from_the_third_on_two_shifts_then_the_end() {
        use Help::{None, StrategyShift};
        let used = GiveUpReason::AttemptsUsed;
        assert_eq!(
            course(PLAIN, limits(5)),
            (vec![None, None, None, StrategyShift, StrategyShift], used)
        );
        // With more attempts than that, being stuck ends it.
        let (helps, reason) = course(PLAIN, limits(10));
        assert_eq!((helps.len(), reason), (5, GiveUpReason::Stuck));
        assert_eq!(course(PLAIN, limits(2)), (vec![None, None], used));
    }

    #[test]
    fn an_error_that_lacks_information_gets_the_files_after_the_shifts() {
        use Help::{ContextExpansion, None, ShiftAndExpansion, StrategyShift};
        let (helps, reason) = course(GAP, limits(10));
        assert_eq!(helps, [None, None, None, StrategyShift, StrategyShift, ContextExpansion]);
        assert_eq!(reason, GiveUpReason::Stuck);
        // Where there is no attempt after the shifts, they come with the last one.
        let (helps, _) = course(GAP, limits(5));
        assert_eq!(helps, [None, None, None, StrategyShift, ShiftAndExpansion]);
        let (helps, _) = course(GAP, limits(4));
        assert_eq!(helps, [None, None, None, ShiftAndExpansion]);
    }

    #[test]
    fn no_shifts_are_given_where_none_are_allowed() {
        let none = AttemptLimits { most: 10, strategy_shifts: 0, ..AttemptLimits::default() };
        assert_eq!(course(PLAIN, none), (vec![Help::None; 3], GiveUpReason::Stuck));
        let (helps, _) = course(GAP, none);
        assert_eq!(helps.last(), Some(&Help::ContextExpansion));
    }

    #[test]
    fn different_failures_are_no_reason_to_escalate() {
        let outputs = ["error: a", "error: b", "error: a", "error: b"];
        let attempts: Vec<Attempt> = outputs.iter().map(|output| attempt(output)).collect();
        for count in 0..=attempts.len() {
            assert_eq!(next(&attempts[..count], &limits(5)), Next::Try(Help::None), "{count}");
        }
    }

    #[test]
    fn a_shift_that_changes_the_failure_was_one() {
        let mut attempts = vec![attempt(PLAIN), attempt(PLAIN), attempt(PLAIN)];
        attempts.push(Attempt { help: Help::StrategyShift, ..attempt("error: other") });
        assert_eq!(next(&attempts, &limits(10)), Next::Try(Help::None));
        attempts.extend([attempt("error: other"), attempt("error: other")]);
        assert_eq!(next(&attempts, &limits(10)), Next::Try(Help::StrategyShift));
        attempts.push(Attempt { help: Help::StrategyShift, ..attempt("error: other") });
        assert_eq!(next(&attempts, &limits(10)), Next::GiveUp(GiveUpReason::Stuck));
    }
}
