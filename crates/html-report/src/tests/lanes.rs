//! The chart of lanes, and the other places that show them.

use events::samples::stamped;
use serde_json::json;

use super::*;

/// The chart of lanes.
fn chart(events: &[Stamped]) -> String {
    let timeline = Sample::of(events).section("timeline");
    let (_, chart) = timeline.split_once("lanes-chart-title").unwrap_or_default();
    chart.split_once("</figure>").unwrap_or_default().0.to_owned()
}

fn bars<'c>(chart: &'c str, class: &str) -> Vec<&'c str> {
    let class = format!("class=\"{class}\"");
    chart.split("<rect ").skip(1).filter(|bar| bar.contains(&class)).collect()
}

#[test]
fn only_a_run_with_lanes_has_the_chart() {
    assert_eq!(chart(&a_run()), "");
    assert!(!Sample::of(&a_run()).page().contains("lane "));
    let timeline = Sample::of(&a_run_with_lanes()).section("timeline");
    assert!(!timeline.contains("timeline-chart"), "bars of one mode would cover each other");
    let chart = chart(&a_run_with_lanes());
    for words in ["What 3 lanes did over time; 2 stories were merged.", ">lane 3<", ">US-004<"] {
        assert!(chart.contains(words), "{words}: {chart}");
    }
}

#[test]
fn each_step_and_merge_has_a_bar() {
    let chart = chart(&a_run_with_lanes_to_its_end());
    let (_, legend) = chart.split_once("</svg>").unwrap();
    let chart = chart.replace(legend, "");
    assert_eq!(bars(&chart, "implement filled").len(), 5);
    assert!(bars(&chart, "implement hollow")[0].contains("the agent failed; retried"));
    assert_eq!(bars(&chart, "review filled").len(), 6);
    assert_eq!(bars(&chart, "review-fix filled").len(), 1);
    assert_eq!(bars(&chart, "merge filled").len(), 5);
    assert_eq!(chart.matches("class=\"merged\"").count(), 5);
    assert_eq!(chart.matches("class=\"failed-ticks\"").count(), 1);
    let failed = bars(&chart, "merge hollow");
    assert!(failed[0].contains("merge US-001: failed, 0s: merge conflict in src/cart.rs"));
    assert!(legend.contains("hollow: failed") && !legend.contains("dashed"), "{legend}");
}

#[test]
fn bars_of_a_lane_follow_each_other() {
    let chart = chart(&a_run_with_lanes());
    let number = |bar: &str, name: &str| -> f64 {
        let (_, value) = bar.split_once(&format!("{name}=\"")).unwrap();
        value.split('"').next().unwrap().parse().unwrap()
    };
    let (picture, _) = chart.split_once("</svg>").unwrap();
    let mut places: Vec<_> = picture
        .split("<rect ")
        .skip(1)
        .map(|bar| (number(bar, "y"), number(bar, "x"), number(bar, "width")))
        .collect();
    assert_eq!(places.len(), 16);
    places.sort_by(|one, other| one.partial_cmp(other).unwrap());
    for two in places.windows(2).filter(|two| two[0].0 == two[1].0) {
        // The conflict is found at once, and is drawn with the least width.
        assert!(two[0].1 + two[0].2 <= two[1].1 + 2.0, "{two:?}");
    }
    assert_eq!(bars(&chart, "implement unfinished").len(), 1, "the running one");
}

#[test]
fn many_short_steps_are_drawn_as_one() {
    let mut events = a_long_run(4_000);
    events.iter_mut().skip(1).for_each(|stamped| stamped.lane = Some(1));
    let chart = chart(&events);
    let rects = chart.matches("<rect ").count();
    assert!(rects < 700, "{rects}");
    assert!(chart.contains("short steps"));
}

#[test]
fn a_merged_story_names_time_and_lane() {
    let sample = Sample::of(&a_run_with_lanes());
    let stories = words(&sample.section("stories"));
    assert!(stories.contains("|2026-11-15 02:07, lane 2|"), "{stories}");
    assert!(!words(&Sample::of(&a_run()).section("stories")).contains("Merged"));
}

#[test]
fn the_head_names_what_each_lane_does() {
    let sample = Sample::of(&a_run_with_lanes());
    let head = words(&sample.section("head")).replace('|', "");
    for part in ["Lane 1 US-005: implement for ", "Lane 2 US-004: waiting for merge for "] {
        assert!(head.contains(part), "{head}");
    }
    let summary = words(&sample.section("summary"));
    assert!(summary.contains("3 lanes|1 waiting to be merged"), "{summary}");
    assert!(summary.contains("Iterations|11|"), "one of them is running: {summary}");
    let stories = words(&sample.section("stories"));
    assert!(stories.contains("waiting for merge") && stories.contains("in progress"), "{stories}");
    let timeline = words(&sample.section("timeline"));
    assert!(timeline.contains("Waiting to be merged, after the running merge: US-004."));
}

#[test]
fn pending_orders_are_in_the_head_and_an_instruction_may_name_a_story() {
    let mut events = a_run_with_lanes();
    let steer = json!({"kind": "steer", "story": "US-005", "text": "Mind <it>."});
    for order in [json!({"kind": "pause"}), steer] {
        let event = json!({"type": "order-accepted", "order": order});
        events.push(stamped(805, serde_json::from_value(event).unwrap()));
    }
    let sample = Sample::of(&events);
    let head = words(&sample.section("head"));
    assert!(head.contains("|pausing after this iteration|"), "{head}");
    assert!(head.contains("|instruction for the next session of US-005: Mind <it>."), "{head}");
    let over = Sample { state: RunState::Died, ..Sample::of(&events) };
    assert!(!over.section("head").contains("instruction"));

    let links = LiveLinks { events: "/events".into(), orders: Some("/orders".into()) };
    let page = live(&sample.input(), &links);
    let (_, form) = page.split_once("<select id=\"steer-story\"").unwrap();
    let (form, _) = form.split_once("</select>").unwrap();
    assert!(form.contains("<option>US-005</option>") && !form.contains("US-001"), "{form}");
    assert!(!live(&Sample::of(&a_run()).input(), &links).contains("id=\"steer-story\""));
}
