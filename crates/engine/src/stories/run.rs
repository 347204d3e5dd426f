//! One run of the story loop, driven by `drive`.

use std::path::Path;
use std::rc::Rc;

use bounded_read::FileError;
use events::{RunEnd, StoryBrief, WaitingStory};
use project::{Layout, Marker};
use tasks::{BlockedStory, Mode, Selection, Story, StoryId, TaskList};
use vcs::WorkTree;

use crate::decide::{Counters, IterationAttempt, IterationResult, NextWork};
use crate::drive::Drivable;
use crate::event_sink::EventSink;
use crate::finish::ClosingReport;
use crate::options::StoryOptions;
use crate::run_control::RunControl;
use crate::stories::assignment::{Assignment, StoryWork};
use crate::stories::checks::PassedChecks;
use crate::stories::judged_list::{JudgedList, UnjudgedList, judged_list};
use crate::stories::prompt::{
    self, DEFAULT_TEMPLATE, Escalation, LARGEST_TEMPLATE, Prompt, PromptInput,
};
use crate::stories::skills::KnownSkills;
use crate::stories::state::{self, SavedRun, StoryRunState};
use crate::stories::story_record::IterationFailure;
use crate::stories::task_text::TaskText;
use crate::user_instructions::UserInstructions;
use crate::workspace::Workspace;
use crate::{RunError, StopSwitch, end_text};

pub(crate) struct Run<'a> {
    pub(crate) options: &'a StoryOptions,
    pub(crate) layout: &'a Layout,
    pub(crate) control: RunControl<'a>,
    pub(crate) workspace: Workspace<'a>,
    pub(crate) state: StoryRunState,
    pub(crate) passed_checks: Option<PassedChecks>,
    pub(crate) known_skills: KnownSkills,
    /// The task list that was judged last.
    pub(crate) judged: Option<Rc<TaskText>>,
}

impl<'a> Run<'a> {
    pub(crate) fn new(
        options: &'a StoryOptions,
        tree: WorkTree,
        SavedRun { run: state, baseline }: SavedRun,
        switch: &'a StopSwitch,
        sink: EventSink<'a>,
    ) -> Self {
        let (layout, allowed) = (&options.run.layout, &options.run.allowed_changes);
        let run_id = state.run_id.clone();
        Self {
            control: RunControl::new(
                &options.run,
                run_id.clone(),
                &state.counters,
                switch,
                sink.clone(),
            ),
            workspace: Workspace::new(layout, allowed, run_id, tree, baseline, sink),
            options,
            layout,
            state,
            passed_checks: None,
            known_skills: KnownSkills::default(),
            judged: None,
        }
    }

    pub(crate) fn select_next(&mut self) -> Result<Selection, RunError> {
        let expected = self.expected_tasks()?;
        self.state.scope.follow_splits(&expected.list);
        Ok(self.select(&expected.list))
    }

    pub(crate) fn select(&self, list: &TaskList) -> Selection {
        tasks::select(list, self.options.rules(), &self.state.given_up(), &self.state.scope)
    }

    pub(crate) fn prompt(
        &self,
        assignment: &Assignment,
        list: &TaskList,
        escalation: &Escalation,
    ) -> Result<Prompt, RunError> {
        let is_first = assignment.iteration == 1
            && list.stories.iter().all(|story| story.next_mode() == Some(Mode::Implement));
        let first = if is_first { self.own_template(&self.layout.first_prompt())? } else { None };
        let own = match first {
            Some(first) => Some(first),
            None => self.own_template(&self.layout.prompt())?,
        };
        let story = list.story(&assignment.story).ok_or_else(|| {
            RunError::precondition(format!("story {} not found", assignment.story), "")
        })?;
        let record = self.state.stories.get(&assignment.story);
        let last = self.state.failed_last.as_ref().and_then(|id| self.state.stories.get(id));
        // A review only gets failures of reviews: the text of a failed implementation is a claim.
        let concerns = |failure: &&IterationFailure| {
            assignment.mode != Mode::Review || failure.mode == Some(Mode::Review)
        };
        let failure = record
            .and_then(|record| record.failure.as_ref())
            .filter(concerns)
            .or(last.and_then(|record| record.failure.as_ref()).filter(concerns));
        let with_tolerated = record.and_then(|record| record.with_tolerated(failure));
        let run = &self.options.run;
        let skills = self.skills(story);
        let mut prompt = prompt::assemble(&PromptInput {
            template: own.as_deref().unwrap_or(DEFAULT_TEMPLATE),
            assignment,
            story,
            max_iterations: self.options.run.policy.max_iterations,
            review: self.options.rules(),
            ralph_dir: &self.layout.ralph_dir_name(),
            branch: &self.workspace.baseline.branch,
            began_at: record.and_then(|record| record.began_at.as_deref()),
            failure: with_tolerated.as_ref().or(failure),
            attempts: self
                .attempts_at(&assignment.story)
                .filter(|_| assignment.mode != Mode::Review),
            escalation,
            user_instructions: &self.state.user_instructions,
            notices: record
                .filter(|_| assignment.mode == Mode::Review)
                .map_or(&[], |record| &record.notices),
            weakened: record
                .filter(|_| assignment.mode == Mode::Review)
                .map_or(&[], |record| &record.weakened),
            checks: &self.options.checks(list),
            own: &run.variables,
            context: self.context(assignment.mode, &skills),
        });
        prompt.text = run.with_iteration_count(prompt.text, assignment.iteration);
        Ok(prompt)
    }

