//! The lines at the bottom of a terminal: the current activity, or that of each lane, and the progress of the stories.

use chrono::{DateTime, FixedOffset, Utc};
use events::describe::{context, doing, lane_parts, wait_parts};
use events::format::cost;
use events::{CompactionView, IterationRecord, LaneState, LaneView, LoopKind, Pause};

use super::{Line, Look, Role, RunView, duration, span};

const BAR: usize = 30;
const FRAME_MS: u64 = 100;
/// The bottom must fit into a small window.
const MOST_LANES: usize = 8;

/// Empty if the lines of the lanes show everything. `stopping` is the effect of a signal that may have no event yet.
pub(crate) fn status_line(
    view: &RunView,
    stopping: Option<&str>,
    now: DateTime<Utc>,
    look: &Look,
    offset: FixedOffset,
) -> Line {
    let marks = look.marks;
    let mut parts = match (&view.rest, view.iteration()) {
        (Some(rest), _) => wait_parts(rest, now, offset),
        (None, Some(iteration)) => {
            let story = iteration.story.as_ref();
            let named = story.map(|story| (Role::Plain, story.to_string()));
            let subject = named.into_iter().chain(story.and_then(|story| view.attempt_at(story)));
            let mut parts = iteration_parts(iteration, subject, view, now);
            parts.extend(doing(iteration, now).map(|doing| (Role::Dim, doing)));
            parts
        }
        (None, None) => match (view.compaction(), &view.quality_of) {
            (Some(compaction), _) => compaction_parts(compaction, now),
            (None, Some(story)) => vec![(Role::Plain, format!("checking the quality of {story}"))],
            // Each lane has its own line.
            (None, None) if !view.lanes.is_empty() => Vec::new(),
            (None, None) => vec![(Role::Plain, "between iterations".to_owned())],
        },
    };
    match view.pending_orders.pause {
        Pause::No => {}
        Pause::Requested => {
            parts.insert(0, (Role::Warn, "pausing after this iteration".to_owned()))
        }
        Pause::Waiting { since } => {
            let hint = "run `ralph-loop resume` to continue".to_owned();
            let waited = (Role::Strong, span(now - since));
            parts = vec![(Role::Warn, "paused".to_owned()), waited, (Role::Plain, hint)];
        }
    }
    if let Some(stopping) = stopping.or(view.stopping.then_some("stopping")) {
        parts.insert(0, (Role::Warn, stopping.to_owned()));
    }
    if parts.is_empty() {
        return Line::empty();
    }
    let rests = view.rest.is_some() || matches!(view.pending_orders.pause, Pause::Waiting { .. });
    look.cut(Line::text(Role::Accent, sign(rests, now, look)).joined(marks.dot, parts))
}

/// One line for each lane with work, and one that counts the others.
pub(crate) fn lane_lines(
    view: &RunView,
    now: DateTime<Utc>,
    look: &Look,
    offset: FixedOffset,
) -> Vec<Line> {
    let mut lanes: Vec<&LaneView> = view.lanes.iter().collect();
    // Idle lanes are left out first.
    lanes.sort_by_key(|lane| lane.state == LaneState::Idle);
    let hidden = lanes.split_off(lanes.len().min(MOST_LANES));
    lanes.sort_by_key(|lane| lane.number);
    let line = |lane: &&LaneView| {
        let rests = lane.waiting.is_some()
            || matches!(lane.state, LaneState::Idle | LaneState::WaitingForMerge);
        let sign = Line::text(Role::Accent, sign(rests, now, look));
        look.cut(sign.joined(look.marks.dot, tagged_lane_parts(view, lane, now, offset)))
    };
    let mut lines: Vec<Line> = lanes.iter().map(line).collect();
    if !hidden.is_empty() {
        let busy = hidden.iter().filter(|lane| lane.state != LaneState::Idle).count();
        let text = format!("  {} more lanes, {busy} with work", hidden.len());
        lines.push(look.cut(Line::text(Role::Dim, text)));
    }
    lines
}

/// Its number and its story, then what it does.
pub(crate) fn tagged_lane_parts(
    view: &RunView,
    lane: &LaneView,
    now: DateTime<Utc>,
    offset: FixedOffset,
) -> Vec<(Role, String)> {
    let story = lane.story.as_ref().map(|story| format!(" {story}")).unwrap_or_default();
    let mut parts = vec![(Role::Lane(lane.number), format!("{}{story}", lane.number))];
    parts.extend(lane_parts(view, lane, now, offset));
    parts
}

/// A spinner, or the sign of a wait.
fn sign(rests: bool, now: DateTime<Utc>, look: &Look) -> String {
    let spinner = look.marks.spinner;
    let frame = now.timestamp_millis().unsigned_abs() / FRAME_MS % spinner.len() as u64;
    format!("{} ", if rests { look.marks.rest } else { spinner[frame as usize] })
}

