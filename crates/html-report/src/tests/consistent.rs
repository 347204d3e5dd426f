//! Sections are consistent with each other.

use chrono::TimeDelta;
use events::samples::{
    RUN, a_long_run, a_run, a_run_with_failures, a_run_with_memory, iteration_ended, run_ended,
    stamped,
};
use events::{GiveUpReason, LoopEvent, RunEnd, TokenCount};

use super::*;
use crate::tally::all_tokens;

fn attention(sample: &Sample) -> String {
    words(&sample.section("attention"))
}

#[test]
fn every_bad_result_needs_attention() {
    const CALM: &str = "Nothing needs attention.";
    for end in [
        RunEnd::IterationsUsed,
        RunEnd::Blocked,
        RunEnd::TimeUsed,
        RunEnd::CostCeiling,
        RunEnd::AgentFailed,
        RunEnd::GitFailed,
        RunEnd::DiskFailed,
    ] {
        let mut events = a_long_run(3);
        events.push(stamped(400, run_ended(end)));
        let found = attention(&Sample::of(&events));
        assert!(!found.contains(CALM) && found.contains(&end.to_string()), "{end}: {found}");
    }
    let died = Sample { state: RunState::Died, ..Sample::of(&a_long_run(3)) };
    let found = attention(&died);
    assert!(!found.contains(CALM) && found.contains("died"), "{found}");
    assert!(attention(&Sample::of(&a_long_run(3))).contains(CALM));
}

#[test]
fn the_last_cost_point_is_the_total() {
    let lanes = a_run_with_lanes_to_its_end();
    for events in [a_run(), a_run_with_failures(), a_run_with_memory(), a_long_run(9), lanes] {
        let sample = Sample::of(&events);
        let cost = events::format::money(sample.view.spent_usd());
        assert!(words(&sample.section("summary")).contains(&format!("Cost|{cost}|")));
        let section = sample.section("costs");
        let table = section.split("<caption>Cost so far (times").nth(1).unwrap();
        let last = table.split("</table>").next().unwrap().rsplit("<td class=\"number\">").next();
        assert!(last.unwrap().starts_with(&cost), "{cost}: {last:?}");
    }
}

#[test]
fn the_last_token_point_is_the_total() {
    for events in [a_run(), a_run_with_failures(), a_run_with_memory(), a_long_run(9)] {
        let sample = Sample::of(&events);
        let in_all = events::format::tokens(all_tokens(sample.view.tokens));
        let section = sample.section("costs");
        let mut parts = section.split("<caption>Tokens so far (times");
        let Some(table) = parts.nth(1) else {
            assert_eq!(in_all, "0", "they are unknown");
            continue;
        };
        let last = table.split("</table>").next().unwrap().rsplit("<td class=\"number\">").next();
        assert!(last.unwrap().starts_with(&in_all), "{in_all}: {last:?}");
    }
}

#[test]
fn a_story_that_was_skipped_did_not_fail() {
    let mut events = a_run_with_failures();
    for stamped in &mut events {
        match &mut stamped.event {
            LoopEvent::StoryGivenUp { given_up, .. } => {
                given_up.reason = GiveUpReason::Skipped;
            }
            LoopEvent::RunEnded(events::RunEnded { stories, .. }) => {
                let given_up = stories.iter_mut().filter_map(|story| story.given_up.as_mut());
                given_up.for_each(|given_up| given_up.reason = GiveUpReason::Skipped);
            }
            _ => {}
        }
    }
    let summary = words(&Sample::of(&events).section("summary"));
    assert!(summary.contains("Stories failed|0|"), "{summary}");
    assert!(summary.contains(" skipped|"), "{summary}");
}

/// The machine goes down in the third iteration; a day later the run is resumed.
fn cut_off() -> Vec<Stamped> {
    let mut events = a_long_run(3);
    let mut again = events[0].clone();
    again.at = events.last().unwrap().at + TimeDelta::days(1);
    events.push(again);
    events
}

#[test]
fn an_iteration_that_was_cut_off_ends_at_its_last_event() {
    let mut judged = cut_off();
    let status = events::IterationStatus::Accepted;
    let mut ended = judged.last().unwrap().clone();
    ended.event = iteration_ended(3, tasks::Mode::Implement, status);
    judged.push(ended);
    for (events, became) in [(cut_off(), "not finished"), (judged, "accepted, 20s")] {
        let sample = Sample::of(&events);
        let timeline = sample.section("timeline");
        let bar = timeline.split("<rect").find(|bar| bar.contains("3 implement")).unwrap();
        assert!(bar.contains(&format!("cut off, {became}")), "{bar}");
        let width = bar.split("width=\"").nth(1).unwrap().split('"').next().unwrap();
        assert!(width.parse::<f64>().unwrap() < 5.0, "{bar}");
        assert!(timeline.contains("dashed: cut off"), "{timeline}");
        let table = words(&sample.section("iterations"));
        assert!(table.contains("cut off") && !table.contains("running"), "{table}");
    }
}

