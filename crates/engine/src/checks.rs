//! Runs the user's checks and judges their results.

pub(crate) mod check_plan;
pub(crate) mod failed_guardrail;
pub(crate) mod guardrail_log;
pub(crate) mod guardrails;
pub(crate) mod known_failures;
pub(crate) mod validation;

pub(crate) use check_plan::CheckPlan;
pub(crate) use failed_guardrail::FailedGuardrail;
pub(crate) use guardrail_log::truncated;
pub(crate) use guardrails::{
    GuardrailResults, GuardrailRound, GuardrailsVerdict, RoundInput, RoundProgress, RoundPurpose,
};
pub(crate) use known_failures::KnownFailures;
pub(crate) use validation::{CheckResult, Validation, ValidationVerdict};
