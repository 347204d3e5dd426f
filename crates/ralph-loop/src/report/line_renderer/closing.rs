//! The closing screen, below the description of the end: table of stories, totals, and where to look next.

use events::describe::{Form, Mark, Statement, failed_story_text};
use events::{LoopEvent, LoopKind, RunEnd, Stamped, StoryBrief};
use tasks::StoryId;

use super::{LineRenderer, StoryTable, story_table};
use crate::report::format::{cost, names, outcomes};
use crate::report::{Line, Role, RunView, blocked, count, duration, waiting};
use crate::run_report::merge_commands;

impl LineRenderer {
    /// `view` is the state before the end.
    pub(super) fn closing(&self, stamped: &Stamped, view: &RunView) -> Vec<Line> {
        let LoopEvent::RunEnded { end, stories, blocked: reasons, waiting: reported, .. } =
            &stamped.event
        else {
            return Vec::new();
        };
        let waits = waiting(stories, reported);
        let blocked = blocked(&waits, stories);
        let mut lines = Vec::new();
        if !stories.is_empty() {
            lines.push(Line::empty());
            let max_attempts = view.start.as_ref().and_then(|start| start.max_attempts);
            let verdicts = &view.verdicts;
            let cost = view.cost();
            let about = StoryTable { stories, max_attempts, blocked: &blocked, verdicts, cost };
            lines.extend(story_table(about, &self.look, 2));
        }
        let mut statements = vec![Statement::blank(), totals(stamped, view)];
        let blocked = blocked.iter().map(|story| (story, &waits[story][..]));
        statements.extend(troubles(stories, blocked, reasons));
        if *end == RunEnd::Complete {
            statements.extend(merging(view));
        }
        statements.extend(where_to_look(&stamped.run, view));
        lines.extend(self.statements(statements));
        lines
    }
}

fn totals(stamped: &Stamped, view: &RunView) -> Statement {
    let LoopEvent::RunEnded { iterations, accepted, failed, cost_usd, stories, .. } =
        &stamped.event
    else {
        return Statement::blank();
    };
    let mut totals = Vec::new();
    if !stories.is_empty() {
        let done = stories.iter().filter(|story| story.passes).count();
        totals.push((Role::Strong, format!("{done} of {} done", stories.len())));
    }
    totals.push((Role::Plain, count(*iterations, "iteration", "iterations")));
    totals.extend(outcomes(*accepted, *failed).map(|text| (Role::Plain, text)));
    let worked = view.worked.after(stamped.at, &stamped.event);
    totals.push((Role::Plain, duration(worked.seconds())));
    let known = *cost_usd > 0.0 || view.cost().is_some();
    totals.push((Role::Plain, cost(known.then_some(*cost_usd))));
    Statement::parts(totals)
}

/// Failed stories and their dependants; without failures, the run's own reasons.
fn troubles<'s>(
    stories: &[StoryBrief],
    blocked: impl Iterator<Item = (&'s StoryId, &'s [StoryId])>,
    reasons: &[String],
) -> Vec<Statement> {
    let failed = stories.iter().filter(|story| !story.passes).filter_map(failed_story_text);
    let mut statements: Vec<Statement> = failed
        .flat_map(|text| {
            let head = Statement::note(Role::Bad, Mark::GivenUp, text.head);
            [head, Statement::below(Role::Plain, text.work)]
        })
        .collect();
    if statements.is_empty() && !reasons.is_empty() {
        return reasons.iter().map(Statement::warning).collect();
    }
    if !statements.is_empty() {
        statements.insert(0, Statement::blank());
    }
    statements.extend(blocked.map(|(story, waits_for)| {
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

fn where_to_look(run: &str, view: &RunView) -> Vec<Statement> {
    let start = view.start.as_ref();
    let results = match start.map_or(LoopKind::Stories, |start| start.kind) {
        LoopKind::Stories => "results of each story and next steps",
        _ => "results and next steps",
    };
    let mut places = vec![
        ("ralph-loop report".to_owned(), results),
        (
            format!(".ralph/runs/{run}/"),
            "report.md, session.log, and all events, prompts and answers",
        ),
        ("ralph-loop status".to_owned(), "current state"),
    ];
    if let Some(start) = start.filter(|start| !start.branch.is_empty()) {
        places.push((format!("git log {}", start.branch), "commits of the run"));
    }
    let widest = places.iter().map(|(place, _)| place.chars().count()).max().unwrap_or(0);
    let lines = places.into_iter().map(|(place, what)| {
        let place = Statement::text(Role::Accent, format!("{place:widest$}  "));
        place.with(Role::Dim, what).form(Form::Cut)
    });
    std::iter::once(Statement::blank()).chain(lines).collect()
}
