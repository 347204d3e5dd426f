//! Runs in, statistics out.

mod counting;
mod logs;

use chrono::FixedOffset;
use serde_json::{Value, json};

use super::*;
use crate::samples::*;
use crate::{LoopEvent, Stamped};

fn event(fields: Value) -> LoopEvent {
    serde_json::from_value(fields).unwrap()
}

/// The start of a story loop with these open stories.
fn begins(stories: &[&str], resumed: Value) -> LoopEvent {
    let open = |name: &&str| story(name, "t", tasks::ReviewStatus::NotSubmitted, 0);
    let stories: Vec<_> = stories.iter().map(open).collect();
    event(json!({
        "type": "run-started", "version": "0", "pid": 1, "loop": "stories", "project": "/p",
        "name": "p", "branch": "b", "agent": "claude", "maxIterations": 9, "reviewCap": 5,
        "maxAttempts": 5, "stories": stories, "resumed": resumed
    }))
}

/// A session of an agent and its model.
fn session(number: u64, mode: &str, story: &str, (agent, model): (&str, &str)) -> Vec<LoopEvent> {
    vec![
        event(json!({
            "type": "iteration-started", "iteration": number, "attempt": 1, "mode": mode,
            "story": story, "title": "t", "model": null, "session": "s", "folder": "f",
            "checkpoint": ""
        })),
        event(json!({
            "type": "agent-called", "agent": agent, "command": "c", "promptBytes": 1, "prompt": "p"
        })),
        LoopEvent::SessionStarted { model: model.into(), version: String::new() },
    ]
}

fn ended(number: u64, mode: &str, story: &str, status: &str, usd: f64) -> LoopEvent {
    event(json!({
        "type": "iteration-ended", "iteration": number, "mode": mode, "story": story,
        "status": status, "seconds": 60.0, "agentSeconds": 50.0, "checkSeconds": 1.0,
        "costUsd": usd, "totalCostUsd": usd, "done": 0, "stories": 1
    }))
}

fn moved(story: &str, to: &str, feedback: &str) -> LoopEvent {
    event(json!({
        "type": "story-status-changed", "story": story, "from": null, "to": to, "reviews": 1,
        "feedback": feedback, "passes": to == "approved"
    }))
}

fn check(command: &str, outcome: Value) -> LoopEvent {
    event(json!({
        "type": "check-ended", "command": command, "outcome": outcome, "seconds": 2.0, "log": "",
        "tail": []
    }))
}

const CODER: (&str, &str) = ("claude", "opus");
const REVIEWER: (&str, &str) = ("codex", "gpt");

/// One story: a failed check, a submission, a rejected and an approving review. Codex reports no cost.
fn events() -> Vec<LoopEvent> {
    let mut events = vec![begins(&["US-001"], Value::Null)];
    events.extend(session(1, "implement", "US-001", CODER));
    events.push(check("make", json!({"kind": "failed", "code": 2})));
    events.push(ended(1, "implement", "US-001", "checks-failed", 1.0));
    events.extend(session(2, "implement", "US-001", CODER));
    events.push(event(json!({
        "type": "tests-weakened", "story": "US-001", "iteration": 2,
        "files": [{"path": "t.py", "findings": ["x"]}]
    })));
    events.push(check("make", json!({"kind": "passed"})));
    events.extend([
        moved("US-001", "needs_review", ""),
        ended(2, "implement", "US-001", "accepted", 1.0),
    ]);
    events.extend(session(3, "review", "US-001", REVIEWER));
    events.extend([
        moved("US-001", "changes_requested", "no"),
        ended(3, "review", "US-001", "accepted", 0.0),
    ]);
    events.extend(session(4, "review-fix", "US-001", CODER));
    events.extend([
        moved("US-001", "needs_review", ""),
        ended(4, "review-fix", "US-001", "accepted", 1.0),
    ]);
    events.extend(session(5, "review", "US-001", REVIEWER));
    events.extend([moved("US-001", "approved", ""), ended(5, "review", "US-001", "accepted", 0.0)]);
    events
}