#[test]
fn paused_time_is_not_work() {
    let mut events = a_long_run(3);
    let seconds = 290;
    events.push(stamped(seconds, LoopEvent::Paused));
    events.push(stamped(seconds + 6 * 3600, LoopEvent::Resumed));
    let sample = Sample { state: RunState::Died, ..Sample::of(&events) };
    let found = words(&sample.section("summary"));
    assert!(found.contains("Time worked|4m 50s|6h 04m from start to end"), "{found}");
}

#[test]
fn extreme_numbers_and_times_are_shown() {
    let mut events = [a_run(), a_run_with_failures()].concat();
    let most = u64::MAX;
    let days = [DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC];
    for (place, stamped) in events.iter_mut().enumerate() {
        stamped.at = days[place / 3 % 2];
        match &mut stamped.event {
            LoopEvent::AgentEnded(events::AgentEnded { tokens, cost_usd, .. }) => {
                let all = TokenCount {
                    input: most,
                    output: most,
                    cache_read: most,
                    cache_creation: most,
                };
                (*tokens, *cost_usd) = (all, Some(f64::MAX));
            }
            LoopEvent::QualityChecked { cost_usd, .. } => *cost_usd = f64::MAX,
            LoopEvent::Waiting(events::WaitView { until, .. }) => *until = days[1],
            _ => {}
        }
    }
    for cut in 0..events.len() {
        let sample = Sample::of(&events[..cut]);
        for offset in [-86_399, 86_399] {
            let offset = FixedOffset::east_opt(offset).unwrap();
            assert!(report(&PageInput { offset, run: RUN, ..sample.input() }).contains("</html>"));
        }
    }
}

#[test]
fn a_story_that_passes_counts_as_done() {
    let mut events = a_run()[..1].to_vec();
    if let LoopEvent::RunStarted { stories, .. } = &mut events[0].event {
        stories[2].passes = true;
    }
    let sample = Sample::of(&events);
    assert!(words(&sample.section("stories")).contains("✓| passes"));
    assert!(words(&sample.section("summary")).contains("Stories done|2|of 3"));
}

#[test]
fn a_review_that_requests_changes_is_explained() {
    let note = "the review was accepted, but the attempt at its story failed";
    let mut sample = Sample::of(&a_run_with_failures());
    assert!(!words(&sample.section("failures")).contains(note));
    let failed = sample.view.records.iter_mut().find(|one| one.failed_attempt.is_some());
    failed.unwrap().verdict = Some(events::Verdict::ChangesRequested);
    assert!(words(&sample.section("failures")).contains(note));
    assert!(words(&sample.section("stories")).contains("requests changes is a failed attempt too"));
}

#[test]
fn token_counts_add_up() {
    assert!(words(&Sample::of(&a_long_run(2)).section("costs")).contains("4.0K|900|2.0K|90K"));
}

#[test]
fn missing_changes_are_not_counted_as_zero() {
    let mut diffs = a_diff("x");
    diffs.stories[0].ranges.clear();
    let found = words(&Sample { diffs, ..Sample::of(&a_run()) }.section("diffs"));
    assert!(found.contains(": not shown") && !found.contains("0 files"), "{found}");
}

#[test]
fn a_seventh_of_failures_does_not_look_like_all() {
    let section = Sample::of(&a_long_run(5_000)).section("timeline");
    let path =
        section.split("class=\"failed-ticks\" d=\"").nth(1).unwrap().split('"').next().unwrap();
    let heights: Vec<f64> = path
        .split('M')
        .skip(1)
        .map(|tick| tick.split("v-").nth(1).unwrap().parse().unwrap())
        .collect();
    let mean = heights.iter().sum::<f64>() / heights.len() as f64;
    assert!(heights.len() < 300 && mean < 5.0, "{} ticks, {mean} high", heights.len());
    let few = Sample::of(&a_long_run(9)).section("timeline");
    assert!(few.contains("v-14\""), "a single one has the full height");
}

#[test]
fn the_progress_reaches_the_end() {
    let section = Sample::of(&a_run_with_failures()).section("summary");
    let bar = section.split("</svg>").next().unwrap().rsplit("<rect ").next().unwrap();
    let number = |name: &str| -> f64 {
        let value = bar.split(&format!("{name}=\"")).nth(1).unwrap().split('"').next().unwrap();
        value.parse().unwrap()
    };
    assert_eq!(number("x") + number("width"), 960.0);
}

#[test]
fn unreported_values_are_unknown_and_zero_is_zero() {
    let found = |reported| {
        let sample = Sample::of(&events::samples::a_prompt_loop_reporting(reported));
        words(&sample.section("summary")) + &words(&sample.section("iterations"))
    };
    let unknown = found(None);
    assert!(unknown.contains("Cost|unknown|") && unknown.contains("Tokens|unknown"), "{unknown}");
    assert!(!unknown.contains("$0.00"), "{unknown}");
    let zero = found(Some(0.0));
    assert!(zero.contains("Cost|$0.00|") && zero.contains("Tokens|unknown"), "{zero}");
}