/// Progress in stories, or in iterations for a loop without stories, with time and cost.
pub(crate) fn bar_line(view: &RunView, now: DateTime<Utc>, look: &Look) -> Line {
    let (done, all, what) = match &view.start {
        Some(start) if start.kind != LoopKind::Stories => {
            (view.iterations, start.max_iterations, "iterations")
        }
        _ => (view.done, view.stories.len() as u64, "stories"),
    };
    let done = done.min(all);
    let filled = if all == 0 { 0 } else { BAR * done as usize / all as usize };
    let [full, rest] = look.marks.bar;
    let mut parts = vec![(Role::Plain, format!("{done}/{all} {what}"))];
    let spent = view.cost().filter(|usd| *usd > 0.0);
    parts.extend((spent.is_some() || view.cost().is_none()).then(|| (Role::Plain, cost(spent))));
    parts.push((Role::Plain, duration(view.worked.seconds_at(now))));
    let bar = Line::indented(2)
        .with(Role::Good, full.repeat(filled))
        .with(Role::Dim, rest.repeat(BAR - filled))
        .with(Role::Plain, "  ");
    look.cut(bar.joined(look.marks.dot, parts))
}

/// The most important first, because the end may be cut.
pub(crate) fn iteration_parts(
    iteration: &IterationRecord,
    subject: impl IntoIterator<Item = (Role, String)>,
    view: &RunView,
    now: DateTime<Utc>,
) -> Vec<(Role, String)> {
    let of = view.start.as_ref().map(|start| format!("/{}", start.max_iterations));
    let mut parts = vec![
        (Role::Strong, format!("iteration {}{}", iteration.number, of.unwrap_or_default())),
        (Role::Accent, iteration.mode.to_string()),
    ];
    parts.extend(subject);
    parts.push((Role::Plain, span(now - iteration.started_at)));
    parts.extend(iteration.context_tokens.map(|used| context(used, iteration.context_window)));
    parts
}

pub(crate) fn compaction_parts(view: CompactionView, now: DateTime<Utc>) -> Vec<(Role, String)> {
    vec![
        (Role::Accent, events::compacting(view.handoffs)),
        (Role::Plain, span(now - view.started_at)),
    ]
}

#[cfg(test)]
mod tests {
    use chrono::{Offset, TimeDelta};
    use events::{LoopEvent, Stamped};

    use super::*;
    use crate::report::test_events::{
        a_prompt_loop, a_run, a_run_with_failures, a_run_with_lanes, at, stamped,
    };
    use crate::report::{Marks, Palette};

    fn look(width: Option<usize>) -> Look {
        Look { palette: Palette::plain(), marks: Marks::EMOJI, width }
    }

    /// The view after the first event that satisfies `last`.
    fn view_until(last: impl Fn(&LoopEvent) -> bool) -> RunView {
        let events = a_run();
        let end = events.iter().position(|stamped| last(&stamped.event)).unwrap();
        let mut view = RunView::default();
        events[..=end].iter().for_each(|stamped: &Stamped| view.apply(stamped));
        view
    }

    fn status(view: &RunView, now: DateTime<Utc>, width: Option<usize>) -> String {
        status_line(view, None, now, &look(width), Utc.fix()).paint(&Palette::plain())
    }

    #[test]
    fn it_shows_the_current_activity() {
        let view = view_until(|event| matches!(event, LoopEvent::ToolStarted { .. }));
        assert_eq!(
            status(&view, at(63), None),
            "⠋ iteration 3/15 · review · US-002 · 1m 01s · Bash(git diff main...)"
        );
        let view = view_until(|event| matches!(event, LoopEvent::Context { .. }));
        let later = at(63) + TimeDelta::milliseconds(300);
        assert_eq!(
            status(&view, later, None),
            "⠸ iteration 3/15 · review · US-002 · 1m 01s · context 42% · judge"
        );
        let view = view_until(|event| matches!(event, LoopEvent::CheckStarted { .. }));
        assert_eq!(
            status(&view, at(235), None),
            "⠋ iteration 3/15 · review · US-002 · 3m 53s · context 15% · check 1/2, 3s: cargo test"
        );
    }

    #[test]
    fn a_story_that_failed_before_shows_its_attempt() {
        let events = a_run_with_failures();
        let starts = events
            .iter()
            .enumerate()
            .filter(|(_, stamped)| matches!(stamped.event, LoopEvent::IterationStarted { .. }));
        let shown = starts.take(2).map(|(at, stamped)| {
            let mut view = RunView::default();
            events[..=at].iter().for_each(|stamped| view.apply(stamped));
            status(&view, stamped.at, None).chars().skip(2).collect::<String>()
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                "iteration 4/15 · implement · US-003 · 0s",
                "iteration 5/15 · implement · US-003 · attempt 2/5 · 0s",
            ]
        );
    }

