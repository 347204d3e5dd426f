//! The lane itself: its options, its work tree, the agent of a mode.

use events::TimedTask;
use project::{Layout, Marker};
use tasks::{Mode, Story};
use vcs::WorkTree;

use crate::event_sink::EventSink;
use crate::lane::assignment::Assignment;
use crate::lane::passed_checks::PassedChecks;
use crate::memory::KnownSkills;
use crate::options::{AgentOptions, StoryOptions};
use crate::session::Allowance;
use crate::workspace::{Baseline, Workspace};

pub(crate) struct Lane<'a> {
    pub(crate) options: &'a StoryOptions,
    pub(crate) layout: &'a Layout,
    pub(crate) workspace: Workspace<'a>,
    pub(crate) sink: EventSink<'a>,
    pub(crate) known_skills: KnownSkills,
    pub(crate) passed_checks: Option<PassedChecks>,
}

impl<'a> Lane<'a> {
    pub(crate) fn new(
        options: &'a StoryOptions,
        run_id: String,
        tree: WorkTree,
        baseline: Baseline,
        sink: EventSink<'a>,
    ) -> Self {
        let (layout, allowed) = (&options.run.layout, &options.run.allowed_changes);
        let workspace = Workspace::new(layout, allowed, run_id, tree, baseline, sink.clone());
        let known_skills = KnownSkills::default();
        Self { options, layout, workspace, sink, known_skills, passed_checks: None }
    }

    pub(crate) fn agent(&self, assignment: &Assignment) -> &'a AgentOptions {
        let chosen = assignment.worker.agent.as_deref();
        let chosen = chosen.and_then(|name| self.options.coding_agent(name));
        chosen.unwrap_or_else(|| self.options.agent_of(assignment.mode))
    }

    /// A story's model applies only to the implementing agent. A reviewer with another program or model keeps its
    /// own, and so does each of several reviewers, which must differ.
    pub(crate) fn model(&self, assignment: &Assignment, story: Option<&Story>) -> Option<String> {
        let (agent, worker) = (self.agent(assignment), &self.options.run.agent);
        let of_story = story.and_then(|story| story.model.clone());
        let is_one_of_several = assignment.mode == Mode::Review && !self.options.panel.is_empty();
        let is_worker = agent.program == worker.program && agent.model == worker.model;
        let is_worker = is_worker && !is_one_of_several;
        let chosen = assignment.worker.model.clone();
        chosen.or(of_story.filter(|_| is_worker)).or_else(|| agent.model.clone())
    }

    pub(crate) fn allowance(&self, mode: Mode) -> Allowance {
        let limits = &self.options.run.limits;
        match mode {
            Mode::Review => Allowance { what: TimedTask::Review, limit: limits.review },
            Mode::Implement | Mode::ReviewFix | Mode::Specify => {
                Allowance { what: TimedTask::Implement, limit: limits.implement }
            }
        }
    }

    /// Removes the marker, so that the hooks do not apply to later sessions.
    pub(crate) fn remove_marker(&self) {
        if let Err(error) = Marker::remove_own(self.layout, &self.workspace.run_id) {
            self.sink.warn(format!("cannot remove .ralph-active: {error}"));
        }
    }
}
