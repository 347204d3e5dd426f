//! `.ralph/state.md`: the failed attempts at a story, for the next session. Written by the runner alone, with verbatim
//! outputs instead of summaries.

use std::fmt::Write;

use chrono::SecondsFormat;
use events::Gate;
use tasks::StoryId;

use crate::lane::attempt::{Attempt, recent, repeats, strategy_shifts};
use crate::templates::fenced;

/// The failed attempts at one story.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FailedAttempts<'a> {
    pub(crate) story: &'a StoryId,
    /// At least one.
    pub(crate) failed: &'a [Attempt],
    pub(crate) most: u64,
}

impl<'a> FailedAttempts<'a> {
    /// `None` if no attempt failed.
    pub(crate) fn of(story: &'a StoryId, failed: &'a [Attempt], most: u64) -> Option<Self> {
        (!failed.is_empty()).then_some(Self { story, failed, most })
    }

    pub(crate) fn file(&self) -> String {
        let mut text = format!("{}\n", self.front_matter());
        for section in self.outputs(true) {
            let _ = write!(text, "\n{section}\n");
        }
        let _ = write!(text, "\n## Attempt History\n{}\n", self.history());
        text
    }

    /// For a prompt, which contains the newest output elsewhere: as the last failure or the review's feedback.
    pub(crate) fn without_newest_output(&self) -> String {
        let mut text = format!("```yaml\n{}\n```\n\n{}\n", self.front_matter(), self.history());
        for section in self.outputs(false) {
            let _ = write!(text, "\n##{section}\n");
        }
        text.trim_end().to_owned()
    }

    pub(crate) fn front_matter(&self) -> String {
        let Some(last) = self.failed.last() else { return String::new() };
        let alike = repeats(self.failed);
        let mut text = format!(
            "---\ntask_id: {}\niteration: {}\nmax_iterations: {}\nlast_gate: {}\n",
            yaml(self.story.as_str()),
            self.failed.len(),
            self.most,
            last.gate
        );
        let exit_code = last.exit_code.map_or("null".to_owned(), |code| code.to_string());
        let _ = write!(
            text,
            "exit_code: {exit_code}\nerror_hash: {}\ntimestamp: {}\nstuck_count: {}\n\
             strategy_shifts: {}\n",
            yaml(last.symptom.hash.as_str()),
            last.at.to_rfc3339_opts(SecondsFormat::Secs, true),
            if alike > 1 { alike } else { 0 },
            strategy_shifts(self.failed)
        );
        if last.files_modified.is_empty() {
            text.push_str("files_modified: []\n");
        } else {
            text.push_str("files_modified:\n");
            for file in &last.files_modified {
                let _ = writeln!(text, "  - {}", yaml(file));
            }
        }
        text.push_str("---");
        text
    }

    fn history(&self) -> String {
        let mut table = "| # | Gate | Error Hash | Strategy Shift |\n\
                         |---|------|------------|----------------|"
            .to_owned();
        for (number, attempt) in recent(self.failed) {
            let shift = if attempt.help.shifts() { "yes" } else { "no" };
            let _ = write!(
                table,
                "\n| {number} | {} | {} | {shift} |",
                attempt.gate, attempt.symptom.hash
            );
        }
        table
    }

    /// Newest_ first, without repeated outputs.
    fn outputs(&self, with_newest: bool) -> Vec<String> {
        let mut seen = Vec::new();
        let mut sections = Vec::new();
        for (number, attempt) in recent(self.failed).rev() {
            let hash = &attempt.symptom.hash;
            let is_newest = number == self.failed.len();
            if seen.contains(&hash) {
                continue;
            }
            seen.push(hash);
            if is_newest && !with_newest {
                continue;
            }
            let which = if is_newest { String::new() } else { format!(", attempt {number}") };
            let output = fenced(&attempt.output.join("\n"));
            sections.push(format!("## {} (verbatim){which}\n{output}", heading(attempt.gate)));
        }
        sections
    }
}

