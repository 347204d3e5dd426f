//! A command that must pass before work counts.

use serde::Serialize;

use crate::fail_action::FailAction;
use crate::leaf::{Leaf, TEXT, WORDING};
use crate::object_reader::{FromKeys, ObjectReader};
use crate::time_span::TimeSpan;
use crate::validation::GuardrailKind;

/// A command that must pass before work counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Guardrail {
    /// The command, run by the shell in the project's root. It passes with exit code 0.
    #[cfg_attr(test, schemars(regex(pattern = r"^[^\x00]*[^\s\x00][^\x00]*$")))]
    pub command: String,
    /// What the command looks at, for `validation` to know whether it has to pass.
    #[serde(default, skip_serializing_if = "GuardrailKind::is_usual")]
    pub kind: GuardrailKind,
    /// What a failure does to the next prompt: its message follows the prompt (`APPEND`), stands
    /// before it (`PREPEND`) or takes its place (`REPLACE`).
    #[serde(default)]
    pub fail_action: FailAction,
    /// A sentence for the agent when the command fails, such as how to mend it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// How long the command may take. Without it, `timeLimits.guardrail` holds; `"0s"` is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<TimeSpan>,
}

/// An argument of the shell, which cannot hold a NUL.
pub(crate) const COMMAND: Leaf<String> = Leaf {
    expected: "a string that is not blank and has no NUL",
    read: |json| (WORDING.read)(json).filter(|command| !command.contains('\0')),
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
