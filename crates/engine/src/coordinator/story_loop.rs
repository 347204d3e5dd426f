//! The story loop as `drive` runs it.

use std::time::Instant;

use events::format::{GiveUpState, given_up};
use events::{RunEnd, StoryBrief, WaitingStory};
use tasks::{BlockedStory, Selection, StoryId};

use crate::RunError;
use crate::control::{
    AcceptedOrder, Counters, IterationAttempt, IterationResult, MOST_VOID_REVIEWS, NextWork,
    RunControl, UserInstructions,
};
use crate::coordinator::core::Coordinator;
use crate::drive::{ClosingReport, Drivable, Endable, Loop, end_text};
use crate::lane::{RULE, StoryWork};

impl<'a> Loop<'a> for Coordinator<'a> {
    fn control(&mut self) -> &mut RunControl<'a> {
        &mut self.control
    }

    fn counters(&mut self) -> &mut Counters {
        &mut self.state.counters
    }

    fn instructions(&mut self) -> &mut UserInstructions {
        &mut self.state.user_instructions
    }

    fn is_unjudged(&self) -> bool {
        self.lane_state.running.is_some()
    }
}

impl<'a> Endable<'a> for Coordinator<'a> {
    fn end(&mut self, end: RunEnd) -> Result<(), RunError> {
        self.lane.remove_marker();
        if end == RunEnd::Complete {
            self.state.final_review.is_open = false;
        }
        self.state.ended = Some(end);
        self.save()
    }

    fn closing(&mut self, end: RunEnd) -> ClosingReport {
        let (stories, blocked) = self.briefs();
        let waiting = blocked.iter().filter_map(WaitingStory::of).collect();
        let text = match (end, &self.options.only_story) {
            (RunEnd::Complete, Some(story)) => {
                format!("story {story} is done; the run was limited to it")
            }
            (RunEnd::Blocked, Some(story)) => {
                format!("story {story} cannot be worked on; the run was limited to it")
            }
            (RunEnd::StoriesFailed, _) => failed_text(&stories, &blocked),
            (RunEnd::QuestionsOpen, _) => asking_text(&stories, &blocked),
            (RunEnd::ReviewerFailed, _) => self.reviewer_failed_text(),
            (RunEnd::Complete, None) => "every story is done".into(),
            (RunEnd::Blocked, None) => "stories are left, but none can be worked on".into(),
            _ => {
                let (policy, spent) = (&self.options.run.policy, self.state.counters.cost_usd);
                end_text::of(end, policy, spent, &self.control.agent_error)
            }
        };
        let blocked = blocked.iter().map(BlockedStory::to_string).collect();
        ClosingReport { text, stories, blocked, waiting }
    }
}

impl<'a> Drivable<'a> for Coordinator<'a> {
    type Work = StoryWork;

    fn skip(&mut self, story: Option<StoryId>) -> Result<(), RunError> {
        match story {
            Some(story) => {
                self.state.skips.insert(story);
                Ok(())
            }
            None => self.skip_next(),
        }
    }

    fn answer(&mut self, given: AcceptedOrder) {
        self.apply_answer(given);
    }

    fn apply_orders_while_waiting(&mut self) -> Result<(), RunError> {
        self.moving_base(Self::give_up_skipped)
    }

    fn save(&mut self) -> Result<(), RunError> {
        Coordinator::save(self)
    }

    fn find_work(&mut self) -> Result<NextWork<StoryWork>, RunError> {
        self.drop_idle_skips()?;
        self.moving_base(Self::give_up_failed)?;
        Ok(match self.select_next()? {
            Selection::Complete => NextWork::Complete,
            Selection::Blocked(stories) if stories.iter().any(BlockedStory::is_asking) => {
                NextWork::Asking
            }
            Selection::Blocked(stories) => match stories.iter().any(BlockedStory::is_given_up) {
                true => NextWork::Failed,
                false => NextWork::Blocked,
            },
            Selection::Work { mode, story } => {
                let expected = self.expected_tasks()?;
                NextWork::Work(self.with_proof(StoryWork { mode, story }, &expected.list))
            }
        })
    }

    fn iterate(
        &mut self,
        attempt: IterationAttempt,
        work: StoryWork,
    ) -> Result<IterationResult, RunError> {
        self.check_new_base()?;
        let (assignment, began) = (self.assign(attempt, work)?, Instant::now());
        self.control.orders.story = Some(assignment.story.clone());
        let ended = self.moving_base(|run| {
            run.compact_if_due(&assignment)?;
            run.iterate_story(assignment, began)
        });
        self.control.orders.story = None;
        ended
    }
}