/// The first event at the start of the samples' time, and each a minute later.
fn timed(events: Vec<LoopEvent>) -> Vec<Stamped> {
    (0..).step_by(60).zip(events).map(|(seconds, event)| stamped(seconds, event)).collect()
}

fn of(runs: &[Vec<Stamped>], period: &Period) -> Statistics {
    let mut all = Statistics::default();
    runs.iter().for_each(|run| all.add(&RunView::of(run), period));
    all
}

fn of_one(events: Vec<LoopEvent>) -> Statistics {
    of(&[timed(events)], &Period::default())
}

#[test]
fn reviews_belong_to_the_reviewer_and_stories_to_the_last_coder() {
    let all = of_one(events());
    let coder = Figures {
        iterations: 3,
        failed: 1,
        stories_done: 1,
        weakened_tests: 1,
        seconds: 180.0,
        cost_usd: Some(3.0),
        ..Figures::default()
    };
    let reviewer = Figures {
        iterations: 2,
        reviews: 2,
        reviews_with_findings: 1,
        seconds: 120.0,
        without_cost: 2,
        ..Figures::default()
    };
    let named = |one: &str, other: &str| {
        BTreeMap::from([(one.to_owned(), coder), (other.to_owned(), reviewer)])
    };
    assert_eq!((&all.agents, &all.models), (&named("claude", "codex"), &named("opus", "gpt")));
    let mut sum = coder;
    sum += &reviewer;
    assert_eq!((all.runs, all.total, all.stories), (1, sum, sum));
    assert_eq!(all.checks["make"], CheckFigures { runs: 2, failed: 1 });
    assert_eq!(all.days, BTreeMap::from([("2026-11-15".to_owned(), sum)]));
}

#[test]
fn shares_and_averages_in_words() {
    let all = of_one(events());
    assert_eq!(all.stories_in_words(), "1 story done on 1 day (1.0 a day)");
    assert_eq!(
        all.average_in_words().unwrap(),
        "5.0 iterations, 5m 00s and $3.00 a story on average, with the work on unfinished stories"
    );
    assert_eq!(all.total.reviews_in_words(), "1 of 2 reviews found something (50%)");
    assert_eq!(all.total.iterations_in_words(), "5 iterations, 1 of them failed (20%)");
    assert_eq!(all.total.weakened_in_words(), "1 iteration weakened tests");
    let without = all.total.without_cost_in_words().unwrap();
    assert_eq!(without, "2 of 5 iterations reported no cost");
    let nothing = Statistics::default();
    assert_eq!(nothing.total.reviews_in_words(), "no reviews");
    assert_eq!((nothing.average_in_words(), nothing.total.cost_per_iteration()), (None, None));
}

#[test]
fn a_killed_run_that_was_resumed_counts_once() {
    let whole = of_one(events());
    // The runner was killed while the last review ran; the next one judges it and then reports its start.
    let mut killed = events();
    let rest = killed.split_off(killed.len() - 2);
    assert_eq!(of_one(killed.clone()).total.stories_done, 0);
    assert_eq!(of_one(killed.clone()).total.iterations, 4);
    let start = begins(&["US-001"], json!({"iterations": 5, "costUsd": 3.0}));
    let mut after = RunView::of(&timed(killed.clone()));
    rest.iter().for_each(|event| after.apply(&stamped(9000, event.clone())));
    killed.extend(rest);
    // It repeats what it cannot know to be in the log.
    killed.push(killed.last().unwrap().clone());
    killed.push(match start {
        LoopEvent::RunStarted { start, program, resumed, .. } => {
            LoopEvent::RunStarted { start, program, resumed, stories: after.stories }
        }
        other => other,
    });
    let resumed = of_one(killed);
    assert_eq!((resumed.runs, resumed.total, resumed.agents), (1, whole.total, whole.agents));
}

