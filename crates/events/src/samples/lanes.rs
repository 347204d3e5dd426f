//! A run with three lanes: a merge with a conflict, a wait of one lane, and a queue of stories to merge.

use std::collections::BTreeMap;

use crate::*;
use serde_json::json;
use tasks::{Mode, ReviewStatus, StoryId};

use super::{id, like, run_ended, stamped, story, tool, tool_ended};

const BRANCH: &str = "ralph/shop";
const TITLES: [&str; 5] = [
    "A cart that keeps its items",
    "Sums with tax\u{1b}[2J",
    "日本語の領収書 (receipts in the customer's own language)",
    "Refunds",
    "Coupons",
];

/// Seconds since the start, the lane, and the event.
type Row = (i64, Option<u64>, LoopEvent);

pub fn in_lane(lane: u64, stamped: Stamped) -> Stamped {
    Stamped { lane: Some(lane), ..stamped }
}

/// At its end, lane 1 works on US-005, US-004 of lane 2 waits, and US-003 of lane 3 is being merged.
pub fn a_run_with_lanes() -> Vec<Stamped> {
    let all = a_run_with_lanes_to_its_end().into_iter();
    all.take_while(|stamped| stamped.at <= super::at(805)).collect()
}

/// The same run, until all stories are merged.
pub fn a_run_with_lanes_to_its_end() -> Vec<Stamped> {
    let stories: Vec<_> = (1..=5).map(brief).collect();
    let start = json!({"stories": stories, "resumed": null, "jobs": 3, "checks": 1});
    let mut rows = vec![(0, None, like("run-started", start))];
    rows.extend((1..=3).flat_map(first_use));

    rows.extend(session(20, 1, 1, 1, Mode::Implement, 310));
    rows.extend(session(22, 2, 2, 2, Mode::Implement, 280));
    rows.extend(assigned(24, 3, 3));
    rows.push((24, Some(3), begun(3, 1, 3, Mode::Implement)));
    let overloaded = like("agent-ended", json!({"outcome": "api-error", "detail": "overloaded"}));
    rows.push((100, Some(3), overloaded));
    rows.push((101, Some(3), ended(3, 3, Mode::Implement, IterationStatus::Retried, 77)));
    rows.push((101, Some(3), backoff(131)));
    rows.push((131, Some(3), begun(3, 2, 3, Mode::Implement)));
    rows.extend(output(131, 3, 3));
    rows.extend(finished(131, 3, 3, 3, Mode::Implement, 400));

    rows.extend(session(304, 2, 2, 4, Mode::Review, 90));
    rows.extend(queued(395, 2, 2));
    rows.extend(merged(396, 2, 2));
    rows.extend(session(332, 1, 1, 5, Mode::Review, 80));
    rows.extend(queued(413, 1, 1));
    rows.extend(conflict(422, 1, 1, 5));
    rows.extend(session(424, 2, 4, 6, Mode::Implement, 300));
    rows.extend(session(430, 1, 1, 7, Mode::ReviewFix, 170));
    rows.extend(session(605, 1, 1, 8, Mode::Review, 95));
    rows.extend(queued(701, 1, 1));
    rows.extend(merged(702, 1, 1));
    rows.extend(session(533, 3, 3, 9, Mode::Review, 240));
    rows.extend(queued(774, 3, 3));
    rows.extend(session(725, 2, 4, 10, Mode::Review, 75));
    rows.extend(queued(801, 2, 4));
    rows.push((780, Some(3), merge_started(3)));
    rows.push((781, Some(3), check_started()));
    rows.extend(assigned(731, 1, 5));
    rows.push((732, Some(1), begun(11, 1, 5, Mode::Implement)));
    rows.extend(output(732, 1, 5));
    rows.extend(merge_checked(806, 3, 3));
    rows.extend(merged(807, 2, 4));
    rows.extend(finished(732, 1, 5, 11, Mode::Implement, 250));
    rows.extend(session(983, 1, 5, 12, Mode::Review, 60));
    rows.extend(queued(1044, 1, 5));
    rows.extend(merged(1045, 1, 5));
    let mut events = in_order(rows);
    let mut end = run_ended(RunEnd::Complete);
    if let LoopEvent::RunEnded(ended) = &mut end {
        ended.stories = RunView::of(&events).stories;
        (ended.iterations, ended.accepted, ended.failed) = (12, 12, 0);
        (ended.seconds, ended.cost_usd, ended.text) = (1075.0, 3.25, "All stories pass.".into());
        ended.blocked.clear();
    }
    events.push(stamped(1075, end));
    events
}

