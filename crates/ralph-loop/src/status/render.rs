//! The text form of a status.

use chrono::{DateTime, FixedOffset, Utc};
use events::{LoopKind, Pause, PendingOrders, StoryBrief};

use super::{Judged, Next, ProjectStatus, RunState, RunStatus, StoryStatus, TaskListState, Totals};
use crate::report::format::{cost, names, outcomes};
use crate::report::{
    EndView, FailedStoryText, IterationRecord, Line, Look, MemoryView, PromptView, Role, RunView,
    StartView, StoryTable, age, context, count, duration, failed_story_text, moment, span,
    story_table,
};

/// Further problems are only counted.
const PROBLEMS_SHOWN: usize = 20;

/// Only the table is cut to the width; the terminal wraps other lines.
pub fn render(status: &ProjectStatus, look: &Look, offset: FixedOffset) -> String {
    let mut lines = heading(status, look);
    if !status.stories.is_empty() {
        let briefs: Vec<StoryBrief> =
            status.stories.iter().map(|StoryStatus { story, .. }| story.clone()).collect();
        let blocked = status.stories.iter().filter(|story| !story.blocked_by.is_empty());
        let blocked = blocked.map(|blocked| blocked.story.id.clone()).collect();
        let max_attempts = status.stories.iter().find_map(|story| story.max_attempts);
        let verdicts = status.stories.iter().filter_map(|s| Some((s.story.id.clone(), s.verdict?)));
        let verdicts = verdicts.collect();
        let cost = match &status.run {
            Some(_) => status.totals.cost_usd,
            None => Some(0.0),
        };
        let (stories, blocked, verdicts) = (&briefs, &blocked, &verdicts);
        let about = StoryTable { stories, max_attempts, blocked, verdicts, cost };
        lines.push(Line::empty());
        lines.extend(story_table(about, look, 2));
        lines.push(Line::empty());
        lines.push(totals(status, look));
        lines.extend(troubles(status, look));
    }
    lines.push(Line::empty());
    match &status.run {
        Some(run) => {
            if status.task_list == TaskListState::Example && run.prompt_loop().is_none() {
                lines.push(Line::empty().with(Role::Dim, "last run (earlier plan):"));
            }
            let mut about = about_run(run, status.at, look, offset);
            if let Some(start) = run.prompt_loop() {
                about.insert(1, about_prompt_loop(start, &status.totals, look));
            }
            lines.extend(about);
        }
        None => lines.push(Line::empty().with(Role::Dim, "no run yet")),
    }
    lines.extend(next(status, look));
    lines.into_iter().map(|line| line.paint(&look.palette) + "\n").collect()
}

fn heading(status: &ProjectStatus, look: &Look) -> Vec<Line> {
    let marks = look.marks;
    let mut lines = Vec::new();
    if let (Some(project), Some(branch)) = (&status.project, &status.branch) {
        let parts = [(Role::Strong, project.clone()), (Role::Plain, format!("branch {branch}"))];
        lines.push(Line::empty().joined(marks.dot, parts));
    }
    let bad = |text: &str| Line::empty().with(Role::Bad, format!("{} {text}", marks.failed));
    match status.task_list {
        TaskListState::Valid => {}
        TaskListState::Example => {
            let text = "no plan yet: the task list has only the example story";
            lines.push(Line::empty().with(Role::Plain, text));
        }
        // A prompt loop needs none.
        TaskListState::Missing if prompt_loop(status).is_some() => {}
        TaskListState::Missing => lines.push(bad("no task list found")),
        TaskListState::Unreadable => lines.push(bad("the task list cannot be read")),
        TaskListState::Invalid => lines.push(bad("the task list has problems")),
    }
    lines.extend(not_judged(status, look));
    let shown = status.problems.iter().take(PROBLEMS_SHOWN);
    lines.extend(shown.map(|problem| Line::indented(4).with(Role::Plain, problem)));
    if let more @ 1.. = status.problems.len().saturating_sub(PROBLEMS_SHOWN) {
        let text = format!("{} {more} more problems", marks.ellipsis);
        lines.push(Line::indented(4).with(Role::Dim, text));
    }
    lines
}

