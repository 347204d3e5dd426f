//! How strictly the checks are taken, and what they came to, as it is written down for every
//! iteration. What a command does is not seen here: a guardrail is of the kind that the user says.

use serde::{Deserialize, Serialize};

use crate::GateOutcome;
use crate::failed_guardrail::FailedGuardrail;
use crate::guardrails::Heard;
use crate::options::Guardrail;

/// Which guardrails have to pass.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ValidationStrategy {
    /// All of them.
    #[default]
    Strict,
    /// All but linters, whose failures are told.
    Lenient,
    /// Tests alone; no other is run.
    TestsOnly,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GuardrailKind {
    /// As the task list's own checks are.
    #[default]
    Test,
    Lint,
    Build,
    Other,
}

impl ValidationStrategy {
    pub(crate) fn runs(self, kind: GuardrailKind) -> bool {
        match self {
            Self::Strict | Self::Lenient => true,
            Self::TestsOnly => kind == GuardrailKind::Test,
        }
    }

    /// Whether a failure takes the step back.
    pub(crate) fn is_held_up_by(self, kind: GuardrailKind) -> bool {
        match self {
            Self::Strict => true,
            Self::Lenient => kind != GuardrailKind::Lint,
            Self::TestsOnly => kind == GuardrailKind::Test,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Lenient => "lenient",
            Self::TestsOnly => "testsOnly",
        }
    }
}

/// `validation.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Validation {
    pub(crate) strategy: ValidationStrategy,
    pub(crate) verdict: ValidationVerdict,
    /// What it is about.
    pub(crate) tree: String,
    pub(crate) results: Vec<CheckResult>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ValidationVerdict {
    Passed,
    Failed,
    Interrupted,
    /// Nothing was run.
    None,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckResult {
    command: String,
    kind: GuardrailKind,
    outcome: CheckOutcome,
    exit_code: Option<i32>,
    seconds: f64,
    /// From the project; none if it was not run.
    log: Option<String>,
    /// Whether its failure would take the step back.
    holds_up: bool,
    /// What went wrong, on one line.
    error: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum CheckOutcome {
    Passed,
    Failed,
    TimedOut,
    NotStarted,
    Skipped,
}

/// One result for each guardrail, in their order. `heard` is of those that were run, as far as they
/// came; what was cut off has none.
pub(crate) fn results(
    strategy: ValidationStrategy,
    guardrails: &[Guardrail],
    heard: &[Heard],
) -> Vec<CheckResult> {
    let mut heard = heard.iter();
    let result = |guardrail: &Guardrail| {
        let is_run = strategy.runs(guardrail.kind);
        let heard = if is_run { Some(heard.next()?) } else { None };
        let outcome = heard.map(|heard| heard.outcome);
        Some(CheckResult {
            command: guardrail.command.clone(),
            kind: guardrail.kind,
            outcome: outcome.map_or(CheckOutcome::Skipped, CheckOutcome::of),
            exit_code: match outcome {
                Some(GateOutcome::Passed) => Some(0),
                Some(GateOutcome::Failed(code)) => code,
                _ => None,
            },
            seconds: heard.map(|heard| heard.elapsed.as_secs_f64()).unwrap_or_default(),
            log: heard.map(|heard| heard.log.clone()),
            holds_up: strategy.is_held_up_by(guardrail.kind),
            error: heard.and_then(|heard| heard.failed.as_ref()).map(FailedGuardrail::error),
        })
    };
    guardrails.iter().filter_map(result).collect()
}

/// What failed and takes the step back, and what failed and holds nothing up. `run` are those that
/// were heard.
pub(crate) fn failures(
    strategy: ValidationStrategy,
    run: &[Guardrail],
    heard: Vec<Heard>,
) -> (Vec<FailedGuardrail>, Vec<FailedGuardrail>) {
    let (mut failed, mut tolerated) = (Vec::new(), Vec::new());
    for (guardrail, heard) in run.iter().zip(heard) {
        let counts = strategy.is_held_up_by(guardrail.kind);
        let side = if counts { &mut failed } else { &mut tolerated };
        side.extend(heard.failed);
    }
    (failed, tolerated)
}

impl CheckOutcome {
    fn of(outcome: GateOutcome) -> Self {
        match outcome {
            GateOutcome::Passed => Self::Passed,
            GateOutcome::Failed(_) => Self::Failed,
            GateOutcome::TimedOut => Self::TimedOut,
            GateOutcome::NotStarted => Self::NotStarted,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use GuardrailKind::{Build, Lint, Other, Test};
    use ValidationStrategy::{Lenient, Strict, TestsOnly};
    use serde_json::json;

    use super::*;
    use crate::FailAction;
    use crate::guardrail_log::Extent;

    fn guardrail(kind: GuardrailKind) -> Guardrail {
        Guardrail { kind, ..Guardrail::of_command(format!("{kind:?}")) }
    }

    fn heard(outcome: GateOutcome) -> Heard {
        let failed = (outcome != GateOutcome::Passed).then(|| FailedGuardrail {
            command: "x".into(),
            fail_action: FailAction::Append,
            hint: None,
            how: "failed".into(),
            log: "x.log".into(),
            start: String::new(),
            extent: Extent::Whole,
            tail: Vec::new(),
            exit_code: None,
            symptom: None,
        });
        Heard { outcome, elapsed: Duration::from_millis(1500), log: "x.log".into(), failed }
    }

    #[test]
    fn each_strategy_is_held_up_by_what_it_says() {
        let all = [Test, Lint, Build, Other];
        for (strategy, holding_up, tolerated) in [
            (Strict, all.to_vec(), vec![]),
            (Lenient, vec![Test, Build, Other], vec![Lint]),
            (TestsOnly, vec![Test], vec![]),
        ] {
            let run =
                all.map(guardrail).into_iter().filter(|guardrail| strategy.runs(guardrail.kind));
            for guardrail in run {
                let bad = [
                    GateOutcome::Failed(Some(1)),
                    GateOutcome::Failed(None),
                    GateOutcome::TimedOut,
                    GateOutcome::NotStarted,
                ];
                for outcome in bad {
                    let run = std::slice::from_ref(&guardrail);
                    let (failed, told) = failures(strategy, run, vec![heard(outcome)]);
                    let expected =
                        (holding_up.contains(&guardrail.kind), tolerated.contains(&guardrail.kind));
                    assert_eq!((!failed.is_empty(), !told.is_empty()), expected, "{guardrail:?}");
                }
                let passed = vec![heard(GateOutcome::Passed)];
                let (failed, told) = failures(strategy, &[guardrail], passed);
                assert_eq!((failed, told), (vec![], vec![]));
            }
        }
    }

    #[test]
    fn what_was_skipped_and_what_was_cut_off_keep_the_others_in_their_places() {
        let guardrails = [Lint, Test, Build, Test].map(guardrail);
        let heard = [heard(GateOutcome::Failed(Some(7)))];
        let found = serde_json::to_value(results(TestsOnly, &guardrails, &heard)).unwrap();
        let skipped = |command: &str| {
            json!({
                "command": command, "kind": command.to_lowercase(), "outcome": "skipped",
                "exitCode": null, "seconds": 0.0, "log": null, "holdsUp": false, "error": null,
            })
        };
        let failed = json!({
            "command": "Test", "kind": "test", "outcome": "failed", "exitCode": 7, "seconds": 1.5,
            "log": "x.log", "holdsUp": true, "error": "failed",
        });
        assert_eq!(found, json!([skipped("Lint"), failed, skipped("Build")]));
    }
}
