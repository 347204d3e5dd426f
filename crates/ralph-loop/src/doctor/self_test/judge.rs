//! Evaluates the self-test for each hook.

use super::{Hook, HookResponse, HookRound, Model, SelfTestError, Trial, TrialEnd};
use crate::doctor::check::{Check, CheckId, Fix};
use crate::doctor::hook_programs::REINSTALL;

/// Characters of a hook's message that are shown.
const SHOWN: usize = 48;

pub(crate) fn judge(trial: Result<&Trial, &SelfTestError>) -> Check {
    let trial = match trial {
        Ok(trial) => trial,
        Err(error) => return Check::not_checked(CheckId::SelfTest, error.to_string()),
    };
    let faults: Vec<String> = Hook::ALL.into_iter().filter_map(|hook| fault(hook, trial)).collect();
    let notes = trial.rounds.iter().map(described);
    let seconds = trial.milliseconds as f64 / 1000.0;
    if let Some((first, others)) = faults.split_first() {
        let others = others.iter().cloned();
        return Check::problem(CheckId::SelfTest, first, fix(trial))
            .with_notes(others.chain(notes));
    }
    match &trial.ended {
        TrialEnd::ByItself => {
            let found = format!(
                "all three hooks work in a real session, and the model receives them ({seconds:.1} s)"
            );
            Check::ok(CheckId::SelfTest, found).with_notes(notes)
        }
        TrialEnd::TimeLimit => {
            let found = format!("the session did not end within {seconds:.0} s");
            Check::problem(CheckId::SelfTest, found, fix(trial)).with_notes(notes)
        }
        TrialEnd::Failed { words } => {
            let found = format!("the session failed: {}", first_line(words));
            Check::problem(CheckId::SelfTest, found, fix(trial)).with_notes(notes)
        }
    }
}

/// Why a hook does not work.
fn fault(hook: Hook, trial: &Trial) -> Option<String> {
    let (name, event) = (hook.name(), hook.triggered_at());
    let is_own = |round: &&HookRound| round.hook == hook && round.event == event;
    let rounds: Vec<&HookRound> = trial.rounds.iter().filter(is_own).collect();
    let spoke = |round: &&HookRound| {
        matches!(round.answer, HookResponse::Spoke { model: Model::Heard, .. })
    };
    if rounds.iter().any(spoke) {
        return None;
    }
    let first = rounds.first().map(|round| (&round.answer, round.milliseconds));
    let why = match first {
        None => match &trial.ended {
            TrialEnd::Failed { words } => {
                format!("the session failed before the hook was called: {}", first_line(words))
            }
            TrialEnd::TimeLimit => "the session timed out before the hook was called".into(),
            TrialEnd::ByItself => format!("Claude Code never called it at {event}"),
        },
        Some((HookResponse::Missing, Some(_))) => {
            format!("no answer at {event} within {} s", hook.time().as_secs())
        }
        Some((HookResponse::Missing, None)) => format!("no answer at {event}"),
        Some((HookResponse::Failed { why }, _)) => format!("failed at {event}: {why}"),
        Some((HookResponse::Silent, _)) => {
            format!("no message at {event} that Claude Code understands")
        }
        Some((HookResponse::Spoke { .. }, _)) => {
            format!("the model did not receive its message at {event}")
        }
    };
    Some(format!("{name}: {why}"))
}

fn fix(trial: &Trial) -> Fix {
    let is_called = !trial.rounds.is_empty();
    match (&trial.ended, is_called) {
        (TrialEnd::Failed { .. } | TrialEnd::TimeLimit, false) => {
            Fix::todo("make sure that `claude -p hello` works, then try again")
        }
        (TrialEnd::ByItself, false) => {
            Fix::todo("find what disables hooks: /hooks in a Claude Code session lists them")
        }
        (_, true) => Fix::todo(REINSTALL),
    }
}