/// A note if the list on disk is not verified.
fn not_judged(status: &ProjectStatus, look: &Look) -> Option<Line> {
    let is_running = status.run.as_ref().is_some_and(|run| run.state == RunState::Running);
    let text = match status.judged {
        Judged::Yes | Judged::Unknown => return None,
        Judged::Edited => "the task list was edited after the last run verified it".to_owned(),
        Judged::Before { iteration } => {
            let next = if is_running { "" } else { "; the next run verifies it first" };
            format!(
                "iteration {iteration} is not verified yet: showing the task list from before it{next}"
            )
        }
    };
    let mark = Line::empty().with(Role::Warn, format!("{} ", look.marks.warning));
    Some(mark.with(Role::Plain, text))
}

fn totals(status: &ProjectStatus, look: &Look) -> Line {
    let totals = &status.totals;
    let mut parts = vec![(Role::Strong, format!("{} of {} done", totals.done, totals.stories))];
    if status.run.is_some() && prompt_loop(status).is_none() {
        parts.extend(figures(totals));
    }
    Line::indented(2).joined(look.marks.dot, parts)
}

fn is_trouble(StoryStatus { story, blocked_by, .. }: &StoryStatus) -> bool {
    story.given_up.is_some() || !blocked_by.is_empty()
}

/// Failed stories, and the stories that depend on them.
fn troubles(status: &ProjectStatus, look: &Look) -> Vec<Line> {
    let marks = look.marks;
    let mut lines = Vec::new();
    for FailedStoryText { head, work } in
        status.stories.iter().filter_map(|StoryStatus { story, .. }| failed_story_text(story))
    {
        let mark = Line::indented(2).with(Role::Bad, format!("{} ", marks.given_up));
        lines.push(mark.with(Role::Plain, head));
        lines.push(Line::indented(6).with(Role::Plain, work));
    }
    for StoryStatus { story, blocked_by, .. } in &status.stories {
        if !blocked_by.is_empty() {
            let mark = Line::indented(2).with(Role::Warn, format!("{} ", marks.warning));
            let text = format!("{} waits for {}", story.id, names(blocked_by));
            lines.push(mark.with(Role::Plain, text));
        }
    }
    if !lines.is_empty() {
        let more = Line::indented(2).with(Role::Accent, "ralph-loop report");
        lines.push(more.with(Role::Dim, "  next steps"));
        lines.insert(0, Line::empty());
    }
    lines
}

fn figures(totals: &Totals) -> Vec<(Role, String)> {
    let mut figures = vec![(Role::Plain, count(totals.iterations, "iteration", "iterations"))];
    figures.extend(outcomes(totals.accepted, totals.failed).map(|text| (Role::Plain, text)));
    figures.push((Role::Plain, cost(totals.cost_usd)));
    let turns = (totals.turns > 0).then(|| count(totals.turns, "turn", "turns"));
    figures.extend(turns.map(|turns| (Role::Plain, turns)));
    figures
}

fn prompt_loop(status: &ProjectStatus) -> Option<&StartView> {
    status.run.as_ref().and_then(RunStatus::prompt_loop)
}

/// Kind and figures of a prompt loop, which has no story table.
fn about_prompt_loop(start: &StartView, totals: &Totals, look: &Look) -> Line {
    let kind = match start.kind {
        LoopKind::Stories => "story loop",
        LoopKind::Plan => "plan loop",
        LoopKind::Build => "build loop",
        LoopKind::Prompt => "prompt loop",
    };
    let name = std::iter::once((Role::Strong, format!("{kind} with {}", start.agent)));
    Line::indented(2).joined(look.marks.dot, name.chain(figures(totals)))
}

