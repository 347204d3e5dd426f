//! Reads a guardrail.

use json_reader::{Leaf, TEXT};
use run_options::{FailAction, Guardrail, GuardrailKind, Word, is_path_pattern};

use crate::leaf::{NON_BLANK, TIME};
use crate::section::{Keys, finish};

/// A shell argument cannot contain NUL.
pub(crate) const COMMAND: Leaf<String> =
    Leaf::new("a string that is not blank and has no NUL", |json| {
        (NON_BLANK.read)(json).filter(|command| !command.contains('\0'))
    });

pub(crate) const PATTERN: Leaf<String> =
    Leaf::new("a pattern such as \"web/**\", relative to the project folder", |json| {
        json.text().filter(|text| is_path_pattern(text)).map(str::to_owned)
    });

pub(crate) fn read_guardrails(keys: &mut Keys<'_, '_, '_>) -> Vec<Guardrail> {
    let guardrails = keys.array("guardrails").unwrap_or_default();
    keys.objects_of("guardrails", guardrails, read_guardrail)
}

fn read_guardrail(mut keys: Keys<'_, '_, '_>) -> Option<Guardrail> {
    // In any case of letters.
    let action = Leaf { read: |json| FailAction::from_word(json.text()?), ..Leaf::word() };
    let command = keys.required("command", COMMAND);
    let kind = keys.optional("kind", Leaf::<GuardrailKind>::word()).unwrap_or_default();
    let paths = keys.items("paths", PATTERN).unwrap_or_default();
    let fail_action = keys.optional("failAction", action).unwrap_or_default();
    let hint = keys.optional("hint", TEXT);
    let time_limit = keys.optional("timeLimit", TIME);
    finish(keys);
    Some(Guardrail { command: command?, kind, paths, fail_action, hint, time_limit })
}