fn described(round: &HookRound) -> String {
    let took = match round.milliseconds {
        None => String::new(),
        // Both lines of the stream came at once.
        Some(0) => ", under 1 ms".to_owned(),
        Some(ms) => format!(", {ms} ms"),
    };
    let answer = match &round.answer {
        HookResponse::Silent => "silent".to_owned(),
        HookResponse::Spoke { words, model: Model::Heard } => {
            format!("the model received: {}", first_line(words))
        }
        HookResponse::Spoke { words, model: Model::HeardNothing } => {
            format!("not received by the model: {}", first_line(words))
        }
        HookResponse::Failed { why } => format!("failed: {}", first_line(why)),
        HookResponse::Missing => "no answer".to_owned(),
    };
    format!("{} at {}{took}: {answer}", round.hook.name(), round.event)
}

fn first_line(words: &str) -> String {
    let line = words.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or("no output");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => {
            let end = line[..end].rfind(' ').unwrap_or(end);
            format!("{} ...", &line[..end])
        }
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::CheckState;

    fn heard() -> HookResponse {
        HookResponse::Spoke { words: "stop".into(), model: Model::Heard }
    }

    fn round(hook: Hook, answer: HookResponse) -> HookRound {
        HookRound { event: hook.triggered_at().into(), hook, milliseconds: Some(4), answer }
    }

    /// All hooks but this one work.
    fn trial(hook: Hook, answer: Option<HookResponse>) -> Trial {
        let others = Hook::ALL.into_iter().filter(|other| *other != hook);
        let mut rounds: Vec<HookRound> = others.map(|other| round(other, heard())).collect();
        rounds.extend(answer.map(|answer| round(hook, answer)));
        Trial { milliseconds: 2_400, ended: TrialEnd::ByItself, rounds }
    }

    #[test]
    fn working_hooks_are_ok() {
        let check = judge(Ok(&trial(Hook::StopGuard, Some(heard()))));
        assert_eq!(check.state, CheckState::Ok, "{check:?}");
        assert!(check.found.contains("(2.4 s)"), "{check:?}");
        assert!(check.notes.contains(&"stop-guard at Stop, 4 ms: the model received: stop".into()));
    }

    #[test]
    fn a_broken_hook_is_reported_with_the_reason() {
        let unheard = HookResponse::Spoke { words: "x".into(), model: Model::HeardNothing };
        for hook in Hook::ALL {
            for (answer, words) in [
                (None, "never called it"),
                (Some(HookResponse::Missing), "no answer at"),
                (Some(HookResponse::Silent), "no message at"),
                (Some(HookResponse::Failed { why: "exit code 1".into() }), "exit code 1"),
                (Some(unheard.clone()), "the model did not receive its message"),
            ] {
                let check = judge(Ok(&trial(hook, answer)));
                assert_eq!(check.state, CheckState::Problem, "{check:?}");
                assert!(check.found.starts_with(hook.name()), "{check:?}");
                assert!(check.found.contains(words) && check.fix.is_some(), "{check:?}");
            }
        }
    }

    #[test]
    fn one_received_message_is_enough() {
        let mut trial = trial(Hook::StopGuard, Some(heard()));
        trial.rounds.push(round(Hook::StopGuard, HookResponse::Silent));
        assert_eq!(judge(Ok(&trial)).state, CheckState::Ok);
    }

    #[test]
    fn a_failed_session_is_reported_with_its_last_output() {
        let ended = TrialEnd::Failed { words: "\nclaude: cannot open display".into() };
        let check = judge(Ok(&Trial { milliseconds: 9, ended, rounds: Vec::new() }));
        assert!(check.found.contains("cannot open display"), "{check:?}");
        assert!(check.fix.unwrap().text().contains("claude -p"));
    }

    #[test]
    fn a_failed_set_up_is_not_a_problem_of_the_hooks() {
        let check = judge(Err(&SelfTestError::new("disk full")));
        assert_eq!(check.state, CheckState::NotChecked);
        assert!(check.found.contains("disk full"), "{check:?}");
    }
}