fn about_run(run: &RunStatus, now: DateTime<Utc>, look: &Look, offset: FixedOffset) -> Vec<Line> {
    let marks = look.marks;
    let view = &run.view;
    let mut lines = match (run.state, &view.end) {
        (RunState::Running, _) => running(run, now, look, offset),
        (RunState::Ended, Some(end)) => ended(end, view, now, look),
        (RunState::Ended | RunState::Died, _) => {
            let text =
                "the last run ended without a result: it was killed, or the machine went down";
            vec![Line::empty().with(Role::Bad, format!("{} {text}", marks.failed))]
        }
    };
    if let (RunState::Running | RunState::Died, Some(activity)) = (run.state, &view.last_activity) {
        let ago = age(activity.at, now);
        lines.push(
            Line::indented(2).with(Role::Dim, format!("last activity {ago}: {}", activity.text)),
        );
    }
    if let Some(memory) = &view.memory {
        lines.extend(about_memory(memory, look));
    }
    if run.unread_lines > 0 {
        let mut text = count(run.unread_lines, "line of its log is", "lines of its log are");
        text.push_str(" unreadable");
        if run.newer_lines > 0 {
            text.push_str("; written by a newer ralph-loop");
        }
        lines.push(Line::indented(2).with(Role::Warn, format!("{} {text}", marks.warning)));
    }
    lines.extend(
        run.log
            .altered()
            .map(|text| Line::indented(2).with(Role::Alarm, format!("{} {text}", marks.warning))),
    );
    lines.push(Line::indented(2).with(Role::Dim, format!("files: {}/", run.folder)));
    let figures = format!("event log: {}", run.log.figures());
    lines.push(Line::indented(2).with(Role::Dim, figures));
    lines
}

fn running(run: &RunStatus, now: DateTime<Utc>, look: &Look, offset: FixedOffset) -> Vec<Line> {
    let (marks, view) = (look.marks, &run.view);
    let mut head = vec![(Role::Good, format!("{} running", marks.running))];
    if let Some(start) = &view.start {
        let worked = duration(view.worked.seconds_at(now));
        head.push((Role::Plain, format!("for {worked}")));
        head.push((Role::Dim, format!("pid {}", start.pid)));
    }
    if view.stopping {
        head.push((Role::Warn, "stopping".to_owned()));
    }
    let mut lines = vec![Line::empty().joined(marks.dot, head)];
    lines.extend(
        pending_orders(&view.pending_orders, now, look)
            .map(|text| Line::indented(2).with(Role::Warn, text)),
    );
    if let Some(rest) = &view.rest {
        let until = moment(rest.until, now, offset);
        let left = span(rest.until - now);
        let text = format!("{} {}; resuming at {until} (in {left})", marks.rest, rest.text);
        lines.push(Line::indented(2).with(Role::Accent, text));
    }
    if let Some(compaction) = view.compaction() {
        let since = span(now - compaction.started_at);
        let parts = [(Role::Accent, events::compacting(compaction.handoffs)), (Role::Plain, since)];
        lines.push(Line::indented(2).joined(marks.dot, parts));
    }
    if let Some(iteration) = view.iteration() {
        let of = view.start.as_ref().map(|start| start.max_iterations);
        lines.push(Line::indented(2).joined(marks.dot, iteration_parts(iteration, of, now)));
    }
    lines
}

/// Accepted instructions that the run has not applied yet.
fn pending_orders(
    pending_orders: &PendingOrders,
    now: DateTime<Utc>,
    look: &Look,
) -> impl Iterator<Item = String> {
    let pause = match pending_orders.pause {
        Pause::No => None,
        Pause::Requested => Some("pausing after this iteration".to_owned()),
        Pause::Waiting { since } => Some(format!(
            "{} paused for {}; run `ralph-loop resume` to continue",
            look.marks.rest,
            span(now - since)
        )),
    };
    let skips = pending_orders.skips.iter().map(|story| format!("skipping {story}"));
    let steers = pending_orders
        .steers
        .iter()
        .map(|text| format!("instruction for the next session: {}", first_words(text)));
    pause.into_iter().chain(skips).chain(steers)
}

