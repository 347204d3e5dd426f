//! The text form of a status.

use chrono::{DateTime, FixedOffset, Utc};
use events::{
    EndView, MemoryView, Pause, PendingOrders, PromptView, ProofSummary, StartView, describe,
};

use super::{Judged, Next, ProjectStatus, RunState, RunStatus, StoryStatus, TaskListState, Totals};
use crate::report::format::{cost, names, outcomes};
use crate::report::{
    Line, Look, Role, RunView, StoryTable, age, beginning, compaction_parts, count, duration,
    failed_story_text, iteration_parts, moment, prompt_loop_name, span, story_table,
    tagged_lane_parts,
};
use crate::run_report::quoted;

/// Further problems are only counted.
const PROBLEMS_SHOWN: usize = 20;

/// Characters of a pending order that are shown.
const ORDER_SHOWN: usize = 140;

/// Criteria without a test that are named, and characters of each.
const MANUAL_SHOWN: usize = 2;
const CRITERION_SHOWN: usize = 60;

/// Only the table is cut to the width; the terminal wraps other lines.
pub(crate) fn render(status: &ProjectStatus, look: &Look, offset: FixedOffset) -> String {
    let mut lines = heading(status, look);
    if !status.stories.is_empty() {
        lines.push(Line::empty());
        lines.extend(stories(status, look));
        lines.push(Line::empty());
        lines.push(totals(status, look));
        lines.extend(proofs(status, look));
        lines.extend(troubles(status, look));
    }
    lines.push(Line::empty());
    match &status.run {
        Some(run) => {
            if status.task_list == TaskListState::Example && run.prompt_loop().is_none() {
                lines.push(Line::text(Role::Dim, "last run (earlier plan):"));
            }
            let mut about = about_run(run, status.at, look, offset);
            if let Some(start) = run.prompt_loop() {
                about.insert(1, about_prompt_loop(start, &status.totals, look));
            }
            lines.extend(about);
        }
        None => lines.push(Line::text(Role::Dim, "no run yet")),
    }
    lines.extend(next(status, look));
    look.paint(&lines)
}

/// A line below another.
fn below(role: Role, text: impl AsRef<str>) -> Line {
    Line::indented(2).with(role, text)
}

fn stories(status: &ProjectStatus, look: &Look) -> Vec<Line> {
    let about = StoryTable {
        stories: status.stories.iter().map(|one| (&one.story, (one.role, one.state))).collect(),
        max_attempts: status.stories.iter().find_map(|story| story.max_attempts),
        cost: status.run.as_ref().map_or(Some(0.0), |_| status.totals.cost_usd),
    };
    story_table(&about, look, 2)
}

fn heading(status: &ProjectStatus, look: &Look) -> Vec<Line> {
    let marks = look.marks;
    let mut lines = Vec::new();
    if let (Some(project), Some(branch)) = (&status.project, &status.branch) {
        let parts = [(Role::Strong, project.clone()), (Role::Plain, format!("branch {branch}"))];
        lines.push(Line::empty().joined(marks.dot, parts));
    }
    let bad = |text: &str| Some(Line::text(Role::Bad, format!("{} {text}", marks.failed)));
    lines.extend(match status.task_list {
        TaskListState::Valid => None,
        TaskListState::Example => {
            let text = "no plan yet: the task list has only the example story";
            Some(Line::text(Role::Plain, text))
        }
        // A prompt loop needs none.
        TaskListState::Missing if prompt_loop(status).is_some() => None,
        TaskListState::Missing => bad("no task list found"),
        TaskListState::Unreadable => bad("the task list cannot be read"),
        TaskListState::Invalid => bad("the task list has problems"),
    });
    lines.extend(not_judged(status, look));
    let shown = status.problems.iter().take(PROBLEMS_SHOWN);
    lines.extend(shown.map(|problem| Line::indented(4).with(Role::Plain, problem)));
    if let more @ 1.. = status.problems.len().saturating_sub(PROBLEMS_SHOWN) {
        let text = format!("{} {more} more problems", marks.ellipsis);
        lines.push(Line::indented(4).with(Role::Dim, text));
    }
    lines
}

