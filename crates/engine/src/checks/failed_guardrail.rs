//! A failed guardrail, and its effect on the next prompt.

use std::fmt;

use events::FailAction;
use failure_signature::Symptom;
use serde::{Deserialize, Serialize};

use crate::checks::guardrail_log::{self, OutputExtent};

/// Last lines quoted if the beginning is not the whole output: the error is often at the end.
const LAST_LINES: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FailedGuardrail {
    pub(crate) command: String,
    pub(crate) fail_action: FailAction,
    pub(crate) hint: Option<String>,
    /// `failed with exit code 2`
    pub(crate) how: String,
    /// The log file with the whole output, relative to the project.
    pub(crate) log: String,
    /// The beginning of the output, with a mark if there is more.
    pub(crate) start: String,
    #[serde(default)]
    pub(crate) extent: OutputExtent,
    /// Its last lines.
    pub(crate) tail: Vec<String>,
    #[serde(default)]
    pub(crate) exit_code: Option<i32>,
    /// Derived from the output; unknown for failures saved by an older version.
    #[serde(default)]
    pub(crate) symptom: Option<Symptom>,
}

impl FailedGuardrail {
    pub(crate) fn error(&self) -> String {
        self.symptom.as_ref().map_or_else(|| self.how.clone(), |symptom| symptom.error.clone())
    }

    /// The command and the last lines of its output, with a line that says how many are left out.
    pub(crate) fn last_lines(&self, most: usize) -> Vec<String> {
        let left_out = self.tail.first().and_then(|first| guardrail_log::left_out(first));
        let kept = &self.tail[usize::from(left_out.is_some())..];
        let skipped = kept.len().saturating_sub(most);
        let left_out = left_out.unwrap_or(0) + skipped as u64;
        let mark = (left_out > 0).then(|| guardrail_log::truncated(left_out));
        let start = [format!("$ {}", self.command)].into_iter().chain(mark);
        start.chain(kept[skipped..].iter().cloned()).collect()
    }
}

/// The message for the agent.
impl fmt::Display for FailedGuardrail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Guardrail \"{}\" {}.", self.command, self.how)?;
        if let Some(hint) = &self.hint {
            writeln!(f, "Hint: {hint}")?;
        }
        writeln!(f, "Output file: {}", self.log)?;
        write!(f, "Output (truncated):\n{}", self.start)?;
        if self.extent == OutputExtent::Cut {
            let skipped = self.tail.len().saturating_sub(LAST_LINES);
            write!(f, "\nLast lines:\n{}", self.tail[skipped..].join("\n"))?;
        }
        Ok(())
    }
}

/// The prompt with the messages of failed guardrails: a replacing one takes the place of the prompt, the
/// others are prepended or appended.
pub(crate) fn apply(prompt: &str, failed: &[FailedGuardrail]) -> String {
    let of = |action| {
        let wanted = failed.iter().filter(move |failed| failed.fail_action == action);
        wanted.map(ToString::to_string).collect::<Vec<_>>()
    };
    let replacing = of(FailAction::Replace);
    let middle = if replacing.is_empty() { vec![prompt.to_owned()] } else { replacing };
    [of(FailAction::Prepend), middle, of(FailAction::Append)].concat().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(command: &str, fail_action: FailAction) -> FailedGuardrail {
        FailedGuardrail {
            command: command.into(),
            fail_action,
            hint: None,
            how: "failed with exit code 2".into(),
            log: "x.log".into(),
            start: "boom".into(),
            extent: OutputExtent::Whole,
            tail: vec!["boom".into()],
            exit_code: Some(2),
            symptom: None,
        }
    }

    #[test]
    fn the_last_lines_begin_with_the_number_of_omitted_lines() {
        let lines = |failed: &FailedGuardrail, most| failed.last_lines(most).join("|");
        let mut failed = failed("x", FailAction::Append);
        assert_eq!(lines(&failed, 5), "$ x|boom");
        failed.tail = ["a", "b", "c"].map(str::to_owned).to_vec();
        assert_eq!(lines(&failed, 2), "$ x|[... 1 lines truncated ...]|b|c");
        failed.tail.insert(0, guardrail_log::truncated(7));
        assert_eq!(lines(&failed, 3), "$ x|[... 7 lines truncated ...]|a|b|c");
        assert_eq!(lines(&failed, 1), "$ x|[... 9 lines truncated ...]|c");
    }

    #[test]
    fn the_message() {
        let hint = Some("Fix lint errors only.".into());
        let text = FailedGuardrail { hint, ..failed("make lint", FailAction::Append) }.to_string();
        let expected = "Guardrail \"make lint\" failed with exit code 2.\nHint: Fix lint errors \
                        only.\nOutput file: x.log\nOutput (truncated):\nboom";
        assert_eq!(text, expected);
        assert!(!failed("x", FailAction::Append).to_string().contains("Hint"));
    }

    #[test]
    fn a_cut_output_includes_its_last_lines() {
        let tail: Vec<String> = (0..50).map(|number| format!("l{number}")).collect();
        let start = "begin... [truncated]".to_owned();
        let (extent, failed) = (OutputExtent::Cut, failed("x", FailAction::Append));
        let text = FailedGuardrail { start, extent, tail, ..failed }.to_string();
        assert!(text.contains("begin... [truncated]\nLast lines:\nl30\n"), "{text}");
        assert!(text.ends_with("\nl49"), "{text}");
    }

    #[test]
    fn each_action_has_its_place() {
        let message = |command, action| failed(command, action).to_string();
        let (a, p) = (failed("a", FailAction::Append), failed("p", FailAction::Prepend));
        let r = failed("r", FailAction::Replace);
        assert_eq!(apply("do it", &[]), "do it");
        assert_eq!(
            apply("do it", &[a.clone(), p.clone()]),
            format!(
                "{}\n\ndo it\n\n{}",
                message("p", FailAction::Prepend),
                message("a", FailAction::Append)
            )
        );
        assert_eq!(apply("do it", std::slice::from_ref(&r)), message("r", FailAction::Replace));
        let all = apply("do it", &[r, a, p]);
        assert!(!all.contains("do it"), "{all}");
        let order = ["\"p\"", "\"r\"", "\"a\""].map(|name| all.find(name).unwrap());
        assert!(order.is_sorted(), "{all}");
    }
}
