//! The hook's answer for the model.

use std::collections::BTreeSet;

use hook_io::{HookDecision, HookOutput};

use crate::{Category, Refusal};

/// Limits the length of the answer.
const MOST_REASONS: usize = 3;

const CLOSING: &str = "Do not look for a way around this. If the work needs it, write that to your \
                       notes or progress file and continue with something else.";

pub(crate) fn verdict(refusals: &[Refusal]) -> HookDecision {
    if refusals.is_empty() {
        return HookDecision::silent("allowed: no findings");
    }
    let log =
        refusals.iter().take(MOST_REASONS).map(|refusal| format!("denied: {refusal}")).collect();
    HookDecision { output: HookOutput::Deny { reason: reason(refusals) }, log }
}

/// The refusal when the guard itself failed.
pub(crate) fn no_answer() -> Refusal {
    let why = "the command guard failed to analyze it";
    Refusal::new(Category::HiddenCode, "the command", why, "Write a simpler command")
}

pub(crate) fn no_command() -> Refusal {
    let why = "it has no readable command";
    Refusal::new(Category::HiddenCode, "Bash", why, "Pass the command as a string")
}

/// Only the first reason for each command.
fn reason(refusals: &[Refusal]) -> String {
    let mut seen = BTreeSet::new();
    let distinct = refusals.iter().filter(|refusal| seen.insert(&refusal.what));
    let mut lines: Vec<String> = distinct.map(|refusal| format!("{refusal}.\n")).collect();
    let more = lines.len().saturating_sub(MOST_REASONS);
    if more > 0 {
        lines.truncate(MOST_REASONS);
        lines.push(format!("And {more} more.\n"));
    }
    lines.concat() + CLOSING
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_reasons_are_given_and_the_others_counted() {
        let what = |number: usize| Refusal { what: number.to_string(), ..no_command() };
        let refusals: Vec<Refusal> = (0..5).map(what).collect();
        let text = reason(&refusals);
        assert_eq!(text.matches("Refused (hidden-code)").count(), 3);
        assert!(text.contains("And 2 more.\n"), "{text}");
        assert!(text.ends_with(CLOSING));
        assert!(!reason(&refusals[..3]).contains("more."));
    }

    #[test]
    fn one_reason_is_enough_for_one_command() {
        let deleted = Refusal { category: Category::RecursiveDelete, ..no_command() };
        let text = reason(&[deleted, no_command()]);
        assert_eq!(text.matches("Refused (").count(), 1, "{text}");
        assert!(text.contains("(recursive-delete)"), "{text}");
    }
}