/// A note if the list on disk is not verified, or not the one that is shown.
fn not_judged(status: &ProjectStatus, look: &Look) -> Option<Line> {
    let text = match &status.judged {
        Judged::Yes | Judged::Unknown => return None,
        Judged::OnBranch { branch } => {
            let text =
                format!("showing the task list of branch {branch}; your work tree has another one");
            return Some(Line::text(Role::Dim, text));
        }
        Judged::Edited => "the task list was edited after the last run verified it".to_owned(),
        Judged::Before { iteration } => {
            let next = if is_running(status) { "" } else { "; the next run verifies it first" };
            format!(
                "iteration {iteration} is not verified yet: showing the task list from before it{next}"
            )
        }
    };
    let mark = Line::text(Role::Warn, format!("{} ", look.marks.warning));
    Some(mark.with(Role::Plain, text))
}

fn is_running(status: &ProjectStatus) -> bool {
    status.run.as_ref().is_some_and(|run| run.state == RunState::Running)
}

fn totals(status: &ProjectStatus, look: &Look) -> Line {
    let totals = &status.totals;
    let mut parts = vec![(Role::Strong, format!("{} of {} done", totals.done, totals.stories))];
    if status.run.is_some() && prompt_loop(status).is_none() {
        parts.extend(figures(totals));
    }
    Line::indented(2).joined(look.marks.dot, parts)
}

/// The stories that tests must prove.
fn proofs(status: &ProjectStatus, look: &Look) -> Vec<Line> {
    let proven = status.stories.iter().filter_map(|one| Some((&one.story.id, one.proof.as_ref()?)));
    let lines: Vec<Line> = proven
        .map(|(story, proof)| {
            let parts = describe::proof_summary(proof).into_iter().chain(no_test(proof, look));
            below(Role::Plain, format!("proof of {story}: ")).joined(look.marks.dot, parts)
        })
        .collect();
    if lines.is_empty() {
        return lines;
    }
    let more = below(Role::Accent, "ralph-loop proof STORY").with(Role::Dim, "  shows the tests");
    std::iter::once(Line::empty()).chain(lines).chain([more]).collect()
}

/// `no test: The page looks like the design`
fn no_test(proof: &ProofSummary, look: &Look) -> Option<(Role, String)> {
    let shown = proof.manual.iter().take(MANUAL_SHOWN);
    let shown = shown.map(|criterion| {
        beginning(&sanitize::line(criterion), CRITERION_SHOWN, look.marks.ellipsis)
    });
    let more = proof.manual.len().saturating_sub(MANUAL_SHOWN);
    let more = (more > 0).then(|| format!("{more} more"));
    let all: Vec<String> = shown.chain(more).collect();
    (!all.is_empty()).then(|| (Role::Warn, format!("no test: {}", all.join("; "))))
}

/// Failed stories, and the stories that depend on them.
fn troubles(status: &ProjectStatus, look: &Look) -> Vec<Line> {
    let marked = |role, mark, text: String| below(role, format!("{mark} ")).with(Role::Plain, text);
    let failed = status.stories.iter().filter_map(|story| failed_story_text(&story.story));
    let failed = failed.flat_map(|text| {
        let head = marked(Role::Bad, look.marks.given_up, text.head);
        [head, Line::indented(6).with(Role::Plain, text.work)]
    });
    let blocked = status.stories.iter().filter(|story| !story.blocked_by.is_empty());
    let blocked = blocked.map(|StoryStatus { story, blocked_by, .. }| {
        let text = format!("{} waits for {}", story.id, names(blocked_by));
        marked(Role::Warn, look.marks.warning, text)
    });
    let asking =
        status.stories.iter().filter_map(|one| one.story.question.as_ref().map(|q| (one, q)));
    let asking = asking.map(|(StoryStatus { story, .. }, question)| {
        let asks = beginning(&sanitize::line(&question.text), ORDER_SHOWN, look.marks.ellipsis);
        marked(Role::Warn, look.marks.warning, format!("{} asks: {asks}", story.id))
    });
    let asking: Vec<Line> = asking.collect();
    let how = "ralph-loop answer STORY TEXT";
    let how = (!asking.is_empty()).then(|| below(Role::Accent, how).with(Role::Dim, "  answers"));
    let asking = asking.into_iter().chain(how);
    let lines: Vec<Line> = failed.chain(blocked).collect();
    if lines.is_empty() {
        let asking: Vec<Line> = asking.collect();
        let gap = (!asking.is_empty()).then(Line::empty);
        return gap.into_iter().chain(asking).collect();
    }
    let more = below(Role::Accent, "ralph-loop report").with(Role::Dim, "  next steps");
    std::iter::once(Line::empty()).chain(lines).chain([more]).chain(asking).collect()
}