#[test]
fn a_story_that_was_finished_without_an_event_counts_where_the_next_start_shows_it() {
    let mut events = events();
    events.truncate(events.len() - 2);
    let LoopEvent::RunStarted { start, program, .. } = events[0].clone() else { unreachable!() };
    let stories = vec![story("US-001", "t", tasks::ReviewStatus::Approved, 2)];
    let resumed = Some(crate::Resumed { iterations: 5, cost_usd: 3.0, seconds: None });
    let again = LoopEvent::RunStarted { start, program, resumed, stories };
    assert_eq!(of_one([events, vec![again.clone()]].concat()).total.stories_done, 1);
    // Its run may have done it or not.
    assert_eq!(of_one(vec![again]).total.stories_done, 0);
}

#[test]
fn stories_that_another_run_gave_up_do_not_count_again() {
    let all = of(&[a_run_with_failures()], &Period::default());
    assert_eq!((all.total.stories_done, all.given_up), (3, 2));
    assert_eq!(all.stories_in_words(), "3 stories done on 1 day (3.0 a day), 2 given up");
    let view = RunView::of(&a_run_with_failures());
    let (failed, weakened) = (all.total.failed, all.total.weakened_tests);
    assert_eq!((failed, weakened), (5, 1));
    // The next run begins with them.
    let LoopEvent::RunStarted { start, program, .. } = events().swap_remove(0) else {
        unreachable!()
    };
    let next = LoopEvent::RunStarted { start, program, resumed: None, stories: view.stories };
    let later = vec![stamped(90_000, next)];
    let both = of(&[a_run_with_failures(), later], &Period::default());
    assert_eq!((both.runs, both.given_up, both.total.stories_done), (2, 2, 3));
}

#[test]
fn lanes_merge_what_they_finish_and_the_checks_of_merges_count() {
    let events = a_run_with_lanes_to_its_end();
    let (all, view) = (of(std::slice::from_ref(&events), &Period::default()), RunView::of(&events));
    let merged = view.merges.iter().filter(|merge| merge.commit().is_some()).count() as u64;
    assert!(merged > 0 && all.total.stories_done == merged, "{merged} {all:#?}");
    let in_iterations = view.records.iter().map(|record| record.checks.len()).sum::<usize>();
    let in_merges = view.merges.iter().map(|merge| merge.checks.len()).sum::<usize>();
    assert!(in_merges > 0);
    let runs: u64 = all.checks.values().map(|check| check.runs).sum();
    assert_eq!(runs as usize, in_iterations + in_merges);
}

#[test]
fn a_prompt_loop_is_in_the_totals_and_not_in_the_averages_of_stories() {
    let events = a_prompt_loop(LoopKind::Prompt, "main", 0.5);
    let all = of(&[events], &Period::default());
    assert!(all.total.iterations > 0 && all.total.cost_usd > Some(0.0), "{:?}", all.total);
    assert_eq!((all.stories, all.runs), (Figures::default(), 1));
}

#[test]
fn what_happened_before_is_left_out() {
    let whole = timed(events());
    let since = |seconds| Period { since: Some(at(seconds)), ..Period::default() };
    let begins = |number| {
        let is_start = |one: &&Stamped| matches!(&one.event, LoopEvent::IterationStarted(start) if start.iteration == number);
        (whole.iter().find(is_start).unwrap().at - at(0)).num_seconds()
    };
    let last = of(std::slice::from_ref(&whole), &since(begins(5)));
    assert_eq!((last.runs, last.total.iterations, last.total.stories_done), (1, 1, 1));
    assert_eq!(last.agents["codex"].reviews_with_findings, 0);
    assert!(last.checks.is_empty(), "{:?}", last.checks);
    let none = of(&[whole], &since(100_000));
    assert_eq!(none, Statistics::default());
}

#[test]
fn a_day_is_one_of_the_time_zone() {
    let period = Period { since: None, offset: FixedOffset::west_opt(2 * 3600).unwrap() };
    let days = of(&[timed(events())], &period).days;
    assert_eq!(days.keys().collect::<Vec<_>>(), ["2026-11-14"]);
}
