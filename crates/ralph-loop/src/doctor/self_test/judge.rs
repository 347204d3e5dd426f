//! Evaluates the self-test for each hook.

use anyhow::Result;

use super::{HOOKS, Hook, HookCall, HookResponse, Trial, TrialEnd};
use crate::doctor::check::{Check, CheckId, Fix};
use crate::doctor::own_programs::REINSTALL;

/// Characters of a hook's message that are shown.
const SHOWN: usize = 48;

pub(crate) fn judge(trial: &Result<Trial>) -> Check {
    let trial = match trial {
        Ok(trial) => trial,
        Err(error) => {
            return CheckId::SelfTest.not_checked(format!("cannot set up the self-test: {error}"));
        }
    };
    let seconds = trial.milliseconds as f64 / 1000.0;
    let of_session = match &trial.ended {
        TrialEnd::ByItself => None,
        TrialEnd::TimeLimit => Some(format!("the session did not end within {seconds:.0} s")),
        TrialEnd::Failed { output } => Some(format!("the session failed: {}", first_line(output))),
    };
    let of_hooks: Vec<String> = HOOKS.iter().filter_map(|hook| fault(hook, trial)).collect();
    let notes = trial.calls.iter().map(described);
    match (of_hooks.split_first(), of_session) {
        (Some((first, others)), _) => CheckId::SelfTest
            .problem(first, fix(trial))
            .with_notes(others.iter().cloned().chain(notes)),
        (None, Some(fault)) => CheckId::SelfTest.problem(fault, fix(trial)).with_notes(notes),
        (None, None) => {
            let found = format!(
                "all three hooks work in a real session, and the model receives them ({seconds:.1} s)"
            );
            CheckId::SelfTest.ok(found).with_notes(notes)
        }
    }
}

/// Why a hook does not work.
fn fault(hook: &Hook, trial: &Trial) -> Option<String> {
    let Hook { name, event, .. } = hook;
    let is_own = |call: &&HookCall| call.hook == *name && call.event == *event;
    let calls: Vec<&HookCall> = trial.calls.iter().filter(is_own).collect();
    let is_received =
        |call: &&HookCall| matches!(call.answer, HookResponse::Message { received: true, .. });
    if calls.iter().any(is_received) {
        return None;
    }
    let first = calls.first().map(|call| (&call.answer, call.milliseconds));
    let why = match first {
        None => match &trial.ended {
            TrialEnd::Failed { output } => {
                format!("the session failed before the hook was called: {}", first_line(output))
            }
            TrialEnd::TimeLimit => "the session timed out before the hook was called".into(),
            TrialEnd::ByItself => format!("Claude Code never called it at {event}"),
        },
        Some((HookResponse::Missing, Some(_))) => {
            format!("no answer at {event} within {} s", hook.time.as_secs())
        }
        Some((HookResponse::Missing, None)) => format!("no answer at {event}"),
        Some((HookResponse::Failed { why }, _)) => format!("failed at {event}: {why}"),
        Some((HookResponse::Silent, _)) => {
            format!("no message at {event} that Claude Code understands")
        }
        Some((HookResponse::Message { .. }, _)) => {
            format!("the model did not receive its message at {event}")
        }
    };
    Some(format!("{name}: {why}"))
}

fn fix(trial: &Trial) -> Fix {
    let is_called = !trial.calls.is_empty();
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

fn described(call: &HookCall) -> String {
    let took = match call.milliseconds {
        None => String::new(),
        // Both lines of the stream came at once.
        Some(0) => ", under 1 ms".to_owned(),
        Some(ms) => format!(", {ms} ms"),
    };
    let answer = match &call.answer {
        HookResponse::Silent => "silent".to_owned(),
        HookResponse::Message { text, received: true } => {
            format!("the model received: {}", first_line(text))
        }
        HookResponse::Message { text, received: false } => {
            format!("not received by the model: {}", first_line(text))
        }
        HookResponse::Failed { why } => format!("failed: {}", first_line(why)),
        HookResponse::Missing => "no answer".to_owned(),
    };
    format!("{} at {}{took}: {answer}", call.hook, call.event)
}

fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
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

    fn received() -> HookResponse {
        HookResponse::Message { text: "stop".into(), received: true }
    }

    fn call(hook: Hook, answer: HookResponse) -> HookCall {
        HookCall { event: hook.event.into(), hook: hook.name, milliseconds: Some(4), answer }
    }

    /// All hooks but this one work.
    fn trial(hook: Hook, answer: Option<HookResponse>) -> Trial {
        let others = HOOKS.into_iter().filter(|other| *other != hook);
        let mut calls: Vec<HookCall> = others.map(|other| call(other, received())).collect();
        calls.extend(answer.map(|answer| call(hook, answer)));
        Trial { milliseconds: 2_400, ended: TrialEnd::ByItself, calls }
    }

    #[test]
    fn working_hooks_are_ok() {
        let check = judge(&Ok(trial(HOOKS[2], Some(received()))));
        assert_eq!(check.state, CheckState::Ok, "{check:?}");
        assert!(check.found.contains("(2.4 s)"), "{check:?}");
        assert!(check.notes.contains(&"stop-guard at Stop, 4 ms: the model received: stop".into()));
    }

    #[test]
    fn a_broken_hook_is_reported_with_the_reason() {
        let unreceived = HookResponse::Message { text: "x".into(), received: false };
        for hook in HOOKS {
            for (answer, words) in [
                (None, "never called it"),
                (Some(HookResponse::Missing), "no answer at"),
                (Some(HookResponse::Silent), "no message at"),
                (Some(HookResponse::Failed { why: "exit code 1".into() }), "exit code 1"),
                (Some(unreceived.clone()), "the model did not receive its message"),
            ] {
                let check = judge(&Ok(trial(hook, answer)));
                assert_eq!(check.state, CheckState::Problem, "{check:?}");
                assert!(check.found.starts_with(hook.name), "{check:?}");
                assert!(check.found.contains(words) && check.fix.is_some(), "{check:?}");
            }
        }
    }

    #[test]
    fn one_received_message_is_enough() {
        let mut trial = trial(HOOKS[2], Some(received()));
        trial.calls.push(call(HOOKS[2], HookResponse::Silent));
        assert_eq!(judge(&Ok(trial)).state, CheckState::Ok);
    }

    #[test]
    fn a_failed_session_is_reported_with_its_last_output() {
        let ended = TrialEnd::Failed { output: "\nclaude: cannot open display".into() };
        let check = judge(&Ok(Trial { milliseconds: 9, ended, calls: Vec::new() }));
        assert!(check.found.contains("cannot open display"), "{check:?}");
        assert!(check.fix.unwrap().text().contains("claude -p"));
    }

    #[test]
    fn a_failed_set_up_is_not_a_problem_of_the_hooks() {
        let check = judge(&Err(anyhow::anyhow!("disk full")));
        assert_eq!(check.state, CheckState::NotChecked);
        assert!(check.found.contains("disk full"), "{check:?}");
    }
}
