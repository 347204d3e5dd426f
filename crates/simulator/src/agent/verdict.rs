//! The verdict in the final message of a review: that of the task list, unless the scenario sets
//! another.

use project::VerdictIn;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tasks::{Mode, ReviewVerdict};

use super::answer::FinalAnswer;
use super::assignment::Assignment;

/// The verdict of a scenario, independent of the task list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScenarioVerdict {
    Approved,
    ChangesRequested,
    /// The message has no verdict.
    None,
}

/// The state from which the verdict is derived.
#[derive(Debug, Clone, Default)]
pub(super) struct Verdicts {
    /// The story's `reviewStatus` when the session began.
    before: Value,
    pub(super) from_scenario: Option<ScenarioVerdict>,
}

impl Verdicts {
    pub(super) fn at_start(assignment: &Assignment) -> Self {
        Self { before: assignment.stored_story()["reviewStatus"].clone(), from_scenario: None }
    }

    /// Adds the verdict to the answer of a review that has none.
    pub(super) fn in_answer(&self, answer: FinalAnswer, assignment: &Assignment) -> FinalAnswer {
        if assignment.mode != Some(Mode::Review) {
            return answer;
        }
        let Some(verdict) = self.verdict(assignment) else { return answer };
        match answer {
            FinalAnswer::Structured(value) => FinalAnswer::Structured(with_field(value, verdict)),
            FinalAnswer::Text(text) if has_verdict(&text) => FinalAnswer::Text(text),
            FinalAnswer::Text(text) => match serde_json::from_str::<Value>(&text) {
                Ok(value @ Value::Object(_)) => {
                    FinalAnswer::Text(with_field(value, verdict).to_string())
                }
                _ if assignment.verdict_in == Some(VerdictIn::Answer) => FinalAnswer::Text(
                    format!("{text}\n\n```json\n{}\n```", handoff(&text, verdict)),
                ),
                _ => FinalAnswer::Text(format!("{text}\n{}", verdict.tag())),
            },
            FinalAnswer::Empty => FinalAnswer::Empty,
        }
    }

    fn verdict(&self, assignment: &Assignment) -> Option<ReviewVerdict> {
        match self.from_scenario {
            Some(ScenarioVerdict::Approved) => Some(ReviewVerdict::Approved),
            Some(ScenarioVerdict::ChangesRequested) => Some(ReviewVerdict::ChangesRequested),
            Some(ScenarioVerdict::None) => None,
            None => {
                let now = &assignment.stored_story()["reviewStatus"];
                let word = now.as_str().filter(|_| *now != self.before)?;
                ReviewVerdict::from_word(word)
            }
        }
    }
}

fn has_verdict(text: &str) -> bool {
    text.contains("<verdict>") || text.contains("\"verdict\"")
}

/// The smallest valid handoff.
fn handoff(summary: &str, verdict: ReviewVerdict) -> Value {
    let task = json!({"task_id": "", "summary": summary, "fully_complete": true});
    json!({"task_completed": task, "verdict": verdict})
}

fn with_field(mut answer: Value, verdict: ReviewVerdict) -> Value {
    if let Some(fields) = answer.as_object_mut() {
        fields.entry("verdict").or_insert_with(|| json!(verdict));
    }
    answer
}

#[cfg(test)]
mod tests {
    use project::Layout;
    use tasks::StoryId;

    use super::*;

    /// The final answer of a session that ends with `answer` after the list changed to `now`.
    fn final_answer(
        mode: Mode,
        now: &str,
        from_scenario: Option<ScenarioVerdict>,
        answer: FinalAnswer,
    ) -> FinalAnswer {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir(layout.ralph_dir()).unwrap();
        let list = |status: &str| json!({"userStories": [{"id": "US-1", "reviewStatus": status}]});
        std::fs::write(layout.tasks(), list("needs_review").to_string()).unwrap();
        let story = StoryId::new("US-1").ok();
        let assignment =
            Assignment { mode: Some(mode), story, layout: layout.clone(), ..Assignment::default() };
        let mut verdicts = Verdicts::at_start(&assignment);
        verdicts.from_scenario = from_scenario;
        std::fs::write(layout.tasks(), list(now).to_string()).unwrap();
        verdicts.in_answer(answer, &assignment)
    }

    fn words(text: &str) -> FinalAnswer {
        FinalAnswer::Text(text.into())
    }

    #[test]
    fn a_review_repeats_the_verdict_of_the_task_list() {
        let tag = words("Done.\n<verdict>approved</verdict>");
        assert_eq!(final_answer(Mode::Review, "approved", None, words("Done.")), tag);
        assert_eq!(
            final_answer(Mode::Review, "needs_review", None, words("Done.")),
            words("Done.")
        );
        assert_eq!(final_answer(Mode::Implement, "approved", None, words("Done.")), words("Done."));
        let handoff = |value| {
            final_answer(Mode::Review, "changes_requested", None, FinalAnswer::Structured(value))
        };
        let expected = json!({"a": 1, "verdict": "changes_requested"});
        assert_eq!(handoff(json!({"a": 1})), FinalAnswer::Structured(expected));
        let own = json!({"verdict": null});
        assert_eq!(
            handoff(own.clone()),
            FinalAnswer::Structured(own),
            "a verdict in the scenario's answer stays"
        );
        let block = final_answer(Mode::Review, "approved", None, words(r#"{"a":1}"#));
        assert_eq!(block, words(r#"{"a":1,"verdict":"approved"}"#));
    }

    #[test]
    fn a_scenario_overrides_the_verdict() {
        let none = Some(ScenarioVerdict::None);
        assert_eq!(final_answer(Mode::Review, "approved", none, words("Done.")), words("Done."));
        let other = Some(ScenarioVerdict::ChangesRequested);
        let tag = words("Done.\n<verdict>changes_requested</verdict>");
        assert_eq!(final_answer(Mode::Review, "approved", other, words("Done.")), tag);
        let own = words("<verdict>approved</verdict>, it says");
        assert_eq!(final_answer(Mode::Review, "changes_requested", None, own.clone()), own);
    }
}
