//! A command that must pass before work counts.

use serde::Serialize;

use crate::fail_action::FailAction;
use crate::leaf::{Leaf, NON_BLANK, TEXT};
use crate::object_reader::{FromKeys, ObjectReader};
use crate::time_span::TimeSpan;
use crate::validation::GuardrailKind;

/// A command that must pass before work counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Guardrail {
    /// The command, run by the shell in the project folder. It passes with exit code 0.
    #[cfg_attr(test, schemars(regex(pattern = r"^[^\x00]*[^\s\x00][^\x00]*$")))]
    pub command: String,
    /// The kind of check, which `validation` uses to decide whether it must pass.
    #[serde(default, skip_serializing_if = "GuardrailKind::is_default")]
    pub kind: GuardrailKind,
    /// The effect of a failure on the next prompt: its message is appended (`APPEND`), prepended (`PREPEND`) or
    /// replaces the prompt (`REPLACE`).
    #[serde(default)]
    pub fail_action: FailAction,
    /// A hint for the agent when the command fails, such as how to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The time limit of the command. Default: `timeLimits.guardrail`; `"0s"` is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<TimeSpan>,
}

/// A shell argument cannot contain NUL.
pub(crate) const COMMAND: Leaf<String> = Leaf {
    expected: "a string that is not blank and has no NUL",
    read: |json| (NON_BLANK.read)(json).filter(|command| !command.contains('\0')),
};

impl FromKeys for Guardrail {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        let command = keys.required("command", COMMAND);
        let kind = keys.leaf("kind", GuardrailKind::LEAF).unwrap_or_default();
        let fail_action = keys.leaf("failAction", FailAction::LEAF).unwrap_or_default();
        let hint = keys.leaf("hint", TEXT);
        let time_limit = keys.leaf("timeLimit", TimeSpan::LEAF);
        Some(Self { command: command?, kind, fail_action, hint, time_limit })
    }
}
