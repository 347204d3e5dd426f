//! Which stories need a proof, and when a session must write or look at its tests.

use events::AgentOutcome;
use project::{ProtectedFiles, check_protected};
use proof::Dispute;
use run_options::ProofUse;
use tasks::{Mode, ReviewStatus, Story, TaskList};

use crate::RunError;
use crate::control::Step;
use crate::coordinator::core::Coordinator;
use crate::lane::{Assignment, Iteration, IterationFailure, MOST_DISPUTES, StoryWork};
use crate::run_files::deadline;

impl Coordinator<'_> {
    /// Tests come before the work: without a proof that holds, the next session writes tests.
    pub(crate) fn with_proof(&mut self, work: StoryWork, list: &TaskList) -> StoryWork {
        let story = list.story(&work.story);
        let Some(story) = story.filter(|story| self.needs_proof(story)) else { return work };
        if !matches!(work.mode, Mode::Implement | Mode::ReviewFix) {
            return work;
        }
        let root = self.layout.root().to_path_buf();
        let record = self.state.story(&work.story);
        if let Some(proof) = record.proof.as_mut().filter(|proof| proof.reopened.is_none()) {
            let changed = check_protected(&root, &proof.files);
            let paths: Vec<&str> = changed.iter().map(|change| change.path()).collect();
            if !paths.is_empty() {
                let paths = paths.join(", ");
                proof.reopened = Some(format!("files of the proof changed: {paths}"));
            }
        }
        let holds = record.proof.as_ref().is_some_and(|proof| proof.holds_for(story));
        let mode = if holds { work.mode } else { Mode::Specify };
        StoryWork { mode, ..work }
    }

    fn needs_proof(&self, story: &Story) -> bool {
        story.proof.unwrap_or(self.options.proof.stories) == ProofUse::Require
    }

    /// Only a specify session may change them.
    pub(crate) fn proof_files(&self, assignment: &Assignment) -> ProtectedFiles {
        let record = self.state.stories.get(&assignment.story);
        record.map(|record| record.proof_files(assignment.mode)).unwrap_or_default()
    }

    /// The runner may have squashed the commits of the iteration after their tests ran.
    pub(crate) fn record_proof_commit(
        &mut self,
        iteration: &Iteration,
        is_new: bool,
    ) -> Result<(), RunError> {
        let head = self.lane.workspace.tree.head(deadline())?.map(|head| head.to_string());
        let proof = self.state.story(&iteration.assignment.story).proof.as_mut();
        if let (Some(proof), Some(head), true) = (proof, head, is_new) {
            match iteration.assignment.mode {
                Mode::Specify => proof.red_at = head,
                Mode::Implement | Mode::ReviewFix => proof.green_at = Some(head),
                Mode::Review => {}
            }
        }
        Ok(())
    }

    /// A session that left its story as it was may dispute a test, and so may a review that requests changes: a specify
    /// session looks at the test again.
    pub(crate) fn dispute(
        &mut self,
        iteration: &Iteration,
        (step, outcome): (Step, AgentOutcome),
    ) -> Result<Step, RunError> {
        let assignment = &iteration.assignment;
        let expected = self.expected_tasks()?;
        let stories = [iteration.story(), expected.list.story(&assignment.story)];
        let Some([before, after]) = disputing_texts(assignment.mode, step, stories) else {
            return Ok(step);
        };
        let is_review = assignment.mode == Mode::Review;
        let record = self.state.story(&assignment.story);
        let Some(proof) = record.proof.as_mut().filter(|_| outcome.is_answer()) else {
            return Ok(step);
        };
        let disputes = proof::new_disputes(&before, &after, proof.criteria.tests());
        if disputes.is_empty() {
            return Ok(step);
        }
        // Changes that a review requests are made after the tests were looked at.
        let disputed = if is_review { step } else { Step::Asked };
        // A killed runner has counted it.
        if proof.reopened.is_some() {
            return Ok(disputed);
        }
        if proof.disputes >= MOST_DISPUTES {
            if !is_review {
                let other = format!(
                    "The tests of this story were disputed {MOST_DISPUTES} times already. Make them pass."
                );
                let failure = IterationFailure { other: Some(other), ..Default::default() };
                self.record_failure(assignment, failure)?;
            }
            return Ok(step);
        }
        proof.disputes += 1;
        let text_of = |it: &Dispute| format!("{}: {}", it.named, it.reason);
        let texts: Vec<String> = disputes.iter().map(text_of).collect();
        let text = texts.join("; ");
        self.control.sink.warn(format!("{} disputes {text}", iteration.label()));
        let who = if is_review { "a review" } else { "an implementing session" };
        proof.reopened = Some(format!("{who} disputes {text}"));
        self.save()?;
        Ok(disputed)
    }
}

/// The texts before and after the session in which it may dispute. The feedback of an earlier review does not count.
fn disputing_texts(mode: Mode, step: Step, stories: [Option<&Story>; 2]) -> Option<[String; 2]> {
    match (mode, step) {
        (Mode::Implement | Mode::ReviewFix, Step::None) => {
            Some(stories.map(|story| story.map(|it| it.notes.clone()).unwrap_or_default()))
        }
        (Mode::Review, Step::Accepted) => {
            let after = stories[1]?;
            let requests_changes = after.review_status == ReviewStatus::ChangesRequested;
            requests_changes.then(|| [String::new(), after.review_feedback.clone()])
        }
        _ => None,
    }
}
