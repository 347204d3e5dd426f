//! A run from its first look at the task list to its end: performs what `decide` orders.

use std::rc::Rc;
use std::time::Duration;

use bounded_read::FileError;
use chrono::{DateTime, Utc};
use project::{Layout, Marker, RunLock};
use supervise::Waited;
use tasks::{BlockedStory, Selection, Story, TaskList};
use vcs::WorkTree;

use crate::decide::{Assignment, Happened, Order, decide};
use crate::options::RunOptions;
use crate::prompt::{self, DEFAULT_TEMPLATE, Expanded, PromptInput};
use crate::state::RunState;
use crate::task_text::TaskText;
use crate::teller::Teller;
use crate::{LoopEvent, RestReason, RunEnd, RunError, StopSwitch, StoryBrief};

/// A prompt template may be as long as anybody writes one.
const LARGEST_TEMPLATE: u64 = 4 * 1024 * 1024;

pub(crate) struct Run<'a> {
    pub(crate) options: &'a RunOptions,
    pub(crate) layout: &'a Layout,
    pub(crate) tree: WorkTree,
    pub(crate) state: RunState,
    pub(crate) switch: &'a StopSwitch,
    pub(crate) teller: Teller<'a>,
    /// Spent in gates by the iteration that runs.
    pub(crate) gate_time: Duration,
    /// How the agent failed last, in its words.
    pub(crate) trouble: String,
    /// The task list that was judged last.
    pub(crate) judged: Option<Rc<TaskText>>,
    /// Held for as long as the run goes on; a dry run needs none.
    pub(crate) lock: Option<RunLock>,
}

impl<'a> Run<'a> {
    pub(crate) fn new(
        options: &'a RunOptions,
        tree: WorkTree,
        state: RunState,
        switch: &'a StopSwitch,
        teller: Teller<'a>,
    ) -> Self {
        Self {
            options,
            layout: &options.layout,
            tree,
            state,
            switch,
            teller,
            gate_time: Duration::ZERO,
            trouble: String::new(),
            judged: None,
            lock: None,
        }
    }

    /// Goes on until there is nothing left to do, or no way to do it.
    pub(crate) fn drive(&mut self) -> Result<RunEnd, RunError> {
        let mut order = Order::Look;
        loop {
            // What has ended is booked, and a list that is complete is complete: only new work is
            // not begun. While an iteration waits to be judged, the list says nothing.
            let begins = matches!(order, Order::Iterate(_) | Order::Rest { .. });
            if (begins || self.state.running.is_some())
                && let Some(stop) = self.stopped()
            {
                order = self.decide(stop)?;
            }
            let happened = match order {
                Order::Look => Happened::Looked(self.look()?),
                Order::Iterate(assignment) => Happened::Ended(self.iterate(assignment)?),
                Order::Rest { reason, until } => {
                    self.rest(reason, until)?;
                    Happened::Rested
                }
                Order::Finish(end) => return Ok(end),
            };
            order = self.decide(happened)?;
        }
    }

    pub(crate) fn decide(&mut self, happened: Happened) -> Result<Order, RunError> {
        let counted = matches!(happened, Happened::Ended(_));
        let policy = &self.options.policy;
        let order = decide(policy, &mut self.state.counters, happened, Utc::now());
        if counted {
            self.state.save(self.layout)?;
        }
        self.teller.check()?;
        Ok(order)
    }

    fn stopped(&mut self) -> Option<Happened> {
        let signal = self.switch.heard()?;
        self.teller.tell(LoopEvent::StopRequested {
            signal: signal.name().into(),
            text: "the run ends here and can be taken up again".into(),
        });
        Some(Happened::StopAsked(signal))
    }

    pub(crate) fn look(&mut self) -> Result<Selection, RunError> {
        let standing = self.standing_list()?;
        Ok(self.select(&standing.list))
    }

    pub(crate) fn select(&self, list: &TaskList) -> Selection {
        tasks::select(list, self.options.policy.review, &Default::default())
    }

    fn rest(&mut self, reason: RestReason, until: DateTime<Utc>) -> Result<(), RunError> {
        self.state.save(self.layout)?;
        let text = match reason {
            RestReason::Backoff => format!(
                "the agent failed; retry {} of {}",
                self.state.counters.retries, self.options.policy.retries.most
            ),
            RestReason::UsageLimit => "the usage limit is reached".to_owned(),
            RestReason::Pause => "pause between iterations".to_owned(),
        };
        self.teller.tell(LoopEvent::Resting { reason, text, until });
        // By the clock on the wall: a machine that slept has rested too.
        while let Ok(left) = (until - Utc::now()).to_std() {
            if self.switch.requests().wait(left.min(Duration::from_secs(30))) == Waited::Stopped {
                break;
            }
        }
        Ok(())
    }

    pub(crate) fn prompt(
        &self,
        assignment: &Assignment,
        list: &TaskList,
    ) -> Result<Expanded, RunError> {
        let own = match bounded_read::read_file(&self.layout.prompt(), LARGEST_TEMPLATE) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Err(FileError::Absent) => None,
            // The user wrote one: another must not take its place in silence.
            Err(error) => {
                let name = self.layout.name_of(&self.layout.prompt());
                return Err(RunError::precondition(
                    format!("{name} cannot be read: {error}"),
                    "shorten it, or remove it to use the usual prompt",
                ));
            }
        };
        let story = list.story(&assignment.story).ok_or_else(|| {
            RunError::precondition(format!("there is no story {}", assignment.story), "")
        })?;
        let record = self.state.stories.get(&assignment.story);
        let last = self.state.failed_last.as_ref().and_then(|id| self.state.stories.get(id));
        let failure = record
            .and_then(|record| record.failure.as_ref())
            .or(last.and_then(|record| record.failure.as_ref()));
        Ok(prompt::assemble(&PromptInput {
            template: own.as_deref().unwrap_or(DEFAULT_TEMPLATE),
            assignment,
            list,
            story,
            max_iterations: self.options.policy.max_iterations,
            review: self.options.policy.review,
            ralph_dir: &self.layout.ralph_dir_name(),
            branch: &self.state.branch,
            began_at: record.and_then(|record| record.began_at.as_deref()),
            failure,
        }))
    }

    pub(crate) fn model(&self, story: Option<&Story>) -> Option<String> {
        story.and_then(|story| story.model.clone()).or_else(|| self.options.agent.model.clone())
    }

    pub(crate) fn brief(&self, story: &Story) -> StoryBrief {
        let record = self.state.stories.get(&story.id);
        StoryBrief {
            failed_attempts: record.map_or(0, |record| record.failed_attempts),
            cost_usd: record.map_or(0.0, |record| record.cost_usd),
            ..StoryBrief::of(story)
        }
    }

    /// The stories as they are now, and why those wait that do; nothing if the list cannot be read.
    pub(crate) fn briefs(&self) -> (Vec<StoryBrief>, Vec<String>) {
        let Ok(TaskText { list, .. }) = TaskText::read(self.layout) else {
            return Default::default();
        };
        let briefs = list.stories.iter().map(|story| self.brief(story)).collect();
        let blocked = match self.select(&list) {
            Selection::Blocked(stories) => stories.iter().map(BlockedStory::to_string).collect(),
            _ => Vec::new(),
        };
        (briefs, blocked)
    }

    /// Takes the marker away, so that no later session is held to a run that is over.
    pub(crate) fn remove_marker(&mut self) {
        if let Err(error) = Marker::remove_own(self.layout, &self.state.run_id) {
            self.teller.warn(format!(".ralph-active could not be removed: {error}"));
        }
    }
}
