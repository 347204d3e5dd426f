//! What a trial says about each hook.

use super::{Answer, Ended, Hook, Model, NoTrial, Round, Trial};
use crate::doctor::check::{Check, Fix, Id};
use crate::doctor::hook_programs::REINSTALL;

/// Characters of a hook's words that are shown.
const SHOWN: usize = 48;

pub(crate) fn judge(trial: Result<&Trial, &NoTrial>) -> Check {
    let trial = match trial {
        Ok(trial) => trial,
        Err(error) => return Check::not_checked(Id::SelfTest, error.to_string()),
    };
    let faults: Vec<String> = Hook::ALL.into_iter().filter_map(|hook| fault(hook, trial)).collect();
    let notes = trial.rounds.iter().map(described);
    let seconds = trial.milliseconds as f64 / 1000.0;
    if let Some((first, others)) = faults.split_first() {
        let others = others.iter().cloned();
        return Check::problem(Id::SelfTest, first, fix(trial)).with_notes(others.chain(notes));
    }
    match &trial.ended {
        Ended::ByItself => {
            let found = format!(
                "all three hooks spoke in a real session, and the model heard them ({seconds:.1} s)"
            );
            Check::ok(Id::SelfTest, found).with_notes(notes)
        }
        Ended::TimeLimit => {
            let found = format!("the session did not end within {seconds:.0} s");
            Check::problem(Id::SelfTest, found, fix(trial)).with_notes(notes)
        }
        Ended::Failed { words } => {
            let found = format!("the session failed: {}", said(words));
            Check::problem(Id::SelfTest, found, fix(trial)).with_notes(notes)
        }
    }
}

/// Why a hook did not do its work.
fn fault(hook: Hook, trial: &Trial) -> Option<String> {
    let (name, event) = (hook.name(), hook.speaks_at());
    let is_own = |round: &&Round| round.hook == hook && round.event == event;
    let rounds: Vec<&Round> = trial.rounds.iter().filter(is_own).collect();
    let spoke = |round: &&Round| matches!(round.answer, Answer::Spoke { model: Model::Heard, .. });
    if rounds.iter().any(spoke) {
        return None;
    }
    let first = rounds.first().map(|round| (&round.answer, round.milliseconds));
    let why = match first {
        None => match &trial.ended {
            Ended::Failed { words } => {
                format!("the session failed before its turn: {}", said(words))
            }
            Ended::TimeLimit => "the time was up before its turn".into(),
            Ended::ByItself => format!("Claude Code never called it at {event}"),
        },
        Some((Answer::Missing, Some(_))) => {
            format!("no answer at {event} within {} s", hook.time().as_secs())
        }
        Some((Answer::Missing, None)) => format!("no answer at {event}"),
        Some((Answer::Failed { why }, _)) => format!("it failed at {event}: {why}"),
        Some((Answer::Silent, _)) => {
            format!("it had to speak at {event}, and said nothing that Claude Code understands")
        }
        Some((Answer::Spoke { .. }, _)) => {
            format!("it spoke at {event}, and the model did not hear it")
        }
    };
    Some(format!("{name}: {why}"))
}

fn fix(trial: &Trial) -> Fix {
    let is_called = !trial.rounds.is_empty();
    match (&trial.ended, is_called) {
        (Ended::Failed { .. } | Ended::TimeLimit, false) => {
            Fix::todo("see that `claude -p hello` works here; then try again")
        }
        (Ended::ByItself, false) => {
            Fix::todo("see what switches hooks off: /hooks in a session of Claude Code lists them")
        }
        (_, true) => Fix::todo(REINSTALL),
    }
}

fn described(round: &Round) -> String {
    let took = match round.milliseconds {
        None => String::new(),
        // Both lines of the stream came at once.
        Some(0) => ", under 1 ms".to_owned(),
        Some(ms) => format!(", {ms} ms"),
    };
    let answer = match &round.answer {
        Answer::Silent => "silent".to_owned(),
        Answer::Spoke { words, model: Model::Heard } => format!("the model heard: {}", said(words)),
        Answer::Spoke { words, model: Model::HeardNothing } => format!("said: {}", said(words)),
        Answer::Failed { why } => format!("failed: {}", said(why)),
        Answer::Missing => "no answer".to_owned(),
    };
    format!("{} at {}{took}: {answer}", round.hook.name(), round.event)
}

fn said(words: &str) -> String {
    let line = words.lines().map(str::trim).find(|line| !line.is_empty());
    let line = line.unwrap_or("nothing was said");
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
    use crate::doctor::check::State;

    fn heard() -> Answer {
        Answer::Spoke { words: "stop".into(), model: Model::Heard }
    }

    fn round(hook: Hook, answer: Answer) -> Round {
        Round { event: hook.speaks_at().into(), hook, milliseconds: Some(4), answer }
    }

    /// All is well but for this hook.
    fn trial(hook: Hook, answer: Option<Answer>) -> Trial {
        let others = Hook::ALL.into_iter().filter(|other| *other != hook);
        let mut rounds: Vec<Round> = others.map(|other| round(other, heard())).collect();
        rounds.extend(answer.map(|answer| round(hook, answer)));
        Trial { milliseconds: 2_400, ended: Ended::ByItself, rounds }
    }

    #[test]
    fn hooks_that_spoke_and_were_heard_are_fine() {
        let check = judge(Ok(&trial(Hook::StopGuard, Some(heard()))));
        assert_eq!(check.state, State::Ok, "{check:?}");
        assert!(check.found.contains("(2.4 s)"), "{check:?}");
        assert!(check.notes.contains(&"stop-guard at Stop, 4 ms: the model heard: stop".into()));
    }

    #[test]
    fn a_hook_that_did_not_do_its_work_is_named_with_the_reason() {
        let unheard = Answer::Spoke { words: "x".into(), model: Model::HeardNothing };
        for hook in Hook::ALL {
            for (answer, words) in [
                (None, "never called it"),
                (Some(Answer::Missing), "no answer at"),
                (Some(Answer::Silent), "had to speak at"),
                (Some(Answer::Failed { why: "exit code 1".into() }), "exit code 1"),
                (Some(unheard.clone()), "the model did not hear it"),
            ] {
                let check = judge(Ok(&trial(hook, answer)));
                assert_eq!(check.state, State::Problem, "{check:?}");
                assert!(check.found.starts_with(hook.name()), "{check:?}");
                assert!(check.found.contains(words) && check.fix.is_some(), "{check:?}");
            }
        }
    }

    #[test]
    fn one_good_word_is_enough() {
        let mut trial = trial(Hook::StopGuard, Some(heard()));
        trial.rounds.push(round(Hook::StopGuard, Answer::Silent));
        assert_eq!(judge(Ok(&trial)).state, State::Ok);
    }

    #[test]
    fn a_session_that_fails_before_any_hook_says_its_last_words() {
        let ended = Ended::Failed { words: "\nclaude: cannot open display".into() };
        let check = judge(Ok(&Trial { milliseconds: 9, ended, rounds: Vec::new() }));
        assert!(check.found.contains("cannot open display"), "{check:?}");
        assert!(check.fix.unwrap().text().contains("claude -p"));
    }

    #[test]
    fn what_could_not_be_set_up_is_no_word_about_the_hooks() {
        let check = judge(Err(&NoTrial::new("disk full")));
        assert_eq!(check.state, State::NotChecked);
        assert!(check.found.contains("disk full"), "{check:?}");
    }
}
