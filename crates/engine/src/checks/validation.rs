//! The results of the checks as recorded for every iteration. The user declares the kind of each guardrail; commands
//! are not analysed.

use events::CheckOutcome;
use run_options::{Guardrail, GuardrailKind, ValidationStrategy};
use serde::Serialize;

use crate::checks::check_plan::CheckPlan;
use crate::checks::failed_guardrail::FailedGuardrail;
use crate::checks::guardrails::GuardrailResult;
use crate::checks::known_failures::KnownFailures;

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
    /// It failed in the same way before the run changed anything.
    #[serde(rename = "knownFailure", skip_serializing_if = "std::ops::Not::not")]
    is_known_failure: bool,
    error: Option<String>,
}

/// One result per guardrail, in order. `run` are those to run, and `finished` those that finished; an interrupted one has
/// none.
pub(crate) fn results(
    strategy: ValidationStrategy,
    plan: &CheckPlan,
    run: &[Guardrail],
    finished: &[GuardrailResult],
) -> Vec<CheckResult> {
    let mut finished = finished.iter();
    let result = |guardrail: &Guardrail| {
        let finished = if run.contains(guardrail) { Some(finished.next()?) } else { None };
        let outcome = finished.map(|finished| finished.outcome);
        let failed = finished.and_then(|finished| finished.failed.as_ref());
        let is_known = failed.is_some_and(|failed| plan.known.contains(failed));
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
            holds_up: strategy.is_rejected_by(guardrail.kind) && !is_known,
            is_known_failure: is_known,
            error: failed.map(FailedGuardrail::error),
        })
    };
    plan.guardrails.iter().filter_map(result).collect()
}

/// The commands of the checks that passed.
pub(crate) fn passed(run: &[Guardrail], finished: &[GuardrailResult]) -> Vec<String> {
    let passed = run.iter().zip(finished).filter(|(_, finished)| finished.failed.is_none());
    passed.map(|(guardrail, _)| guardrail.command.clone()).collect()
}

/// Failures that reject the step, and failures that do not. `run` are the guardrails that ran.
pub(crate) fn failures(
    strategy: ValidationStrategy,
    run: &[Guardrail],
    finished: Vec<GuardrailResult>,
    known: &KnownFailures,
) -> (Vec<FailedGuardrail>, Vec<FailedGuardrail>) {
    let (mut failed, mut tolerated) = (Vec::new(), Vec::new());
    for (guardrail, finished) in run.iter().zip(finished) {
        let Some(mut failure) = finished.failed else { continue };
        if strategy.is_rejected_by(guardrail.kind) && !known.contains(&failure) {
            if known.of_command(&failure.command).is_some() {
                failure.how += ", not as before the run";
            }
            failed.push(failure);
        } else {
            tolerated.push(failure);
        }
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
                    let (failed, reported) =
                        failures(strategy, run, vec![finished(outcome)], &KnownFailures::default());
                    let expected =
                        (holding_up.contains(&guardrail.kind), tolerated.contains(&guardrail.kind));
                    assert_eq!(
                        (!failed.is_empty(), !reported.is_empty()),
                        expected,
                        "{guardrail:?}"
                    );
                }
                let passed = vec![finished(CheckOutcome::Passed)];
                let (failed, reported) =
                    failures(strategy, &[guardrail], passed, &KnownFailures::default());
                assert_eq!((failed, reported), (vec![], vec![]));
            }
        }
    }

    #[test]
    fn skipped_and_interrupted_checks_keep_the_order() {
        let guardrails = [Lint, Test, Build, Test].map(guardrail);
        let finished = [finished(CheckOutcome::Failed(Some(7)))];
        let run = guardrails.clone().into_iter().filter(|check| TestsOnly.runs(check.kind));
        let run: Vec<Guardrail> = run.collect();
        let (guardrails, known) = (guardrails.to_vec(), KnownFailures::default());
        let plan = CheckPlan { guardrails, since: None, known };
        let found = results(TestsOnly, &plan, &run, &finished);
        let found = serde_json::to_value(found).unwrap();
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