/// Last handoff, compactions and prompt size.
fn about_memory(memory: &MemoryView, look: &Look) -> Vec<Line> {
    let handoff = memory.last_handoff.as_ref().map(|handoff| {
        let text = format!("handoff of iteration {}: {}", handoff.iteration, handoff.text);
        Line::indented(2).with(Role::Plain, text)
    });
    let mut parts = Vec::new();
    if memory.compactions > 0 || !memory.failures.is_empty() {
        parts.push((Role::Plain, count(memory.compactions, "compaction", "compactions")));
    }
    if !memory.failures.is_empty() {
        parts.push((Role::Warn, format!("{} failed", memory.failures.len())));
    }
    if let Some(PromptView { tokens, budget }) = memory.prompt {
        let role = if tokens > budget { Role::Warn } else { Role::Plain };
        parts.push((role, format!("last prompt {tokens} of {budget} tokens")));
    }
    let figures = (!parts.is_empty()).then(|| Line::indented(2).joined(look.marks.dot, parts));
    handoff.into_iter().chain(figures).collect()
}

fn iteration_parts(
    iteration: &IterationRecord,
    of: Option<u64>,
    now: DateTime<Utc>,
) -> Vec<(Role, String)> {
    let of = of.map(|of| format!("/{of}")).unwrap_or_default();
    let mut parts = vec![
        (Role::Strong, format!("iteration {}{of}", iteration.number)),
        (Role::Accent, iteration.mode.to_string()),
        (Role::Plain, iteration.subject()),
        (Role::Plain, span(now - iteration.started_at)),
    ];
    if let Some(used) = iteration.context_tokens {
        parts.push(context(used, iteration.context_window));
    }
    parts
}

fn ended(end: &EndView, view: &RunView, now: DateTime<Utc>, look: &Look) -> Vec<Line> {
    let (role, mark) = match end.exit_code {
        0 => (Role::Good, look.marks.ok),
        _ => (Role::Warn, look.marks.warning),
    };
    let took = format!("ended {}, worked {}", age(end.at, now), duration(end.seconds));
    let head = Line::empty().with(role, format!("{mark} {}", end.end));
    let mut lines = vec![
        head.with(Role::Dim, format!("  {took}, exit code {}", end.exit_code)),
        Line::indented(2).with(Role::Plain, &end.text),
    ];
    // Failed stories and their dependants are listed below the table.
    let is_listed = view.stories.iter().any(|story| story.given_up.is_some());
    let reasons = end.blocked.iter().filter(|_| !is_listed);
    lines.extend(reasons.map(|reason| Line::indented(2).with(Role::Warn, reason)));
    lines
}

fn next(status: &ProjectStatus, look: &Look) -> Vec<Line> {
    let say = |text: &str| Line::empty().with(Role::Strong, "next: ").with(Role::Plain, text);
    let lines = match &status.next {
        Next::Work { mode, story, title } => vec![say(&format!("{mode} {story} {title}"))],
        Next::Complete => vec![say("nothing, all stories are done")],
        Next::NoPlan => vec![say("describe what you want in prd.md and the stories in tasks.json")],
        Next::Blocked { reasons } if reasons.is_empty() => vec![say("the task list is empty")],
        Next::Blocked { reasons } => {
            // There is one reason per story; stories listed above need none.
            let listed = status.stories.iter().filter(|story| is_trouble(story)).count();
            let reasons = if listed == reasons.len() { &[] } else { &reasons[..] };
            let waiting = reasons.iter().map(|reason| {
                Line::indented(2).with(Role::Warn, format!("{} {reason}", look.marks.warning))
            });
            std::iter::once(say("no story can be started")).chain(waiting).collect()
        }
        Next::Unknown
            if status.task_list == TaskListState::Missing && prompt_loop(status).is_some() =>
        {
            return Vec::new();
        }
        Next::Unknown if status.task_list == TaskListState::Missing => {
            vec![say("run `ralph-loop init`, or write a task list")]
        }
        Next::Unknown => vec![say("fix the task list; `ralph-loop validate` lists the problems")],
    };
    std::iter::once(Line::empty()).chain(lines).collect()
}

/// Cuts a long text.
fn first_words(text: &str) -> String {
    const MOST: usize = 100;
    let line = sanitize::line(text);
    match line.char_indices().nth(MOST) {
        Some((cut, _)) => format!("{}...", &line[..cut]),
        None => line,
    }
}