fn figures(totals: &Totals) -> impl Iterator<Item = (Role, String)> {
    let iterations = count(totals.iterations, "iteration", "iterations");
    let turns = (totals.turns > 0).then(|| count(totals.turns, "turn", "turns"));
    let outcomes = outcomes(totals.accepted, totals.failed);
    let figures = [Some(iterations), outcomes, Some(cost(totals.cost_usd)), turns];
    figures.into_iter().flatten().map(|text| (Role::Plain, text))
}

fn prompt_loop(status: &ProjectStatus) -> Option<&StartView> {
    status.run.as_ref().and_then(RunStatus::prompt_loop)
}

/// Kind and figures of a prompt loop, which has no story table.
fn about_prompt_loop(start: &StartView, totals: &Totals, look: &Look) -> Line {
    let kind = prompt_loop_name(start.kind).unwrap_or_default();
    let name = (Role::Strong, format!("{kind} with {}", start.agent));
    Line::indented(2).joined(look.marks.dot, std::iter::once(name).chain(figures(totals)))
}

fn about_run(run: &RunStatus, now: DateTime<Utc>, look: &Look, offset: FixedOffset) -> Vec<Line> {
    let (marks, view) = (look.marks, &run.view);
    let mut lines = match (run.state, &view.end) {
        (RunState::Running, _) => running(run, now, look, offset),
        (RunState::Ended, Some(end)) => ended(end, view, now, look),
        (RunState::Ended | RunState::Died, _) => {
            let text =
                "the last run ended without a result: it was killed, or the machine went down";
            vec![Line::text(Role::Bad, format!("{} {text}", marks.failed))]
        }
    };
    if let (RunState::Running | RunState::Died, Some(activity)) = (run.state, &view.last_activity) {
        let text = format!("last activity {}: {}", age(activity.at, now), activity.text);
        lines.push(below(Role::Dim, text));
    }
    lines.extend(view.memory.iter().flat_map(|memory| about_memory(memory, look)));
    lines.extend(view.final_reviews.last().map(|review| {
        let (role, text) = describe::final_review(review);
        below(role, text)
    }));
    if run.unread_lines > 0 {
        let unread = count(run.unread_lines, "line of its log is", "lines of its log are");
        let newer = if run.newer_lines > 0 { "; written by a newer ralph-loop" } else { "" };
        let text = format!("{} {unread} unreadable{newer}", marks.warning);
        lines.push(below(Role::Warn, text));
    }
    let altered = run.log.altered();
    lines.extend(altered.map(|text| below(Role::Alarm, format!("{} {text}", marks.warning))));
    lines.push(below(Role::Dim, format!("files: {}/", run.folder)));
    lines.push(below(Role::Dim, format!("event log: {}", run.log.figures())));
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
    head.extend(view.stopping.then(|| (Role::Warn, "stopping".to_owned())));
    let mut lines = vec![Line::empty().joined(marks.dot, head)];
    let orders = pending_orders(&view.pending_orders, now, look);
    lines.extend(orders.iter().map(|text| below(Role::Warn, text)));
    lines.extend(view.rest.as_ref().map(|rest| {
        let (until, left) = (moment(rest.until, now, offset), span(rest.until - now));
        let text = format!("{} {}; resuming at {until} (in {left})", marks.rest, rest.text);
        below(Role::Accent, text)
    }));
    lines.extend(
        view.compaction().map(|compaction| {
            Line::indented(2).joined(marks.dot, compaction_parts(compaction, now))
        }),
    );
    lines.extend(view.iteration().map(|iteration| {
        let subject = [(Role::Plain, iteration.subject())];
        Line::indented(2).joined(marks.dot, iteration_parts(iteration, subject, view, now))
    }));
    lines.extend(view.lanes.iter().map(|lane| {
        let parts = tagged_lane_parts(view, lane, now, offset);
        below(Role::Plain, "lane ").joined(marks.dot, parts)
    }));
    if !view.merge_queue.is_empty() {
        let queue: Vec<_> = view.merge_queue.iter().map(|one| one.story.to_string()).collect();
        lines.push(below(Role::Plain, format!("waiting to be merged: {}", queue.join(", "))));
    }
    lines
}

