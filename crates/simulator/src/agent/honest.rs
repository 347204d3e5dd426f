//! The honest agent: does its assignment, expressed as acts.

use serde_json::{Value, json};
use tasks::{Mode, ReviewPolicy};

use super::Act;
use super::assignment::Assignment;
use super::perform::PROMISE;

/// The acts for an assignment and the current task list.
pub(super) fn acts(assignment: &Assignment, list: &Value, structured_answer: bool) -> Vec<Act> {
    let (Some(mode), Some(id)) = (assignment.mode, &assignment.story) else {
        return vec![Act::finish("There is no story for me here.")];
    };
    let stories = list["userStories"].as_array().map_or(&[][..], Vec::as_slice);
    let Some(story) = stories.iter().find(|story| story["id"] == id.as_str()) else {
        return vec![Act::finish(format!("The task list has no story {id}."))];
    };
    let others_pass =
        stories.iter().all(|other| other["id"] == story["id"] || other["passes"] == true);
    let work = Work {
        id: id.as_str(),
        title: story["title"].as_str().unwrap_or_default(),
        criteria: texts(&story["acceptanceCriteria"]),
        feedback: story["reviewFeedback"].as_str().unwrap_or_default(),
        notes: story["notes"].as_str().unwrap_or_default(),
        tasks: assignment.layout.tasks_name(),
        progress: assignment.layout.progress_name(),
    };
    let acts = match (mode, assignment.review) {
        (Mode::Implement, ReviewPolicy::Required { .. }) => work.implement(),
        (Mode::Implement, ReviewPolicy::Skipped) => work.implement_without_review(others_pass),
        (Mode::Review, _) => work.review(others_pass),
        (Mode::ReviewFix, _) => work.fix(),
        (Mode::Specify, _) => work.specify(),
    };
    if structured_answer { with_handoff(acts) } else { acts }
}

/// Prints the final text, then answers with a handoff.
fn with_handoff(mut acts: Vec<Act>) -> Vec<Act> {
    if let Some(Act::Finish { text: Some(text), promise }) =
        acts.pop_if(|last| matches!(last, Act::Finish { .. }))
    {
        acts.push(Act::say(if promise { format!("{text}\n{PROMISE}") } else { text }));
    }
    acts.push(Act::handoff([]));
    acts
}

fn texts(value: &Value) -> Vec<String> {
    let entries = value.as_array().into_iter().flatten();
    entries.filter_map(Value::as_str).map(str::to_owned).collect()
}

#[derive(Debug)]
struct Work<'a> {
    id: &'a str,
    title: &'a str,
    criteria: Vec<String>,
    feedback: &'a str,
    notes: &'a str,
    tasks: String,
    progress: String,
}

