//! Records of failed attempts at a story: the failure, and how often it repeated in a row.
//! `escalation` decides what follows from them.

use chrono::{DateTime, Utc};
use events::Gate;
use failure_signature::{ErrorHash, Symptom};
use serde::{Deserialize, Serialize};
use tasks::Mode;

use crate::checks::truncated;
use crate::lane::extra_help::ExtraHelp;

/// The newest attempts keep their output.
const WINDOW: usize = 3;

/// Lines kept of one output.
pub(crate) const LINES: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Attempt {
    pub(crate) iteration: u64,
    pub(crate) mode: Mode,
    pub(crate) gate: Gate,
    /// Exit code of the failed check.
    pub(crate) exit_code: Option<i32>,
    pub(crate) at: DateTime<Utc>,
    /// Extra help that earlier attempts did not get.
    pub(crate) help: ExtraHelp,
    pub(crate) symptom: Symptom,
    /// Verbatim; cleared once there are newer attempts.
    pub(crate) output: Vec<String>,
    pub(crate) files_modified: Vec<String>,
}

/// How an attempt failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Evidence {
    pub(crate) gate: Gate,
    pub(crate) exit_code: Option<i32>,
    pub(crate) symptom: Symptom,
    pub(crate) output: Vec<String>,
}

impl Evidence {
    /// For a failure that is only described in prose, whose first line matters most.
    pub(crate) fn from_text(gate: Gate, words: &str) -> Self {
        let mut symptom = failure_signature::examine(words);
        if let Some(first) = first_line(words) {
            symptom.error = failure_signature::examine(first).error;
        }
        symptom.hash = ErrorHash::combined([(gate.to_string().as_str(), &symptom.hash)]);
        Self { gate, exit_code: None, symptom, output: cut(words) }
    }

    /// For a session without usable output. Its last message differs each time, so it is not hashed.
    pub(crate) fn without_result(gate: Gate, what: &str, last_message: &str) -> Self {
        let evidence = Self::from_text(gate, what);
        let Some(first) = first_line(last_message) else { return evidence };
        let error = failure_signature::examine(&format!("{what}; last message: {first}")).error;
        let output = cut(&format!("{what}\nThe session's last message:\n{}", last_message.trim()));
        Self { symptom: Symptom { error, ..evidence.symptom }, output, ..evidence }
    }
}

fn first_line(words: &str) -> Option<&str> {
    words.lines().map(str::trim).find(|line| !line.is_empty())
}

/// The last lines, after a line with the number of omitted ones.
pub(crate) fn cut(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let left_out = lines.len().saturating_sub(LINES);
    let mut kept: Vec<String> = lines[left_out..].iter().map(|line| (*line).to_owned()).collect();
    if left_out > 0 {
        kept.insert(0, truncated(left_out as u64));
    }
    kept
}

/// How often in a row the last failure occurred.
pub(crate) fn repeats(attempts: &[Attempt]) -> u64 {
    let Some(last) = attempts.last() else { return 0 };
    let alike =
        attempts.iter().rev().take_while(|attempt| attempt.symptom.hash == last.symptom.hash);
    alike.count() as u64
}

pub(crate) fn strategy_shifts(attempts: &[Attempt]) -> u64 {
    attempts.iter().filter(|attempt| attempt.help.shifts()).count() as u64
}

/// The newest attempts, numbered from 1.
pub(crate) fn recent(attempts: &[Attempt]) -> impl DoubleEndedIterator<Item = (usize, &Attempt)> {
    let skipped = attempts.len().saturating_sub(WINDOW);
    attempts.iter().enumerate().skip(skipped).map(|(index, attempt)| (index + 1, attempt))
}

/// Adds an attempt and clears the output of old ones.
pub(crate) fn add(attempts: &mut Vec<Attempt>, attempt: Attempt) {
    attempts.push(attempt);
    let old = attempts.len().saturating_sub(WINDOW);
    for attempt in &mut attempts[..old] {
        attempt.output.clear();
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An attempt at the tests that failed with `output`.
    pub(crate) fn attempt(output: &str) -> Attempt {
        Attempt {
            iteration: 1,
            mode: Mode::Implement,
            gate: Gate::Tests,
            exit_code: Some(1),
            at: "2026-01-21T10:30:00Z".parse().unwrap(),
            help: ExtraHelp::None,
            symptom: failure_signature::examine(output),
            output: cut(output),
            files_modified: vec!["src/auth.ts".into()],
        }
    }

    #[test]
    fn only_consecutive_identical_failures_count_as_repeats() {
        let of =
            |outputs: &[&str]| repeats(&outputs.iter().map(|o| attempt(o)).collect::<Vec<_>>());
        assert_eq!(of(&[]), 0);
        assert_eq!(of(&["error: a"]), 1);
        assert_eq!(of(&["error: a", "error: a", "error: a"]), 3);
        assert_eq!(of(&["error: a", "error: b", "error: a"]), 1);
        assert_eq!(of(&["error: b", "error: a", "error: a"]), 2);
    }

    #[test]
    fn the_first_line_is_the_error_and_all_lines_are_hashed() {
        let of = |words| Evidence::from_text(Gate::SpecReview, words).symptom;
        let feedback = of("\nNo reset.\nerror handling is fine otherwise");
        assert_eq!(feedback.error, "No reset.");
        assert_ne!(feedback.hash, of("No reset.\nand no logout").hash);
    }

    #[test]
    fn the_last_message_of_a_session_is_shown_but_not_hashed() {
        let what = "nothing came of it";
        let of = |words| Evidence::without_result(Gate::Implement, what, words);
        let (asks, waits) = (of("\nWhich one?\nA or B?"), of("I wait."));
        assert_eq!(asks.symptom.error, "nothing came of it; last message: Which one?");
        assert_eq!(asks.output.last().unwrap(), "A or B?");
        assert_eq!(asks.symptom.hash, waits.symptom.hash);
        assert_eq!(of(" "), Evidence::from_text(Gate::Implement, what));
    }

    #[test]
    fn a_hundred_lines_are_kept_and_the_omitted_ones_counted() {
        let lines = |count: usize| (0..count).map(|n| format!("l{n}\n")).collect::<String>();
        assert_eq!(cut(&lines(100)).len(), 100);
        let cut = cut(&lines(137));
        assert_eq!(cut.len(), 101);
        assert_eq!((cut[0].as_str(), cut[1].as_str()), ("[... 37 lines truncated ...]", "l37"));
    }

    #[test]
    fn three_attempts_keep_their_output() {
        let mut attempts = Vec::new();
        for number in 0..5 {
            add(&mut attempts, attempt(&format!("error: {number}")));
        }
        let kept: Vec<bool> = attempts.iter().map(|attempt| !attempt.output.is_empty()).collect();
        assert_eq!(kept, [false, false, true, true, true]);
        let numbers: Vec<usize> = recent(&attempts).map(|(number, _)| number).collect();
        assert_eq!(numbers, [3, 4, 5]);
    }
}
