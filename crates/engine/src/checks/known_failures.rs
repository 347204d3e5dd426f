//! Checks that failed on the commit from which the stories start, before a session could change anything. Such a failure
//! is not held against a story.

use events::KnownFailure;
use failure_signature::ErrorHash;
use serde::{Deserialize, Serialize};

use crate::checks::failed_guardrail::FailedGuardrail;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KnownFailures {
    failures: Vec<SavedFailure>,
}

/// How a check failed, to distinguish another failure of the same check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SavedFailure {
    command: String,
    error: String,
    exit_code: Option<i32>,
    /// `None` if it failed in two ways: then every failure is known.
    hash: Option<ErrorHash>,
}

impl SavedFailure {
    fn of(first: &FailedGuardrail, second: &FailedGuardrail) -> Self {
        let hash = |failed: &FailedGuardrail| Some(failed.symptom.as_ref()?.hash.clone());
        let is_same = first.exit_code == second.exit_code && hash(first) == hash(second);
        Self {
            command: first.command.clone(),
            error: first.error(),
            exit_code: first.exit_code,
            hash: hash(first).filter(|_| is_same),
        }
    }

    fn is(&self, failed: &FailedGuardrail) -> bool {
        let now = failed.symptom.as_ref().map(|symptom| &symptom.hash);
        let is_same = self.exit_code == failed.exit_code && self.hash.as_ref() == now;
        self.command == failed.command && (self.hash.is_none() || is_same)
    }

    fn brief(&self) -> KnownFailure {
        let is_unstable = self.hash.is_none();
        KnownFailure { command: self.command.clone(), error: self.error.clone(), is_unstable }
    }
}

impl KnownFailures {
    /// Those that fail in both of two runs. One that passes once can pass.
    pub(crate) fn of(first: &[FailedGuardrail], second: &[FailedGuardrail]) -> Self {
        let again =
            |failed: &FailedGuardrail| second.iter().find(|other| other.command == failed.command);
        let both = first.iter().filter_map(|failed| Some((failed, again(failed)?)));
        Self { failures: both.map(|(first, second)| SavedFailure::of(first, second)).collect() }
    }

    pub(crate) fn list(&self) -> Vec<KnownFailure> {
        self.failures.iter().map(SavedFailure::brief).collect()
    }

    pub(crate) fn of_command(&self, command: &str) -> Option<KnownFailure> {
        let found = self.failures.iter().find(|known| known.command == command);
        found.map(SavedFailure::brief)
    }

    /// Whether the check failed in the same way before.
    pub(crate) fn contains(&self, failed: &FailedGuardrail) -> bool {
        self.failures.iter().any(|known| known.is(failed))
    }

    /// Without those whose command is named in one of `criteria`: the story is about them.
    pub(crate) fn not_named_in(&self, criteria: &[String]) -> Self {
        let is_named = |known: &SavedFailure| {
            criteria.iter().any(|criterion| criterion.contains(&known.command))
        };
        let failures = self.failures.iter().filter(|known| !is_named(known));
        Self { failures: failures.cloned().collect() }
    }

    /// Removes those that passed, and returns their commands. One pass of an unstable check shows nothing.
    pub(crate) fn remove_passed(&mut self, passed: &[String]) -> Vec<String> {
        let is_fixed =
            |known: &&SavedFailure| known.hash.is_some() && passed.contains(&known.command);
        let fixed = self.failures.iter().filter(is_fixed).map(|known| known.command.clone());
        let fixed: Vec<String> = fixed.collect();
        self.failures.retain(|known| !fixed.contains(&known.command));
        fixed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::guardrail_log::OutputExtent;
    use events::FailAction;

    fn failed(command: &str, code: i32, output: &str) -> FailedGuardrail {
        FailedGuardrail {
            command: command.into(),
            fail_action: FailAction::Append,
            hint: None,
            how: format!("failed with exit code {code}"),
            log: "x.log".into(),
            start: output.into(),
            extent: OutputExtent::Whole,
            tail: vec![output.into()],
            exit_code: Some(code),
            symptom: Some(failure_signature::examine(output)),
        }
    }

    #[test]
    fn only_the_same_failure_of_the_same_check_is_known() {
        let known = KnownFailures::of(
            &[failed("a", 1, "error: x is missing"), failed("b", 1, "error: y")],
            &[failed("a", 1, "error: x is missing")],
        );
        assert!(known.contains(&failed("a", 1, "error: x is missing")));
        assert!(!known.contains(&failed("a", 2, "error: x is missing")));
        assert!(!known.contains(&failed("a", 1, "error: z is missing")));
        assert!(!known.contains(&failed("b", 1, "error: y")), "it passed once");
    }

    #[test]
    fn every_failure_of_an_unstable_check_is_known() {
        let known = KnownFailures::of(&[failed("a", 1, "error: x")], &[failed("a", 1, "error: y")]);
        assert!(known.list()[0].is_unstable);
        assert!(known.contains(&failed("a", 3, "error: z")));
        let mut after = known.clone();
        assert_eq!(after.remove_passed(&["a".into()]), Vec::<String>::new());
        assert_eq!(after, known);
    }

    #[test]
    fn a_check_that_a_criterion_names_is_not_excused() {
        let both = [failed("npm test", 1, "error: x"), failed("make lint", 1, "error: y")];
        let known = KnownFailures::of(&both, &both).not_named_in(&["`npm test` passes".into()]);
        assert!(!known.contains(&both[0]));
        assert!(known.contains(&both[1]));
    }

    #[test]
    fn a_check_that_passes_is_known_no_longer() {
        let failures = [failed("a", 1, "error: x"), failed("b", 1, "error: y")];
        let mut known = KnownFailures::of(&failures, &failures);
        assert_eq!(known.remove_passed(&["a".into(), "c".into()]), ["a"]);
        assert!(!known.contains(&failures[0]));
        assert!(known.contains(&failures[1]));
    }
}