fn heading(gate: Gate) -> &'static str {
    match gate {
        Gate::Implement => "Session Output",
        Gate::Rules => "Runner Findings",
        Gate::Tests => "Test Output",
        Gate::SpecReview => "Spec Reviewer Output",
        Gate::Proof => "Proof Output",
        Gate::Merge => "Merge Output",
    }
}

/// A YAML string: plain if it is unambiguous, else quoted as in JSON.
fn yaml(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let words = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(plain)
        && !words.contains(&text.to_ascii_lowercase().as_str());
    if is_plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lane::attempt::tests::attempt;
    use crate::lane::extra_help::ExtraHelp;

    fn story() -> StoryId {
        StoryId::new("auth-feature").unwrap()
    }

    fn attempts() -> Vec<Attempt> {
        let tests = "FAIL src/auth.test.ts\n  ✕ should reject expired token";
        let review = Attempt {
            gate: Gate::SpecReview,
            exit_code: None,
            help: ExtraHelp::StrategyShift,
            ..attempt("Missing: password reset flow (spec line 24)\n```")
        };
        vec![attempt(tests), attempt(tests), review]
    }

    #[test]
    fn the_whole_file() {
        let (story, failed) = (story(), attempts());
        let text = FailedAttempts { story: &story, failed: &failed, most: 5 }.file();
        let (tests, review) = (yaml(failed[0].symptom.hash.as_str()), &failed[2].symptom.hash);
        let (tests, quoted) = (tests.trim_matches('"'), yaml(review.as_str()));
        assert_eq!(
            text,
            format!(
                "---\ntask_id: auth-feature\niteration: 3\nmax_iterations: 5\nlast_gate: \
                 spec-review\nexit_code: null\nerror_hash: {quoted}\ntimestamp: \
                 2026-01-21T10:30:00Z\nstuck_count: 0\nstrategy_shifts: 1\nfiles_modified:\n  - \
                 src/auth.ts\n---\n\n## Spec Reviewer Output (verbatim)\n````\nMissing: password \
                 reset flow (spec line 24)\n```\n````\n\n## Test Output (verbatim), attempt \
                 2\n```\nFAIL src/auth.test.ts\n  ✕ should reject expired token\n```\n\n## Attempt \
                 History\n| # | Gate | Error Hash | Strategy Shift \
                 |\n|---|------|------------|----------------|\n| 1 | tests | {tests} | no |\n| 2 | \
                 tests | {tests} | no |\n| 3 | spec-review | {review} | yes |\n"
            )
        );
    }

    #[test]
    fn equal_failures_are_counted_and_three_are_listed() {
        let story = story();
        let failed: Vec<Attempt> = (0..4).map(|_| attempt("error: a")).collect();
        let text = FailedAttempts { story: &story, failed: &failed, most: 5 }.file();
        assert!(text.contains("\niteration: 4\n") && text.contains("\nstuck_count: 4\n"), "{text}");
        assert!(text.contains("\n| 2 | tests") && !text.contains("\n| 1 | tests"), "{text}");
        assert_eq!(text.matches("(verbatim)").count(), 1, "{text}");
    }

    #[test]
    fn the_section_for_a_prompt_omits_the_newest_output() {
        let (story, failed) = (story(), attempts());
        let text =
            FailedAttempts { story: &story, failed: &failed, most: 5 }.without_newest_output();
        assert!(!text.contains("password reset"), "{text}");
        assert!(text.contains("should reject expired token"), "{text}");
        assert!(text.contains("last_gate: spec-review"), "{text}");
    }

    #[test]
    fn ambiguous_yaml_strings_are_quoted() {
        let cases = [
            ("US-003", "US-003"),
            ("src/a.ts", "src/a.ts"),
            ("null", "\"null\""),
            ("1.0", "\"1.0\""),
            ("a: b", "\"a: b\""),
            ("-x", "\"-x\""),
            ("a\nb", "\"a\\nb\""),
        ];
        for (text, expected) in cases {
            assert_eq!(yaml(text), expected);
        }
    }
}
