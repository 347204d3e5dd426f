//! Decides what follows from the failed attempts at a story: another attempt, one with extra help, or giving
//! the story up.

use events::{Gate, GiveUpReason};

use crate::lane::{ATTEMPTS_PER_HELP, Attempt, ExtraHelp, strategy_shifts};

use crate::lane::attempt::repeats;
use crate::options::AttemptLimits;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NextAttempt {
    Try(ExtraHelp),
    GiveUp(GiveUpReason),
}

/// Before a story is given up, it gets the `stronger` help, one after the other.
pub(crate) fn next(
    attempts: &[Attempt],
    limits: &AttemptLimits,
    stronger: &[ExtraHelp],
) -> NextAttempt {
    let Some(last) = attempts.iter().rev().map(|it| &it.help).find(|help| help.is_stronger())
    else {
        return match without_stronger_help(attempts, limits) {
            NextAttempt::GiveUp(reason) => {
                stronger.first().cloned().map_or(NextAttempt::GiveUp(reason), NextAttempt::Try)
            }
            attempt => attempt,
        };
    };
    let with_it = attempts.iter().filter(|attempt| attempt.help == *last).count() as u64;
    // Candidates of which none passed left no work to continue.
    let left_nothing = *last == ExtraHelp::Candidates
        && attempts.last().is_some_and(|attempt| attempt.gate == Gate::Implement);
    let has_changed = repeats(attempts) == 1 && !left_nothing;
    if has_changed && with_it < ATTEMPTS_PER_HELP && stronger.contains(last) {
        return NextAttempt::Try(last.clone());
    }
    let is_used = |help: &ExtraHelp| attempts.iter().any(|attempt| attempt.help == *help);
    match stronger.iter().find(|help| !is_used(help)) {
        Some(help) => NextAttempt::Try(help.clone()),
        None if repeats(attempts) >= limits.stuck_after => NextAttempt::GiveUp(GiveUpReason::Stuck),
        None => NextAttempt::GiveUp(GiveUpReason::AttemptsUsed),
    }
}