    /// A prompt template of the user.
    pub(crate) fn own_template(&self, path: &Path) -> Result<Option<String>, RunError> {
        match bounded_read::read_file(path, LARGEST_TEMPLATE) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(FileError::Absent) => Ok(None),
            // The built-in prompt must not replace an unreadable one of the user without notice.
            Err(error) => Err(RunError::precondition(
                format!("cannot read {}: {error}", self.layout.name_of(path)),
                "shorten it, or remove it to use the built-in prompt",
            )),
        }
    }

    /// A story's model applies only to the implementing agent. A reviewer with another program or model keeps its
    /// own.
    pub(crate) fn model(&self, mode: Mode, story: Option<&Story>) -> Option<String> {
        let (agent, worker) = (self.agent(mode), &self.options.run.agent);
        let of_story = story.and_then(|story| story.model.clone());
        let is_worker = agent.program == worker.program && agent.model == worker.model;
        of_story.filter(|_| is_worker).or_else(|| agent.model.clone())
    }

    pub(crate) fn brief(&self, story: &Story) -> StoryBrief {
        let record = self.state.stories.get(&story.id);
        StoryBrief {
            failed_attempts: record.map_or(0, |record| record.attempts.len() as u64),
            cost_usd: record.map_or(0.0, |record| record.cost_usd),
            given_up: record.and_then(|record| record.given_up.clone()),
            ..StoryBrief::of(story)
        }
    }

    /// The stories of the last judged list, and why stories are blocked. Empty if the list cannot be read.
    pub(crate) fn briefs(&self) -> (Vec<StoryBrief>, Vec<BlockedStory>) {
        let expected = match (&self.judged, judged_list(self.layout)) {
            (Some(judged), _) => Some(Rc::clone(judged)),
            (None, JudgedList::Unjudged(UnjudgedList { before, .. })) => {
                before.and_then(|bytes| TaskText::parse(&bytes).ok()).map(Rc::new)
            }
            (None, _) => TaskText::read(self.layout).ok().map(Rc::new),
        };
        let Some(expected) = expected else { return Default::default() };
        let briefs = expected.list.stories.iter().map(|story| self.brief(story)).collect();
        let blocked = match self.select(&expected.list) {
            Selection::Blocked(stories) => stories,
            _ => Vec::new(),
        };
        (briefs, blocked)
    }

    /// The state is on disk before the step that depends on it.
    pub(crate) fn save(&mut self) -> Result<(), RunError> {
        self.store_notices();
        Ok(state::save(&self.state, &self.workspace.baseline, self.layout)?)
    }

    /// Stores what the workspace noticed since the last call, for the reviews of the stories.
    pub(crate) fn store_notices(&mut self) {
        for (story, notice) in self.workspace.take_notices() {
            let notices = &mut self.state.story(&story).notices;
            // An iteration that is judged again produces the same notice.
            if !notices.contains(&notice) {
                notices.push(notice);
            }
        }
    }

    /// Removes the marker, so that the hooks do not apply to later sessions.
    pub(crate) fn remove_marker(&mut self) {
        if let Err(error) = Marker::remove_own(self.layout, &self.state.run_id) {
            self.control.sink.warn(format!("cannot remove .ralph-active: {error}"));
        }
    }
}

impl<'a> Drivable<'a> for Run<'a> {
    type Work = StoryWork;

    fn control(&mut self) -> &mut RunControl<'a> {
        &mut self.control
    }

    fn counters(&mut self) -> &mut Counters {
        &mut self.state.counters
    }

    fn instructions(&mut self) -> &mut UserInstructions {
        &mut self.state.user_instructions
    }

    fn skip(&mut self, story: Option<StoryId>) -> Result<(), RunError> {
        match story {
            Some(story) => {
                self.state.skips.insert(story);
                Ok(())
            }
            None => self.skip_next(),
        }
    }

    fn apply_orders_while_waiting(&mut self) -> Result<(), RunError> {
        self.give_up_skipped()
    }

    fn save(&mut self) -> Result<(), RunError> {
        Run::save(self)
    }

    fn end(&mut self, end: RunEnd) -> Result<(), RunError> {
        self.remove_marker();
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

    fn is_unjudged(&self) -> bool {
        self.state.running.is_some()
    }

    fn find_work(&mut self) -> Result<NextWork<StoryWork>, RunError> {
        self.drop_idle_skips()?;
        self.give_up_failed()?;
        Ok(match self.select_next()? {
            Selection::Complete => NextWork::Complete,
            Selection::Blocked(stories) => match stories.iter().any(BlockedStory::is_given_up) {
                true => NextWork::Failed,
                false => NextWork::Blocked,
            },
            Selection::Work { mode, story } => NextWork::Work(StoryWork { mode, story }),
        })
    }

    fn iterate(
        &mut self,
        attempt: IterationAttempt,
        work: StoryWork,
    ) -> Result<IterationResult, RunError> {
        self.control.orders.story = Some(work.story.clone());
        let ended = self.iterate_story(Assignment::new(attempt, work));
        self.control.orders.story = None;
        ended
    }
}

/// `4 of 6 stories are done; US-003, US-005 failed, and 1 other waits`
fn failed_text(stories: &[StoryBrief], blocked: &[BlockedStory]) -> String {
    let done = stories.iter().filter(|story| story.passes).count();
    let failed: Vec<&str> = blocked
        .iter()
        .filter(|story| story.is_given_up())
        .map(|blocked| blocked.story.as_str())
        .collect();
    let waiting = match blocked.len() - failed.len() {
        0 => String::new(),
        1 => ", and 1 other waits".to_owned(),
        count => format!(", and {count} others wait"),
    };
    let all = stories.len();
    format!("{done} of {all} stories are done; {} failed{waiting}", failed.join(", "))
}
