//! Which fields an amendment may set.

use json_reader::Entry;

use crate::show;

/// Checks and reviews set the state of a story; the user chooses its agent and model.
const NOT_THE_AGENTS: &str = "
    passes status review_status reviewStatus review_count reviewCount review_feedback reviewFeedback
    verify_commands verifyCommands model
";

/// Refuses fields that have no effect here, because the agent expects one.
pub(super) fn only_known(part: &str, entries: &[Entry], known: &[&str]) -> Result<(), String> {
    match entries.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some((name, _)) => {
            let (field, known) = (show::quoted(name), known.join(", "));
            Err(format!("{part} has no field {field}; it may have {known}"))
        }
    }
}

/// Refuses fields that only the runner or the user may set.
pub(super) fn none_of_others(entries: &[Entry]) -> Result<(), String> {
    let set = |field: &&str| entries.iter().any(|(name, _)| name == field);
    match NOT_THE_AGENTS.split_whitespace().find(set) {
        None => Ok(()),
        Some(field) => Err(format!("an amendment may not set \"{field}\"; leave it out")),
    }
}