fn in_order(mut rows: Vec<Row>) -> Vec<Stamped> {
    rows.sort_by_key(|(seconds, ..)| *seconds);
    let mut totals = BTreeMap::new();
    for (_, lane, event) in &mut rows {
        if let LoopEvent::IterationEnded(ended) = event {
            // An iteration knows only the work of its own lane.
            let (cost, done) = totals.entry(*lane).or_insert((0.0, 0));
            *cost += ended.cost_usd;
            *done += u64::from(ended.mode == IterationMode::Review);
            (ended.total_cost_usd, ended.done) = (*cost, *done);
        }
    }
    let stamp = |(seconds, lane, event)| Stamped { lane, ..stamped(seconds, event) };
    rows.into_iter().map(stamp).collect()
}

fn name(number: usize) -> StoryId {
    id(&format!("US-{number:03}"))
}

fn brief(number: usize) -> StoryBrief {
    story(name(number).as_str(), TITLES[number - 1], ReviewStatus::NotSubmitted, 0)
}

fn first_use(lane: u64) -> Vec<Row> {
    let folder = format!("/home/me/.local/state/ralph/lanes/shop/{lane}");
    let prepared = LoopEvent::LanePrepared { folder, is_new: true, copied: 2 };
    let setup = LoopEvent::SetupStarted { command: "npm ci".into(), number: 1, of: 1 };
    vec![(lane as i64, Some(lane), prepared), (lane as i64 + 1, Some(lane), setup)]
}

fn assigned(at: i64, lane: u64, number: usize) -> Vec<Row> {
    let commit = "0123456789abcdef0123456789abcdef01234567".into();
    vec![(at, Some(lane), LoopEvent::StoryAssigned { story: name(number), commit })]
}

fn begun(iteration: u64, attempt: u64, number: usize, mode: Mode) -> LoopEvent {
    let (story, title) = (name(number), TITLES[number - 1]);
    let session = format!("5e551011-{iteration:04}");
    let folder = format!(".ralph/runs/{}/{iteration:03}-{mode}-{story}", super::RUN);
    let fields = json!({"iteration": iteration, "attempt": attempt, "mode": mode, "story": story,
        "title": title, "session": session, "folder": folder});
    like("iteration-started", fields)
}

fn ended(
    iteration: u64,
    number: usize,
    mode: Mode,
    status: IterationStatus,
    took: i64,
) -> LoopEvent {
    let fields = json!({"iteration": iteration, "mode": mode, "story": name(number), "status": status,
        "seconds": took, "agentSeconds": took - 20, "checkSeconds": 18, "costUsd": 0.25,
        "stories": TITLES.len(),
        "commit": format!("{iteration:040x}")});
    like("iteration-ended", fields)
}

fn output(at: i64, lane: u64, number: usize) -> Vec<Row> {
    let story = name(number);
    let call = format!("call-{lane}");
    let context = LoopEvent::Context { tokens: 40_000 + at as u64, window: Some(200_000) };
    vec![
        (at + 3, Some(lane), LoopEvent::AgentText { text: format!("I will work on {story}.") }),
        (at + 5, Some(lane), tool(&call, "Read", &format!("src/{story}.rs"))),
        (at + 9, Some(lane), tool_ended(&call, ToolOutcome::Ok, "fn main() {}")),
        (at + 12, Some(lane), context),
        (at + 15, Some(lane), tool(&call, "Bash", &format!("cargo test {story}"))),
    ]
}

