//! The closing screen, below the description of the end: table of stories, totals, and where to look next.

use events::describe::{Form, Mark, Statement, failed_story_text};
use events::{EndView, LoopKind, RunEnd, RunView};

use super::{LineRenderer, StoryTable, story_table};
use crate::report::format::{cost, names, outcomes, story_state};
use crate::report::{Line, Role, count, duration};
use crate::run_report::merge_commands;

impl LineRenderer {
    /// `view` is the state after the end.
    pub(super) fn closing(&self, view: &RunView) -> Vec<Line> {
        let Some(end) = &view.end else { return Vec::new() };
        let blocked = view.blocked();
        let mut lines = Vec::new();
        if !view.stories.is_empty() {
            lines.push(Line::empty());
            let rows = view.stories.iter().map(|story| {
                let verdict = view.verdicts.get(&story.id).copied();
                (story, story_state(story, blocked.contains_key(&story.id), verdict))
            });
            let max_attempts = view.start.as_ref().and_then(|start| start.max_attempts);
            let about = StoryTable { stories: rows.collect(), max_attempts, cost: view.cost() };
            lines.extend(story_table(&about, &self.look, 2));
        }
        let mut statements = vec![Statement::blank(), totals(view, end)];
        statements.extend(troubles(view, end));
        if end.end == RunEnd::Complete {
            statements.extend(merging(view));
        }
        statements.extend(where_to_look(view));
        lines.extend(self.statements(statements));
        lines
    }
}

fn totals(view: &RunView, end: &EndView) -> Statement {
    let stories = view.stories.len();
    let done = (stories > 0).then(|| (Role::Strong, format!("{} of {stories} done", view.done)));
    let figures = [
        Some(count(view.iterations, "iteration", "iterations")),
        outcomes(view.accepted, view.failed),
        Some(duration(end.seconds)),
        Some(cost(view.cost().map(|_| view.cost_usd))),
    ];
    let figures = figures.into_iter().flatten().map(|text| (Role::Plain, text));
    Statement::parts(done.into_iter().chain(figures))
}

/// Failed stories and their dependants; without failures, the run's own reasons.
fn troubles(view: &RunView, end: &EndView) -> Vec<Statement> {
    let failed = view.stories.iter().filter(|story| !story.passes).filter_map(failed_story_text);
    let mut statements: Vec<Statement> = failed
        .flat_map(|text| {
            let head = Statement::note(Role::Bad, Mark::GivenUp, text.head);
            [head, Statement::below(Role::Plain, text.work)]
        })
        .collect();
    if statements.is_empty() && !end.blocked.is_empty() {
        return end.blocked.iter().map(Statement::warning).collect();
    }
    if !statements.is_empty() {
        statements.insert(0, Statement::blank());
    }
    statements.extend(view.blocked().iter().map(|(story, waits_for)| {
        Statement::warning(format!("{story} waits for {}", names(waits_for)))
    }));
    statements
}

/// The commands that merge the work into the branch that the run began on.
fn merging(view: &RunView) -> Vec<Statement> {
    let start = view.start.as_ref();
    let commands = start.and_then(|start| merge_commands(&start.branch, start.base.as_deref()));
    let Some(commands) = commands else { return Vec::new() };
    let head = Statement::text(Role::Strong, "merge the work:");
    let commands = commands.map(|command| Statement::text(Role::Accent, command).at(2));
    [Statement::blank(), head].into_iter().chain(commands).collect()
}

fn where_to_look(view: &RunView) -> Vec<Statement> {
    let start = view.start.as_ref();
    let results = match start.map_or(LoopKind::Stories, |start| start.kind) {
        LoopKind::Stories => "results of each story and next steps",
        _ => "results and next steps",
    };
    let files = "report.md, session.log, and all events, prompts and answers";
    let mut places = vec![
        ("ralph-loop report".to_owned(), results),
        (format!(".ralph/runs/{}/", view.id), files),
        ("ralph-loop status".to_owned(), "current state"),
    ];
    let branch = start.map(|start| &start.branch).filter(|branch| !branch.is_empty());
    places.extend(branch.map(|branch| (format!("git log {branch}"), "commits of the run")));
    let lanes = start.and_then(|start| start.jobs);
    let prune =
        ("ralph-loop lanes prune".to_owned(), "removes clones that are not needed any more");
    places.extend(lanes.map(|_| prune));
    let widest = places.iter().map(|(place, _)| place.chars().count()).max().unwrap_or(0);
    let lines = places.into_iter().map(|(place, what)| {
        let place = Statement::text(Role::Accent, format!("{place:widest$}  "));
        place.with(Role::Dim, what).form(Form::Cut)
    });
    std::iter::once(Statement::blank()).chain(lines).collect()
}
