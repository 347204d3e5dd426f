//! The most important numbers, one tile each.

use chrono::TimeDelta;
use events::format::{UNKNOWN, cost_cell, count, duration, money, outcomes, span, tokens};
use events::{LaneState, RunState};

use super::head::elapsed;
use super::{section, tile};
use crate::PageInput;
use crate::chart::{WIDTH, rect};
use crate::html::{Html, element};
use crate::tally::{StoryOutcome, StoryRow, all_tokens, finite, has_stories, when};

pub(super) fn summary(input: &PageInput<'_>, rows: &[StoryRow<'_>]) -> Html {
    let mut tiles = Vec::new();
    if has_stories(input.view) {
        tiles.extend(of_stories(rows));
        tiles.push(running(input));
    }
    tiles.extend([cost(input), time(input), iterations(input), used(input)]);
    let bar = has_stories(input.view).then(|| progress(rows));
    section("summary", "Summary").add(bar).add(element("dl").class("tiles").add_all(tiles)).into()
}

fn number_of(rows: &[StoryRow<'_>], outcome: StoryOutcome) -> u64 {
    rows.iter().filter(|row| row.outcome == outcome).count() as u64
}

fn of_stories(rows: &[StoryRow<'_>]) -> Vec<Html> {
    let of = |outcome| number_of(rows, outcome);
    let (failed, blocked, open) =
        (of(StoryOutcome::Failed), of(StoryOutcome::Blocked), of(StoryOutcome::Open));
    let waiting = match blocked {
        0 => String::new(),
        blocked => format!("{} by them", count(blocked, "story blocked", "stories blocked")),
    };
    let skipped = match of(StoryOutcome::Skipped) {
        0 => String::new(),
        skipped => format!("and {skipped} skipped"),
    };
    vec![
        tile("good", "Stories done", of(StoryOutcome::Done), format!("of {}", rows.len())),
        tile(if failed > 0 { "bad" } else { "plain" }, "Stories failed", failed, waiting),
        tile("plain", "Stories open", open, skipped),
    ]
}

/// A bar with the share of each outcome.
fn progress(rows: &[StoryRow<'_>]) -> Html {
    let parts = [
        (StoryOutcome::Done, "done", "part-done"),
        (StoryOutcome::Failed, "failed", "part-failed"),
        (StoryOutcome::Blocked, "blocked", "part-blocked"),
        (StoryOutcome::Skipped, "skipped", "part-open"),
        (StoryOutcome::Open, "open", "part-open"),
    ];
    let all = rows.len().max(1) as f64;
    // A small gap between two parts, none after the last.
    let gap = |right: f64| if right < WIDTH - 0.5 { 2.0 } else { 0.0 };
    let mut left = 0.0;
    let mut marks = Vec::new();
    let mut texts = Vec::new();
    for (outcome, word, class) in parts {
        let number = number_of(rows, outcome);
        let width = number as f64 / all * WIDTH;
        if number > 0 {
            texts.push(format!("{number} {word}"));
            marks.push(rect(left, 0.0, (width - gap(left + width)).max(1.0), 10.0).class(class));
        }
        left += width;
    }
    let words = if texts.is_empty() { "no stories".to_owned() } else { texts.join(", ") };
    element("svg")
        .class("progress")
        .attr("role", "img")
        .attr("viewBox", format!("0 0 {WIDTH} 10"))
        .attr("preserveAspectRatio", "none")
        .attr("aria-labelledby", "summary-progress")
        .add(element("title").id("summary-progress").add(format!("Stories: {words}")))
        .add_all(marks)
        .into()
}

fn running(input: &PageInput<'_>) -> Html {
    let view = input.view;
    let busy = view.lanes.iter().filter(|lane| lane.state != LaneState::Idle).count() as u64;
    if input.state == RunState::Running && busy > 0 {
        let queued = view.merge_queue.len();
        let note = (queued > 0).then(|| format!("{queued} waiting to be merged"));
        let lanes = count(busy, "lane", "lanes");
        return tile("accent", "Running now", lanes, note.unwrap_or_default());
    }
    if let (RunState::Running, Some(running)) = (input.state, view.iteration()) {
        let story = running.story.as_ref().map(ToString::to_string).unwrap_or_default();
        return tile("accent", "Running now", running.mode.to_string(), story);
    }
    let since = input.view.last_event.map(|at| format!("since {}", when(at, input.offset)));
    tile("plain", "Running now", "nothing", since.unwrap_or_default())
}

fn iterations(input: &PageInput<'_>) -> Html {
    let view = input.view;
    let most = view.start.as_ref().map_or(0, |start| start.max_iterations);
    let of = (most > 0).then(|| format!("of {most}"));
    let note = of.into_iter().chain(outcomes(view.accepted, view.failed)).collect::<Vec<_>>();
    let begun = match input.state {
        RunState::Running => view.begun_iterations(),
        RunState::Ended | RunState::Died => view.iterations,
    };
    tile("plain", "Iterations", begun, note.join(", "))
}

fn cost(input: &PageInput<'_>) -> Html {
    let view = input.view;
    let known = view.cost().map(finite);
    let spent = known.unwrap_or_default();
    let ceiling = view.start.as_ref().and_then(|start| start.ceiling_usd).map(finite);
    let class = match ceiling {
        Some(ceiling) if spent >= ceiling => "bad",
        Some(ceiling) if spent >= 0.8 * ceiling => "warn",
        _ => "plain",
    };
    let note = match ceiling {
        Some(ceiling) => format!("of at most {}", money(ceiling)),
        None => "no limit".to_owned(),
    };
    tile(class, "Cost", cost_cell(known), note)
}

/// Time worked, and elapsed time.
fn time(input: &PageInput<'_>) -> Html {
    let view = input.view;
    let worked = finite(view.worked.seconds());
    let (Some(started), Some(last)) = (view.started, view.last_event) else {
        return tile("plain", "Time worked", "0s", "");
    };
    let is_running = input.state == RunState::Running;
    let as_if_since = TimeDelta::try_milliseconds((worked * 1000.0) as i64)
        .and_then(|worked| last.checked_sub_signed(worked))
        .filter(|_| is_running && !view.worked.is_idle());
    let value = match as_if_since {
        Some(since) => elapsed(input, since).into(),
        None => Html::from(duration(worked)),
    };
    let note = match is_running {
        true => element("span").add(elapsed(input, started)).add(" since the start"),
        false => element("span").add(span(last - started)).add(" from start to end"),
    };
    let starts = (view.starts > 1).then(|| format!(", {} starts", view.starts));
    tile("plain", "Time worked", value, note.add(starts))
}

fn used(input: &PageInput<'_>) -> Html {
    let all = input.view.tokens;
    let ended = input.view.records.iter().any(|record| record.agent.is_some());
    if all_tokens(all) == 0 && ended {
        return tile("plain", "Tokens", UNKNOWN, "");
    }
    let note = format!("{} of them output", tokens(all.output));
    tile("plain", "Tokens", tokens(all_tokens(all)), note)
}