fn session(at: i64, lane: u64, number: usize, iteration: u64, mode: Mode, took: i64) -> Vec<Row> {
    let mut rows = Vec::new();
    if mode == Mode::Implement {
        rows.extend(assigned(at, lane, number));
    }
    rows.push((at, Some(lane), begun(iteration, 1, number, mode)));
    rows.extend(output(at, lane, number));
    rows.extend(finished(at, lane, number, iteration, mode, took));
    rows
}

fn finished(at: i64, lane: u64, number: usize, iteration: u64, mode: Mode, took: i64) -> Vec<Row> {
    let end = at + took;
    let approves = mode == Mode::Review;
    let changed = LoopEvent::StoryStatusChanged {
        story: name(number),
        from: match mode {
            Mode::Implement | Mode::Specify => ReviewStatus::NotSubmitted,
            Mode::Review => ReviewStatus::NeedsReview,
            Mode::ReviewFix => ReviewStatus::ChangesRequested,
        },
        to: if approves { ReviewStatus::Approved } else { ReviewStatus::NeedsReview },
        reviews: u64::from(approves),
        feedback: String::new(),
        passes: approves,
    };
    let session = json!({"costUsd": 0.25, "seconds": took - 20, "leftovers": []});
    [
        (end - 20, like("agent-ended", session)),
        (end - 19, check_started()),
        (end - 1, check_ended()),
        (end - 1, LoopEvent::ChecksJudged { tree: "5f3a".into(), outcome: ChecksOutcome::Passed }),
        (end - 1, changed),
        (end, ended(iteration, number, mode, IterationStatus::Accepted, took)),
    ]
    .map(|(at, event)| (at, Some(lane), event))
    .to_vec()
}

fn backoff(until: i64) -> LoopEvent {
    let text = "waiting before the agent is retried".to_owned();
    LoopEvent::Waiting(WaitView { reason: WaitReason::Backoff, text, until: super::at(until) })
}

fn check_started() -> LoopEvent {
    LoopEvent::CheckStarted { command: "cargo test".into(), number: 1, of: 1 }
}

fn check_ended() -> LoopEvent {
    like("check-ended", json!({"command": "cargo test", "seconds": 18.0}))
}

fn queued(at: i64, lane: u64, number: usize) -> Vec<Row> {
    vec![(at, Some(lane), LoopEvent::StoryQueued { story: name(number) })]
}

fn merge_started(number: usize) -> LoopEvent {
    LoopEvent::MergeStarted { story: name(number), branch: BRANCH.into() }
}

fn merge_checked(at: i64, lane: u64, number: usize) -> Vec<Row> {
    let judged = LoopEvent::ChecksJudged { tree: "7ree".into(), outcome: ChecksOutcome::Passed };
    let commit = format!("{:040x}", 0xb5a1 + number);
    let merged = LoopEvent::StoryMerged { story: name(number), branch: BRANCH.into(), commit };
    [check_ended(), judged, merged].map(|event| (at, Some(lane), event)).to_vec()
}

fn merged(at: i64, lane: u64, number: usize) -> Vec<Row> {
    let mut rows = vec![(at, Some(lane), merge_started(number))];
    rows.push((at + 1, Some(lane), check_started()));
    rows.extend(merge_checked(at + 25, lane, number));
    rows
}

fn conflict(at: i64, lane: u64, number: usize, iteration: u64) -> Vec<Row> {
    let error = "merge conflict in src/cart.rs";
    let reopened = LoopEvent::StoryStatusChanged {
        story: name(number),
        from: ReviewStatus::Approved,
        to: ReviewStatus::ChangesRequested,
        reviews: 1,
        feedback: error.into(),
        passes: false,
    };
    let fields =
        json!({"story": name(number), "iteration": iteration, "gate": Gate::Merge, "error": error});
    let failed = like("attempt-failed", fields);
    [merge_started(number), reopened, failed].map(|event| (at, Some(lane), event)).to_vec()
}