/// Accepted instructions that the run has not applied yet.
fn pending_orders(orders: &PendingOrders, now: DateTime<Utc>, look: &Look) -> Vec<String> {
    let paused = match orders.pause {
        Pause::No | Pause::Requested => None,
        Pause::Waiting { since } => Some(format!(
            "{} paused for {}; run `ralph-loop resume` to continue",
            look.marks.rest,
            span(now - since)
        )),
    };
    let others = describe::pending_orders(orders);
    let others = others.iter().map(|text| beginning(text, ORDER_SHOWN, "..."));
    paused.into_iter().chain(others).collect()
}

/// Last handoff, compactions and prompt size.
fn about_memory(memory: &MemoryView, look: &Look) -> Vec<Line> {
    let handoff = memory.last_handoff.as_ref().map(|handoff| {
        let text = format!("handoff of iteration {}: {}", handoff.iteration, handoff.text);
        below(Role::Plain, text)
    });
    let failures = memory.failures.len();
    let compactions = (memory.compactions > 0 || failures > 0)
        .then(|| (Role::Plain, count(memory.compactions, "compaction", "compactions")));
    let failed = (failures > 0).then(|| (Role::Warn, format!("{failures} failed")));
    let prompt = memory.prompt.map(|PromptView { tokens, budget }| {
        let role = if tokens > budget { Role::Warn } else { Role::Plain };
        (role, format!("last prompt {tokens} of {budget} tokens"))
    });
    let parts: Vec<_> = [compactions, failed, prompt].into_iter().flatten().collect();
    let figures = (!parts.is_empty()).then(|| Line::indented(2).joined(look.marks.dot, parts));
    handoff.into_iter().chain(figures).collect()
}

fn ended(end: &EndView, view: &RunView, now: DateTime<Utc>, look: &Look) -> Vec<Line> {
    let (role, mark) = match end.exit_code {
        0 => (Role::Good, look.marks.ok),
        _ => (Role::Warn, look.marks.warning),
    };
    let took = format!("ended {}, worked {}", age(end.at, now), duration(end.seconds));
    let head = Line::text(role, format!("{mark} {}", end.end));
    let mut lines = vec![
        head.with(Role::Dim, format!("  {took}, exit code {}", end.exit_code)),
        below(Role::Plain, &end.text),
    ];
    // Failed stories and their dependants are listed below the table.
    if view.stories.iter().all(|story| story.given_up.is_none()) {
        lines.extend(end.blocked.iter().map(|reason| below(Role::Warn, reason)));
    }
    lines
}

fn next(status: &ProjectStatus, look: &Look) -> Vec<Line> {
    let is_missing = status.task_list == TaskListState::Missing;
    let mut waiting: &[String] = &[];
    let text = match &status.next {
        Next::Work { mode, story, title } => format!("{mode} {story} {title}"),
        Next::Complete => match &status.judged {
            Judged::OnBranch { branch } if !is_running(status) => {
                format!("all stories are done; merge them with `git merge {}`", quoted(branch))
            }
            _ => match &status.merge {
                Some([switch, merge]) if !is_running(status) => {
                    format!("all stories are done; merge them with `{switch}` and `{merge}`")
                }
                _ => "nothing, all stories are done".to_owned(),
            },
        },
        Next::Waiting => "nothing until a story in work is merged".to_owned(),
        Next::NoPlan => "describe what you want in prd.md and the stories in tasks.json".to_owned(),
        Next::Blocked { reasons } if reasons.is_empty() => "the task list is empty".to_owned(),
        Next::Blocked { reasons } => {
            // There is one reason per story; stories listed above need none.
            let is_listed =
                |s: &&StoryStatus| s.story.given_up.is_some() || !s.blocked_by.is_empty();
            let listed = status.stories.iter().filter(is_listed).count();
            waiting = if listed == reasons.len() { &[] } else { reasons };
            "no story can be started".to_owned()
        }
        Next::Unknown if is_missing && prompt_loop(status).is_some() => return Vec::new(),
        Next::Unknown if is_missing => "run `ralph-loop init`, or write a task list".to_owned(),
        Next::Unknown => "fix the task list; `ralph-loop validate` lists the problems".to_owned(),
    };
    let next = Line::text(Role::Strong, "next: ").with(Role::Plain, text);
    let warning = look.marks.warning;
    let waiting = waiting.iter().map(|reason| below(Role::Warn, format!("{warning} {reason}")));
    [Line::empty(), next].into_iter().chain(waiting).collect()
}
