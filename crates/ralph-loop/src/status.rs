//! `ralph-loop status`: the state of the task list and of the latest run, read from disk.
//!
//! `ProjectStatus` is plain data, `render` its text form. The caller provides the review policy.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use events::describe::story_in_work;
use events::{LogCheck, ProofSummary, Role, RunView, StoryBrief, StoryProof, Verdict};
use serde::Serialize;
use tasks::{Mode, ReviewPolicy, ReviewStatus, Scope, Selection, Story, StoryId, TaskList};

use crate::report::format::story_state;

mod render;
mod run_log;
mod task_file;

pub(crate) use events::RunState;
pub(crate) use render::render;
pub(crate) use run_log::newest_run;
pub(crate) use task_file::{Judged, TaskFile};

/// The version of the JSON form.
const VERSION: u64 = 1;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProjectStatus {
    pub version: u64,
    pub at: DateTime<Utc>,
    pub project: Option<String>,
    pub branch: Option<String>,
    pub task_list: TaskListState,
    pub judged: Judged,
    /// Problems of the task list.
    pub problems: Vec<String>,
    pub stories: Vec<StoryStatus>,
    pub totals: Totals,
    pub run: Option<RunStatus>,
    pub next: Next,
    /// The commands that merge the work of the last run.
    #[serde(skip)]
    pub merge: Option<[String; 2]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TaskListState {
    Valid,
    Invalid,
    /// It has only the example story of the template.
    Example,
    Unreadable,
    Missing,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoryStatus {
    #[serde(flatten)]
    pub story: StoryBrief,
    pub state: &'static str,
    #[serde(skip)]
    pub role: Role,
    /// The run's limit of failed attempts per story.
    pub max_attempts: Option<u64>,
    /// The unfinished dependencies, if a failed story blocks it.
    pub blocked_by: Vec<StoryId>,
    /// Of a story that tests must prove, once they ran in the latest run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofSummary>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Totals {
    pub stories: u64,
    pub done: u64,
    /// Of the latest run, like the fields below. Running ones count too.
    pub iterations: u64,
    pub accepted: u64,
    pub failed: u64,
    /// `None` if no agent reports its cost.
    pub cost_usd: Option<f64>,
    /// 0 if agents report none.
    pub turns: u64,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunStatus {
    pub state: RunState,
    /// Relative to the project.
    pub folder: String,
    #[serde(flatten)]
    pub view: RunView,
    /// Lines of its log that this version cannot read.
    pub unread_lines: u64,
    /// How many of them a newer version wrote.
    pub newer_lines: u64,
    /// Whether its log was altered.
    pub log: LogCheck,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(crate) enum Next {
    Work {
        mode: Mode,
        story: StoryId,
        title: String,
    },
    Complete,
    /// The other stories wait for those in work.
    Waiting,
    /// The task list has no stories yet.
    NoPlan,
    Blocked {
        reasons: Vec<String>,
    },
    /// The task list is missing or invalid.
    Unknown,
}

impl ProjectStatus {
    pub(crate) fn of(
        now: DateTime<Utc>,
        (tasks, judged): (TaskFile, Judged),
        run: Option<RunStatus>,
        policy: ReviewPolicy,
    ) -> Self {
        let (task_list, list, problems) = tasks.into_parts();
        let view = run.as_ref().map(|run| &run.view);
        let running = run.as_ref().filter(|run| run.state == RunState::Running);
        let running = running.map(|run| &run.view);
        let stories = match task_list {
            TaskListState::Example => Vec::new(),
            _ => stories(list.as_ref(), view, running),
        };
        let next = match (&list, task_list) {
            (Some(list), TaskListState::Valid) => next(list, policy, &stories, running),
            (_, TaskListState::Example) => Next::NoPlan,
            _ => Next::Unknown,
        };
        let start = view.and_then(|view| view.start.as_ref());
        Self {
            version: VERSION,
            at: now,
            project: list.as_ref().map(|l| &l.project).or(start.map(|s| &s.name)).cloned(),
            branch: list.as_ref().map(|l| &l.branch_name).or(start.map(|s| &s.branch)).cloned(),
            task_list,
            judged,
            problems,
            totals: totals(&stories, view, running, policy),
            stories,
            run,
            next,
            merge: None,
        }
    }
}

/// State from the task list; attempts, cost, given-up stories and those in work from the run.
fn stories(
    list: Option<&TaskList>,
    view: Option<&RunView>,
    running: Option<&RunView>,
) -> Vec<StoryStatus> {
    let (briefs, waits) = match (list, view) {
        (Some(list), _) => {
            let briefs: Vec<_> = list.stories.iter().map(|story| brief(story, view)).collect();
            let mut waits = dependencies(list);
            let blocked = events::blocked(&waits, &briefs);
            waits.retain(|story, _| blocked.contains(story));
            (briefs, waits)
        }
        (None, Some(view)) => (view.stories.clone(), view.blocked()),
        (None, None) => return Vec::new(),
    };
    let max_attempts = view.and_then(|view| view.start.as_ref()?.max_attempts);
    let with_state = |story: StoryBrief| {
        let blocked_by = waits.get(&story.id).cloned().unwrap_or_default();
        let listed = list.and_then(|list| list.story(&story.id));
        let verdict = listed.and_then(|s| Verdict::of(s.review_status, &s.review_feedback));
        let (role, state) = match running.and_then(|view| story_in_work(view, &story.id)) {
            Some(doing) => (Role::Accent, doing),
            None => story_state(&story, !blocked_by.is_empty(), verdict),
        };
        let proof = view.and_then(|view| view.proofs.get(&story.id)).map(StoryProof::summary);
        StoryStatus { state, role, max_attempts, blocked_by, proof, story }
    };
    briefs.into_iter().map(with_state).collect()
}

fn brief(story: &Story, view: Option<&RunView>) -> StoryBrief {
    let seen = view.and_then(|view| view.story(&story.id));
    StoryBrief {
        failed_attempts: seen.map_or(0, |seen| seen.failed_attempts),
        cost_usd: seen.map_or(0.0, |seen| seen.cost_usd),
        // The user may have finished a story that the run gave up.
        given_up: seen.and_then(|seen| seen.given_up.clone()).filter(|_| !story.passes),
        question: seen.and_then(|seen| seen.question.clone()).filter(|_| !story.passes),
        ..StoryBrief::of(story)
    }
}

/// The unfinished dependencies of each unfinished story.
fn dependencies(list: &TaskList) -> BTreeMap<StoryId, Vec<StoryId>> {
    let passes = |id: &StoryId| list.story(id).is_some_and(|story| story.passes);
    let waits = list.stories.iter().filter(|story| !story.passes).map(|story| {
        let missing = story.depends_on.iter().filter(|id| !passes(id)).cloned().collect();
        (story.id.clone(), missing)
    });
    waits.collect()
}

fn totals(
    stories: &[StoryStatus],
    view: Option<&RunView>,
    running: Option<&RunView>,
    policy: ReviewPolicy,
) -> Totals {
    let done = stories.iter().filter(|StoryStatus { story, .. }| match policy {
        _ if !story.passes => false,
        ReviewPolicy::Skipped => true,
        ReviewPolicy::Required { .. } => story.review_status == ReviewStatus::Approved,
    });
    Totals {
        stories: stories.len() as u64,
        done: done.count() as u64,
        iterations: running
            .map(RunView::begun_iterations)
            .or(view.map(|view| view.iterations))
            .unwrap_or_default(),
        accepted: view.map_or(0, |view| view.accepted),
        failed: view.map_or(0, |view| view.failed),
        cost_usd: view.and_then(RunView::cost),
        turns: view.map_or(0, |view| view.turns),
    }
}

fn next(
    list: &TaskList,
    policy: ReviewPolicy,
    stories: &[StoryStatus],
    running: Option<&RunView>,
) -> Next {
    let given_up = stories.iter().filter(|story| story.story.given_up.is_some());
    let given_up = given_up.map(|story| story.story.id.clone());
    let lanes = running.map_or(&[][..], |view| &view.lanes);
    let in_lanes = lanes.iter().filter_map(|lane| lane.story.clone());
    let has_work = lanes.iter().any(|lane| lane.story.is_some());
    // The scope of the current run, else that of the next one.
    let only = running.and_then(|view| view.start.as_ref()?.only_story.clone());
    let mut scope = only.map(Scope::of).unwrap_or_default();
    scope.follow_splits(list);
    let asking = stories.iter().filter(|story| story.story.question.is_some());
    let asking = asking.map(|story| story.story.id.clone()).collect();
    match tasks::select(list, policy, &given_up.chain(in_lanes).collect(), &asking, &scope) {
        Selection::Work { mode, story } => {
            let title = list.story(&story).map(|story| story.title.clone()).unwrap_or_default();
            Next::Work { mode, story, title }
        }
        Selection::Complete | Selection::Blocked(_) if has_work => Next::Waiting,
        Selection::Complete => Next::Complete,
        Selection::Blocked(reasons) => {
            Next::Blocked { reasons: reasons.iter().map(ToString::to_string).collect() }
        }
    }
}

#[cfg(test)]
mod tests;