impl Work<'_> {
    fn implement(&self) -> Vec<Act> {
        let mut acts = self.build();
        acts.extend([
            Act::say("Everything the story asks for is there. I submit it for review."),
            Act::submit(format!("Wrote {}, a line for each criterion.", self.file())),
            Act::commit(self.subject("feat")),
            Act::finish(format!("{} is implemented and waits for its review.", self.id)),
        ]);
        acts
    }

    fn implement_without_review(&self, others_pass: bool) -> Vec<Act> {
        let notes = format!("Wrote {}, a line for each criterion.", self.file());
        let mut acts = self.build();
        acts.extend([
            Act::say("Every criterion is met. Reviews are off, so the story passes."),
            Act::set_story([("passes", json!(true)), ("notes", json!(notes))]),
            Act::commit(self.subject("feat")),
            done(format!("{} is done.", self.id), others_pass),
        ]);
        acts
    }

    fn build(&self) -> Vec<Act> {
        let mut contents = format!("{}\n\n", self.title);
        contents.extend(self.criteria.iter().map(|criterion| format!("- {criterion}\n")));
        vec![
            Act::say(format!("I start with what {} asks for.", self.id)),
            Act::read(&self.tasks),
            Act::Todo { items: self.criteria.clone() },
            Act::say(format!("Now I write {}.", self.file())),
            Act::write(self.file(), contents),
            Act::append(&self.progress, format!("{}: implemented {}\n", self.id, self.title)),
        ]
    }

    fn review(&self, others_pass: bool) -> Vec<Act> {
        let verdict = if self.notes.is_empty() { "Reviewed." } else { self.notes };
        vec![
            Act::say(format!("I read {} with fresh eyes.", self.id)),
            Act::read(&self.tasks),
            Act::read(self.file()),
            Act::say("Every criterion is met. I approve it."),
            Act::append(&self.progress, format!("{}: approved\n", self.id)),
            Act::approve(verdict),
            Act::commit(format!("review: [{}] approved", self.id)),
            done(format!("{} is approved.", self.id), others_pass),
        ]
    }

    fn fix(&self) -> Vec<Act> {
        vec![
            Act::say(format!("The review of {} asks for changes.", self.id)),
            Act::read(&self.tasks),
            Act::read(self.file()),
            Act::append(self.file(), format!("- addressed: {}\n", self.feedback)),
            Act::append(&self.progress, format!("{}: addressed the review\n", self.id)),
            Act::say("The feedback is addressed. I submit it again."),
            Act::Resubmit,
            Act::commit(self.subject("fix")),
            Act::finish(format!("{} waits for its next review.", self.id)),
        ]
    }

    /// Writes no test: every criterion is left to the reviewer.
    fn specify(&self) -> Vec<Act> {
        vec![
            Act::say(format!("I write the tests of {}.", self.id)),
            Act::read(&self.tasks),
            Act::specify([], []),
            Act::finish(format!("{} has its proof file.", self.id)),
        ]
    }

    fn file(&self) -> String {
        format!("work/{}.txt", self.id)
    }

    fn subject(&self, kind: &str) -> String {
        format!("{kind}: [{}] - {}", self.id, self.title)
    }
}

fn done(text: String, promise: bool) -> Act {
    Act::Finish { text: Some(text), promise }
}

#[cfg(test)]
mod tests {
    use tasks::StoryId;

    use super::*;

    fn honest(mode: Mode, review: ReviewPolicy, second_passes: bool) -> Vec<Act> {
        let list = json!({"userStories": [
            {"id": "US-1", "title": "One", "acceptanceCriteria": ["a", "b"], "passes": false,
             "reviewFeedback": "say why", "notes": ""},
            {"id": "US-2", "passes": second_passes},
        ]});
        let story = StoryId::new("US-1").ok();
        let assignment = Assignment { mode: Some(mode), story, review, ..Assignment::default() };
        let structured_answer = false;
        acts(&assignment, &list, structured_answer)
    }

    const REVIEWED: ReviewPolicy = ReviewPolicy::Required { cap: 3 };

    fn promises(acts: &[Act]) -> bool {
        matches!(acts.last(), Some(Act::Finish { promise: true, .. }))
    }

    #[test]
    fn an_implementation_is_submitted_and_never_passed() {
        let acts = honest(Mode::Implement, REVIEWED, true);
        assert!(acts.contains(&Act::write("work/US-1.txt", "One\n\n- a\n- b\n")), "{acts:?}");
        assert!(acts.contains(&Act::commit("feat: [US-1] - One")), "{acts:?}");
        assert!(acts.iter().any(|act| matches!(act, Act::Submit { .. })));
        assert!(!acts.iter().any(|act| matches!(act, Act::Approve { .. } | Act::SetStory { .. })));
        assert!(!promises(&acts));
    }

    #[test]
    fn only_the_last_approval_has_the_completion_tag() {
        assert!(promises(&honest(Mode::Review, REVIEWED, true)));
        assert!(!promises(&honest(Mode::Review, REVIEWED, false)));
        assert!(promises(&honest(Mode::Implement, ReviewPolicy::Skipped, true)));
    }

    #[test]
    fn a_fix_answers_the_feedback() {
        let acts = honest(Mode::ReviewFix, REVIEWED, true);
        assert!(acts.contains(&Act::append("work/US-1.txt", "- addressed: say why\n")));
        assert!(acts.contains(&Act::Resubmit));
    }

    #[test]
    fn without_an_assignment_there_is_nothing_to_do() {
        for structured_answer in [false, true] {
            let acts = acts(&Assignment::default(), &json!({}), structured_answer);
            assert!(matches!(&acts[..], [Act::Finish { promise: false, .. }]), "{acts:?}");
        }
    }
}
