//! Orders to a run with lanes: instructions that sessions receive or that the run reports, and skipped stories.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;

use events::{LoopEvent, RunEnd};
use project::orders::Order;
use serde_json::json;

use crate::LoopResult;
use crate::in_process::agent;
use crate::in_process::lanes::{Lanes, Meeting, stories, story_in_work};
use crate::in_process::processes::PlayedProcesses;
use crate::in_process::project::id;

/// What was not delivered, as the run says at its end.
fn undelivered(run: &Lanes) -> Vec<String> {
    let prefix = "instruction not delivered, because the run ended: ";
    let text = |text: String| text.strip_prefix(prefix).map(str::to_owned);
    run.project.warnings().into_iter().filter_map(text).collect()
}

/// While US-1 and US-2 are reviewed, the user gives `orders`. Returns the stories whose sessions read "Mind the gap".
fn told_during_reviews(run: &Lanes, orders: &[Order]) -> BTreeSet<String> {
    let (meeting, told) = (Meeting::default(), Mutex::new(BTreeSet::new()));
    let is_accepted = |event: &LoopEvent| matches!(event, LoopEvent::OrderAccepted { order } if Some(order) == orders.last());
    let session = |folder: &Path, prompt: &str| {
        let (agent, story) = (run.project.in_clone(folder.to_path_buf()), story_in_work(folder));
        if prompt.contains("Mind the gap") {
            told.lock().unwrap().insert(story.clone());
        }
        if agent.story(&story)["reviewStatus"] == "needs_review" && story != "US-3" {
            meeting.wait_for(2, &story);
            if story == "US-1" {
                orders.iter().for_each(|order| run.send(order));
            }
            run.project.events.wait_for(is_accepted);
        }
        agent::work_on(&agent, &story)
    };
    let processes = PlayedProcesses::in_lanes(session, || {});
    let LoopResult::Ran(finished) = run.project.run_by(&processes).unwrap() else { unreachable!() };
    assert_eq!(finished.end, RunEnd::Complete, "{:?}", finished.error);
    let told = told.lock().unwrap();
    told.clone()
}

#[test]
fn an_instruction_that_no_story_in_work_can_receive_is_for_the_next_story() {
    let mut list = stories(3);
    list[2]["dependsOn"] = json!(["US-1", "US-2"]);
    let run = Lanes::new(2, &list, &["pass"]);
    let told = told_during_reviews(&run, &[Order::steer("Mind the gap").unwrap()]);
    assert_eq!(told, BTreeSet::from(["US-3".to_owned()]));
    assert_eq!(undelivered(&run), Vec::<String>::new());
}

#[test]
fn instructions_that_no_session_receives_are_reported_once() {
    let run = Lanes::new(2, &stories(2), &["pass"]);
    let general = Order::steer("Mind the gap").unwrap();
    let of_story = Order::steer("Use tabs").unwrap();
    let of_story = of_story.for_story(Some(id("US-2")));
    assert_eq!(told_during_reviews(&run, &[general, of_story]), BTreeSet::new());
    assert_eq!(undelivered(&run), ["Mind the gap", "Use tabs"]);
}

#[test]
fn an_instruction_for_a_story_that_no_lane_works_on_is_reported_if_the_story_is_skipped() {
    let mut list = stories(3);
    list[2]["dependsOn"] = json!(["US-1"]);
    let run = Lanes::new(2, &list, &["pass"]);
    let third = Some(id("US-3"));
    let finished = run.run(|agent, story| {
        if story == "US-1" && agent.story(story)["reviewStatus"].is_null() {
            run.send(&Order::steer("Use tabs").unwrap().for_story(third.clone()));
            run.send(&Order::Skip { story: third.clone() });
            let skip = |event: &LoopEvent| {
                matches!(event, LoopEvent::OrderAccepted { order: Order::Skip { .. } })
            };
            run.project.events.wait_for(skip);
        }
        agent::work_on(agent, story)
    });
    assert_eq!(finished.end, RunEnd::StoriesFailed, "{:?}", finished.error);
    assert_eq!(undelivered(&run), ["Use tabs"]);
}
