//! Reads a guardrail.

use run_options::{FailAction, Guardrail, GuardrailKind};

use crate::leaf::{Leaf, NON_BLANK, TEXT, TIME};
use crate::object_reader::{FromKeys, ObjectReader};
use crate::words::WordLeaf;

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
        let time_limit = keys.leaf("timeLimit", TIME);
        Some(Self { command: command?, kind, fail_action, hint, time_limit })
    }
}
