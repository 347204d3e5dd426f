//! The verdict that a review gives in its final message: what it wrote into the task list, unless the
//! scenario says otherwise.

use project::VerdictIn;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tasks::{Mode, ReviewVerdict};

use super::answer::Answer;
use super::assignment::Assignment;
use super::task_edit;

/// What a scenario has the reviewer say, whatever the task list says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SaidVerdict {
    Approved,
    ChangesRequested,
    /// It says nothing.
    None,
}

/// What a session needs to know to say it.
#[derive(Debug, Clone, Default)]
pub(super) struct Verdicts {
    /// The story's `reviewStatus` when the session began.
    before: Value,
    pub(super) said: Option<SaidVerdict>,
}

impl Verdicts {
    pub(super) fn at_start(assignment: &Assignment) -> Self {
        Self { before: status(assignment), said: None }
    }

    /// The answer with the verdict in it, if it is a review's and has none.
    pub(super) fn in_answer(&self, answer: Answer, assignment: &Assignment) -> Answer {
        if assignment.mode != Some(Mode::Review) {
            return answer;
        }
        let Some(verdict) = self.verdict(assignment) else { return answer };
        match answer {
            Answer::Structured(value) => Answer::Structured(with_field(value, verdict)),
            Answer::Text(text) if speaks_of_it(&text) => Answer::Text(text),
            Answer::Text(text) => match serde_json::from_str::<Value>(&text) {
                Ok(value @ Value::Object(_)) => {
                    Answer::Text(with_field(value, verdict).to_string())
                }
                _ if assignment.verdict_in == Some(VerdictIn::Answer) => {
                    Answer::Text(format!("{text}\n\n```json\n{}\n```", handoff(&text, verdict)))
                }
                _ => Answer::Text(format!("{text}\n{}", verdict.tag())),
            },
            Answer::Empty => Answer::Empty,
        }
    }

    fn verdict(&self, assignment: &Assignment) -> Option<ReviewVerdict> {
        match self.said {
            Some(SaidVerdict::Approved) => Some(ReviewVerdict::Approved),
            Some(SaidVerdict::ChangesRequested) => Some(ReviewVerdict::ChangesRequested),
            Some(SaidVerdict::None) => None,
            None => {
                let now = status(assignment);
                let word = now.as_str().filter(|_| now != self.before)?;
                ReviewVerdict::from_word(word)
            }
        }
    }
}

fn speaks_of_it(text: &str) -> bool {
    text.contains("<verdict>") || text.contains("\"verdict\"")
}

/// As little as counts as one.
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

fn status(assignment: &Assignment) -> Value {
    let list = task_edit::read(&assignment.layout.tasks()).unwrap_or_default();
    let id = assignment.story.as_ref().map_or("", |id| id.as_str());
    let stories = list["userStories"].as_array();
    let story = stories.into_iter().flatten().find(|story| story["id"] == id);
    story.map(|story| story["reviewStatus"].clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use project::Layout;
    use tasks::StoryId;

    use super::*;

    /// What a session says that ends with `answer` once the list says `now`.
    fn said(mode: Mode, now: &str, said: Option<SaidVerdict>, answer: Answer) -> Answer {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir(layout.ralph_dir()).unwrap();
        let list = |status: &str| json!({"userStories": [{"id": "US-1", "reviewStatus": status}]});
        std::fs::write(layout.tasks(), list("needs_review").to_string()).unwrap();
        let story = StoryId::new("US-1").ok();
        let assignment =
            Assignment { mode: Some(mode), story, layout: layout.clone(), ..Assignment::default() };
        let mut verdicts = Verdicts::at_start(&assignment);
        verdicts.said = said;
        std::fs::write(layout.tasks(), list(now).to_string()).unwrap();
        verdicts.in_answer(answer, &assignment)
    }

    fn words(text: &str) -> Answer {
        Answer::Text(text.into())
    }

    #[test]
    fn a_review_says_what_it_wrote() {
        let tag = words("Done.\n<verdict>approved</verdict>");
        assert_eq!(said(Mode::Review, "approved", None, words("Done.")), tag);
        assert_eq!(said(Mode::Review, "needs_review", None, words("Done.")), words("Done."));
        assert_eq!(said(Mode::Implement, "approved", None, words("Done.")), words("Done."));
        let handoff =
            |value| said(Mode::Review, "changes_requested", None, Answer::Structured(value));
        let expected = json!({"a": 1, "verdict": "changes_requested"});
        assert_eq!(handoff(json!({"a": 1})), Answer::Structured(expected));
        let own = json!({"verdict": null});
        assert_eq!(handoff(own.clone()), Answer::Structured(own), "a scenario's own word stays");
        let block = said(Mode::Review, "approved", None, words(r#"{"a":1}"#));
        assert_eq!(block, words(r#"{"a":1,"verdict":"approved"}"#));
    }

    #[test]
    fn a_scenario_has_the_last_word() {
        let none = Some(SaidVerdict::None);
        assert_eq!(said(Mode::Review, "approved", none, words("Done.")), words("Done."));
        let other = Some(SaidVerdict::ChangesRequested);
        let tag = words("Done.\n<verdict>changes_requested</verdict>");
        assert_eq!(said(Mode::Review, "approved", other, words("Done.")), tag);
        let own = words("<verdict>approved</verdict>, it says");
        assert_eq!(said(Mode::Review, "changes_requested", None, own.clone()), own);
    }
}