/// Three tiers once the same failure repeats too often: another strategy (limited), the files that the error
/// says are missing, giving up. The last possible attempt gets the files too.
fn without_stronger_help(attempts: &[Attempt], limits: &AttemptLimits) -> NextAttempt {
    let failed = attempts.len() as u64;
    if failed >= limits.most {
        return NextAttempt::GiveUp(GiveUpReason::AttemptsUsed);
    }
    let Some(last) = attempts.last() else { return NextAttempt::Try(ExtraHelp::None) };
    if repeats(attempts) < limits.stuck_after {
        return NextAttempt::Try(ExtraHelp::None);
    }
    let expanded = attempts.iter().any(|attempt| attempt.help.expands());
    let lacks_files = !last.symptom.missing.is_empty() && !expanded;
    let is_last_chance = failed + 1 == limits.most;
    match (strategy_shifts(attempts) < limits.strategy_shifts, lacks_files) {
        (true, true) if is_last_chance => NextAttempt::Try(ExtraHelp::ShiftAndExpansion),
        (true, _) => NextAttempt::Try(ExtraHelp::StrategyShift),
        (false, true) => NextAttempt::Try(ExtraHelp::ContextExpansion),
        (false, false) => NextAttempt::GiveUp(GiveUpReason::Stuck),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lane::attempt::tests::attempt;

    const PLAIN: &str = "E   assert 3 == 2";
    const GAP: &str = "ModuleNotFoundError: No module named 'shop.cart'";

    fn limits(most: u64) -> AttemptLimits {
        AttemptLimits { most, ..AttemptLimits::default() }
    }

    /// The help of each attempt, and the reason for giving up, if all attempts fail with `output`.
    fn course(output: &str, limits: AttemptLimits) -> (Vec<ExtraHelp>, GiveUpReason) {
        let (mut attempts, mut helps) = (Vec::new(), Vec::new());
        loop {
            match next(&attempts, &limits, &[]) {
                NextAttempt::GiveUp(reason) => return (helps, reason),
                NextAttempt::Try(help) => {
                    helps.push(help.clone());
                    attempts.push(Attempt { help, ..attempt(output) });
                }
            }
        }
    }

    #[test]
    fn two_shifts_after_three_equal_failures_then_giving_up() {
        use ExtraHelp::{None, StrategyShift};
        let used = GiveUpReason::AttemptsUsed;
        assert_eq!(
            course(PLAIN, limits(5)),
            (vec![None, None, None, StrategyShift, StrategyShift], used)
        );
        // With more attempts allowed, the story is given up as stuck.
        let (helps, reason) = course(PLAIN, limits(10));
        assert_eq!((helps.len(), reason), (5, GiveUpReason::Stuck));
        assert_eq!(course(PLAIN, limits(2)), (vec![None, None], used));
    }

    #[test]
    fn an_error_about_missing_files_gets_the_files_after_the_shifts() {
        use ExtraHelp::{ContextExpansion, None, ShiftAndExpansion, StrategyShift};
        let (helps, reason) = course(GAP, limits(10));
        assert_eq!(helps, [None, None, None, StrategyShift, StrategyShift, ContextExpansion]);
        assert_eq!(reason, GiveUpReason::Stuck);
        // Without an attempt after the shifts, the last one gets the files.
        let (helps, _) = course(GAP, limits(5));
        assert_eq!(helps, [None, None, None, StrategyShift, ShiftAndExpansion]);
        let (helps, _) = course(GAP, limits(4));
        assert_eq!(helps, [None, None, None, ShiftAndExpansion]);
    }

    #[test]
    fn no_shift_if_none_is_allowed() {
        let none = AttemptLimits { most: 10, strategy_shifts: 0, ..AttemptLimits::default() };
        assert_eq!(course(PLAIN, none), (vec![ExtraHelp::None; 3], GiveUpReason::Stuck));
        let (helps, _) = course(GAP, none);
        assert_eq!(helps.last(), Some(&ExtraHelp::ContextExpansion));
    }

    #[test]
    fn different_failures_do_not_escalate() {
        let outputs = ["error: a", "error: b", "error: a", "error: b"];
        let attempts: Vec<Attempt> = outputs.iter().map(|output| attempt(output)).collect();
        for count in 0..=attempts.len() {
            assert_eq!(
                next(&attempts[..count], &limits(5), &[]),
                NextAttempt::Try(ExtraHelp::None),
                "{count}"
            );
        }
    }

    #[test]
    fn a_shift_counts_even_if_the_failure_changes() {
        let mut attempts = vec![attempt(PLAIN), attempt(PLAIN), attempt(PLAIN)];
        attempts.push(Attempt { help: ExtraHelp::StrategyShift, ..attempt("error: other") });
        assert_eq!(next(&attempts, &limits(10), &[]), NextAttempt::Try(ExtraHelp::None));
        attempts.extend([attempt("error: other"), attempt("error: other")]);
        assert_eq!(next(&attempts, &limits(10), &[]), NextAttempt::Try(ExtraHelp::StrategyShift));
        attempts.push(Attempt { help: ExtraHelp::StrategyShift, ..attempt("error: other") });
        assert_eq!(next(&attempts, &limits(10), &[]), NextAttempt::GiveUp(GiveUpReason::Stuck));
    }

    fn stronger() -> [ExtraHelp; 2] {
        [ExtraHelp::Model("opus".into()), ExtraHelp::Agent("codex".into())]
    }

    /// The help after failures with these outputs, of which the first five had no stronger help.
    fn after(outputs: &[&str]) -> NextAttempt {
        let mut attempts: Vec<Attempt> = Vec::new();
        for output in [&[PLAIN; 5][..], outputs].concat() {
            let help = match next(&attempts, &limits(5), &stronger()) {
                NextAttempt::Try(help) => help,
                NextAttempt::GiveUp(reason) => panic!("{reason:?} before {output}"),
            };
            attempts.push(Attempt { help, ..attempt(output) });
        }
        next(&attempts, &limits(5), &stronger())
    }

    #[test]
    fn a_story_gets_all_stronger_help_before_it_is_given_up() {
        let [model, agent] = stronger().map(NextAttempt::Try);
        assert_eq!(after(&[]), model);
        assert_eq!(after(&[PLAIN]), agent);
        assert_eq!(after(&[PLAIN, PLAIN]), NextAttempt::GiveUp(GiveUpReason::Stuck));
    }

    #[test]
    fn stronger_help_that_changes_the_failure_gets_a_second_attempt() {
        let [model, agent] = stronger().map(NextAttempt::Try);
        assert_eq!(after(&["error: a"]), model);
        assert_eq!(after(&["error: a", "error: b"]), agent);
        assert_eq!(after(&["error: a", "error: a"]), agent);
        let all = ["error: a", "error: b", "error: c", "error: d"];
        assert_eq!(after(&all), NextAttempt::GiveUp(GiveUpReason::AttemptsUsed));
    }

    #[test]
    fn only_candidates_that_left_work_get_a_second_attempt() {
        let candidates = [ExtraHelp::Candidates];
        let after = |gate| {
            let mut attempts = vec![attempt(PLAIN); 5];
            let help = ExtraHelp::Candidates;
            attempts.push(Attempt { help, gate, ..attempt("error: a") });
            next(&attempts, &limits(5), &candidates)
        };
        assert_eq!(after(Gate::SpecReview), NextAttempt::Try(ExtraHelp::Candidates));
        assert_eq!(after(Gate::Implement), NextAttempt::GiveUp(GiveUpReason::AttemptsUsed));
    }

    #[test]
    fn stronger_help_that_the_settings_name_no_more_ends() {
        let [model, agent] = stronger();
        let mut attempts = vec![attempt(PLAIN); 5];
        attempts.push(Attempt { help: model, ..attempt("error: a") });
        assert_eq!(
            next(&attempts, &limits(5), std::slice::from_ref(&agent)),
            NextAttempt::Try(agent)
        );
        let used = NextAttempt::GiveUp(GiveUpReason::AttemptsUsed);
        assert_eq!(next(&attempts, &limits(5), &[]), used);
    }
}