    #[test]
    fn between_iterations_it_shows_the_compaction() {
        use crate::report::test_events::compaction_started;
        use events::CompactionReason::{Docs, Interval};
        let shown = |reason, handoffs| {
            let mut view = RunView::default();
            view.apply(&stamped(0, compaction_started(reason, handoffs)));
            status(&view, at(12), Some(80))
        };
        assert_eq!(shown(Interval, 5), "⠋ compacting 5 handoffs · 12s");
        assert_eq!(shown(Docs, 1), "⠋ compacting 1 handoff · 12s");
        assert_eq!(shown(Docs, 0), "⠋ looking up documentation · 12s");
    }

    #[test]
    fn a_rest_counts_down_and_not_below_zero() {
        let view = view_until(|event| matches!(event, LoopEvent::Waiting { .. }));
        assert_eq!(
            status(&view, at(300), None),
            "⏸ waiting for the usage limit · 1h 25m left · until 02:30"
        );
        assert!(status(&view, at(9999), None).contains("· 0s left ·"));
    }

    #[test]
    fn a_pause_is_announced_and_then_shown_with_the_command_that_ends_it() {
        let mut view = view_until(|event| matches!(event, LoopEvent::CheckStarted { .. }));
        view.apply(&stamped(
            230,
            LoopEvent::OrderAccepted { order: project::orders::Order::Pause },
        ));
        let wished = status(&view, at(235), None);
        assert!(wished.starts_with("⠋ pausing after this iteration · iteration "), "{wished}");
        view.apply(&stamped(240, LoopEvent::Paused));
        assert_eq!(
            status(&view, at(300), None),
            "⏸ paused · 1m 00s · run `ralph-loop resume` to continue"
        );
    }

    #[test]
    fn a_run_that_is_stopping_shows_that_first() {
        let view = view_until(|event| matches!(event, LoopEvent::StopRequested { .. }));
        assert!(status(&view, at(5500), None).starts_with("⠋ stopping · iteration 4/15"));
    }

    #[test]
    fn the_effect_of_a_signal_comes_before_the_activity() {
        let view = view_until(|event| matches!(event, LoopEvent::StopRequested { .. }));
        let text = Some("stopping: killing the agent");
        let line = status_line(&view, text, at(5500), &look(None), Utc.fix());
        let line = line.paint(&Palette::plain());
        assert!(line.starts_with("⠋ stopping: killing the agent · iteration 4/15"), "{line}");
    }

    #[test]
    fn neither_line_is_wider_than_the_window() {
        let view = view_until(|event| matches!(event, LoopEvent::CheckStarted { .. }));
        for width in 0..120 {
            let look = look(Some(width));
            assert!(status_line(&view, None, at(235), &look, Utc.fix()).width() <= width);
            assert!(bar_line(&view, at(235), &look).width() <= width);
        }
    }

    #[test]
    fn lanes_without_work_are_left_out_first() {
        let view = RunView::of(&a_run_with_lanes());
        let crowd = |busy: u64, idle: u64| {
            let lane = |number: u64| {
                let mut lane = LaneView { number: 10 + number, ..view.lanes[1].clone() };
                if number <= idle {
                    (lane.story, lane.state) = (None, LaneState::Idle);
                }
                lane
            };
            let lanes = (1..=busy + idle).map(lane).collect();
            let mut view = view.clone();
            view.lanes = lanes;
            let lines = lane_lines(&view, at(810), &look(Some(40)), Utc.fix());
            assert!(lines.iter().all(|line| line.width() <= 40));
            lines.iter().map(|line| line.paint(&Palette::plain())).collect::<Vec<_>>()
        };
        assert_eq!(crowd(6, 2)[0], "⏸ 11 · idle");
        assert_eq!(crowd(6, 2).len(), 8);
        let lines = crowd(10, 2);
        assert_eq!(lines.len(), 9);
        assert_eq!(lines[0], "⏸ 13 US-004 · waiting for merge · 9s");
        assert_eq!(lines[8], "  4 more lanes, 2 with work");
    }

    #[test]
    fn a_loop_without_stories_fills_the_bar_with_iterations() {
        let mut view = RunView::default();
        let events = a_prompt_loop(LoopKind::Prompt, "main", 0.0);
        events[..3].iter().for_each(|stamped| view.apply(stamped));
        let bar = bar_line(&view, at(260), &look(None)).paint(&Palette::plain());
        let expected = "  ━━━───────────────────────────  1/10 iterations · cost unknown · 4m 20s";
        assert_eq!(bar, expected);
    }

    #[test]
    fn the_bar_fills_with_the_stories_that_are_done() {
        let bar = |view: &RunView| bar_line(view, at(60), &look(None)).paint(&Palette::plain());
        let mut view = view_until(|event| matches!(event, LoopEvent::RunStarted { .. }));
        assert_eq!(bar(&view), "  ━━━━━━━━━━────────────────────  1/3 stories · $1.50 · 1m 00s");
        view.done = 3;
        assert!(bar(&view).contains(&"━".repeat(30)));
        assert!(bar(&RunView::default()).contains(&"─".repeat(30)));
    }
}