impl Coordinator<'_> {
    /// Why the run ends with `ReviewerFailed`.
    fn reviewer_failed_text(&self) -> String {
        let agent = self.options.reviewing_agent().name();
        if let Some(why) = &self.state.final_review.void {
            return format!(
                "{MOST_VOID_REVIEWS} final reviews by {agent} in a row do not count, so the work is not reviewed as a \
                 whole: {why}. Resume with --resume, if needed with another --review-agent"
            );
        }
        let story = self.state.failed_last.as_ref();
        let failure = story.and_then(|story| self.state.stories.get(story)?.failure.as_ref());
        let of_story = story.map(|story| format!(", the last one of {story}")).unwrap_or_default();
        let last = failure.and_then(|failure| failure.other.as_deref()).unwrap_or(RULE);
        format!(
            "{MOST_VOID_REVIEWS} reviews by {agent} in a row gave no verdict that counts{of_story}: \
             {last} Resume with --resume, if needed with another --review-agent"
        )
    }
}

/// `4 of 6 stories are done; US-003 waits for an answer. …`
fn asking_text(stories: &[StoryBrief], blocked: &[BlockedStory]) -> String {
    let asking: Vec<&StoryBrief> = stories.iter().filter(|it| it.question.is_some()).collect();
    let Some(first) = asking.first() else { return RunEnd::QuestionsOpen.to_string() };
    format!(
        "{}. See `ralph-loop questions`, answer with `ralph-loop answer {} TEXT`, and continue with \
         `ralph-loop`",
        failed_text(stories, blocked),
        first.id
    )
}

/// `4 of 6 stories are done; US-003, US-005 failed, US-008 was skipped, and 1 other waits`
fn failed_text(stories: &[StoryBrief], blocked: &[BlockedStory]) -> String {
    let done = stories.iter().filter(|story| story.passes).count();
    let named = |wanted: GiveUpState| -> Vec<&str> {
        let found = stories.iter().filter(|story| given_up(story) == wanted);
        found.map(|story| story.id.as_str()).collect()
    };
    let (failed, skipped) = (named(GiveUpState::Failed), named(GiveUpState::Skipped));
    let mut parts = Vec::new();
    if !failed.is_empty() {
        parts.push(format!("{} failed", failed.join(", ")));
    }
    match skipped.len() {
        0 => {}
        1 => parts.push(format!("{} was skipped", skipped[0])),
        _ => parts.push(format!("{} were skipped", skipped.join(", "))),
    }
    let asking = stories.iter().filter(|story| story.question.is_some());
    let asking: Vec<&str> = asking.map(|story| story.id.as_str()).collect();
    match asking.len() {
        0 => {}
        1 => parts.push(format!("{} waits for an answer", asking[0])),
        _ => parts.push(format!("{} wait for answers", asking.join(", "))),
    }
    match blocked.iter().filter(|story| !story.is_given_up() && !story.is_asking()).count() {
        0 => {}
        1 => parts.push("and 1 other waits".to_owned()),
        count => parts.push(format!("and {count} others wait")),
    }
    format!("{done} of {} stories are done; {}", stories.len(), parts.join(", "))
}
