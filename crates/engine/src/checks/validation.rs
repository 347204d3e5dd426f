//! The results of the checks as recorded for every iteration. The user declares the kind of each guardrail; commands
//! are not analysed.

use events::CheckOutcome;
use run_options::{Guardrail, GuardrailKind, ValidationStrategy};
use serde::Serialize;

use crate::checks::failed_guardrail::FailedGuardrail;
use crate::checks::guardrails::GuardrailResult;

/// `validation.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Validation {
    pub(crate) strategy: ValidationStrategy,
    pub(crate) verdict: ValidationVerdict,
    pub(crate) tree: String,
    pub(crate) results: Vec<CheckResult>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ValidationVerdict {
    Passed,
    Failed,
    Interrupted,
    /// No check ran.
    None,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckResult {
    command: String,
    kind: GuardrailKind,
    outcome: &'static str,
    exit_code: Option<i32>,
    seconds: f64,
    /// Relative to the project; `None` if it did not run.
    log: Option<String>,
    /// Whether its failure rejects the step.
    holds_up: bool,
    error: Option<String>,
}

/// One result per guardrail, in order. `finished` contains those that finished; an interrupted one has none.
pub(crate) fn results(
    strategy: ValidationStrategy,
    guardrails: &[Guardrail],
    finished: &[GuardrailResult],
) -> Vec<CheckResult> {
    let mut finished = finished.iter();
    let result = |guardrail: &Guardrail| {
        let is_run = strategy.runs(guardrail.kind);
        let finished = if is_run { Some(finished.next()?) } else { None };
        let outcome = finished.map(|finished| finished.outcome);
        Some(CheckResult {
            command: guardrail.command.clone(),
            kind: guardrail.kind,
            outcome: match outcome {
                None => "skipped",
                Some(CheckOutcome::Passed) => "passed",
                Some(CheckOutcome::Failed(_)) => "failed",
                Some(CheckOutcome::TimedOut) => "timedOut",
                Some(CheckOutcome::NotStarted) => "notStarted",
            },
            exit_code: match outcome {
                Some(CheckOutcome::Passed) => Some(0),
                Some(CheckOutcome::Failed(code)) => code,
                _ => None,
            },
            seconds: finished.map(|finished| finished.elapsed.as_secs_f64()).unwrap_or_default(),
            log: finished.map(|finished| finished.log.clone()),
            holds_up: strategy.is_rejected_by(guardrail.kind),
            error: finished
                .and_then(|finished| finished.failed.as_ref())
                .map(FailedGuardrail::error),
        })
    };
    guardrails.iter().filter_map(result).collect()
}

/// Failures that reject the step, and failures that do not. `run` are the guardrails that ran.
pub(crate) fn failures(
    strategy: ValidationStrategy,
    run: &[Guardrail],
    finished: Vec<GuardrailResult>,
) -> (Vec<FailedGuardrail>, Vec<FailedGuardrail>) {
    let (mut failed, mut tolerated) = (Vec::new(), Vec::new());
    for (guardrail, finished) in run.iter().zip(finished) {
        let counts = strategy.is_rejected_by(guardrail.kind);
        let side = if counts { &mut failed } else { &mut tolerated };
        side.extend(finished.failed);
    }
    (failed, tolerated)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use GuardrailKind::{Build, Lint, Other, Test};
    use ValidationStrategy::{Lenient, Strict, TestsOnly};
    use serde_json::json;

    use super::*;
    use crate::checks::guardrail_log::OutputExtent;
    use events::FailAction;

    fn guardrail(kind: GuardrailKind) -> Guardrail {
        Guardrail { kind, ..Guardrail::of_command(format!("{kind:?}")) }
    }

    fn finished(outcome: CheckOutcome) -> GuardrailResult {
        let failed = (outcome != CheckOutcome::Passed).then(|| FailedGuardrail {
            command: "x".into(),
            fail_action: FailAction::Append,
            hint: None,
            how: "failed".into(),
            log: "x.log".into(),
            start: String::new(),
            extent: OutputExtent::Whole,
            tail: Vec::new(),
            exit_code: None,
            symptom: None,
        });
        GuardrailResult {
            outcome,
            elapsed: Duration::from_millis(1500),
            log: "x.log".into(),
            failed,
        }
    }

    #[test]
    fn each_strategy_rejects_its_own_failures() {
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
                    CheckOutcome::Failed(Some(1)),
                    CheckOutcome::Failed(None),
                    CheckOutcome::TimedOut,
                    CheckOutcome::NotStarted,
                ];
                for outcome in bad {
                    let run = std::slice::from_ref(&guardrail);
                    let (failed, reported) = failures(strategy, run, vec![finished(outcome)]);
                    let expected =
                        (holding_up.contains(&guardrail.kind), tolerated.contains(&guardrail.kind));
                    assert_eq!(
                        (!failed.is_empty(), !reported.is_empty()),
                        expected,
                        "{guardrail:?}"
                    );
                }
                let passed = vec![finished(CheckOutcome::Passed)];
                let (failed, reported) = failures(strategy, &[guardrail], passed);
                assert_eq!((failed, reported), (vec![], vec![]));
            }
        }
    }

    #[test]
    fn skipped_and_interrupted_checks_keep_the_order() {
        let guardrails = [Lint, Test, Build, Test].map(guardrail);
        let finished = [finished(CheckOutcome::Failed(Some(7)))];
        let found = serde_json::to_value(results(TestsOnly, &guardrails, &finished)).unwrap();
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
