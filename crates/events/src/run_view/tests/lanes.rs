//! The events of lanes are interleaved, and each belongs to its own lane.

use chrono::{Offset, Utc};

use super::*;
use crate::JobPurpose;
use crate::describe::{self, describe};

fn until(seconds: i64) -> RunView {
    let events = a_run_with_lanes_to_its_end();
    let until = events.iter().take_while(|stamped| stamped.at <= at(seconds));
    RunView::of(until)
}

fn states(view: &RunView) -> Vec<(String, String)> {
    let story = |lane: &LaneView| lane.story.as_ref().map(ToString::to_string).unwrap_or_default();
    view.lanes.iter().map(|lane| (story(lane), lane.state.to_string())).collect()
}

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(story, state)| ((*story).to_owned(), (*state).to_owned())).collect()
}

#[test]
fn each_lane_has_its_own_iteration_session_and_activity() {
    let view = until(150);
    let numbers: Vec<_> = view.running().map(|record| (record.lane, record.number)).collect();
    assert_eq!(numbers, [(Some(1), 1), (Some(2), 2), (Some(3), 3)]);
    for record in view.running() {
        assert_eq!((record.messages, record.calls.made), (1, 2), "{record:?}");
    }
    assert_eq!(view.iteration(), None, "no iteration is outside of a lane");
    assert_eq!(view.calls_in(Some(2)).running("call-2").unwrap().summary, "cargo test US-002");
    assert_eq!(view.calls().made, 0);
    let activity = |lane| view.lane(lane).unwrap().last_activity.clone().unwrap();
    assert_eq!(activity(1), Activity { at: at(35), text: "Bash(cargo test US-001)".into() });
    assert_eq!(view.last_activity, Some(activity(3)));
}

#[test]
fn the_records_of_interleaved_iterations_are_complete() {
    let view = until(2000);
    assert_eq!(view.records.len(), 13, "one of twelve was retried");
    for record in &view.records {
        assert!(record.end.as_ref().is_some_and(|end| end.iteration == record.number));
        let retried = record.end.as_ref().unwrap().status == IterationStatus::Retried;
        assert_eq!(record.checks.len(), usize::from(!retried), "{record:?}");
        let agent = record.agent.as_ref().unwrap();
        assert_eq!(
            agent.seconds as i64 + 20,
            record.seconds().unwrap() as i64 + if retried { 173 } else { 0 }
        );
    }
    let fifth = view.records.iter().find(|record| record.number == 5).unwrap();
    assert_eq!(fifth.failed_attempt.as_ref().unwrap().gate, crate::Gate::Merge);
    let others = view.records.iter().filter(|record| record.failed_attempt.is_some());
    assert_eq!(others.count(), 1);
}

#[test]
fn a_lane_goes_through_its_states() {
    let empty = ("", "setting up");
    assert_eq!(states(&until(10)), pairs(&[empty, empty, empty]));
    let working = [("US-001", "working"), ("US-002", "working"), ("US-003", "working")];
    assert_eq!(states(&until(300)), pairs(&working));
    let view = until(415);
    let [.., third] = working;
    assert_eq!(
        states(&view),
        pairs(&[("US-001", "waiting for merge"), ("US-002", "merging"), third])
    );
    assert_eq!(view.lanes[0].since, at(413));
    assert_eq!(view.lanes[0].folder, "/home/me/.local/state/ralph/lanes/shop/1");
    assert_eq!(states(&until(421)), pairs(&[("US-001", "waiting for merge"), ("", "idle"), third]));
    // The conflict reopened US-001.
    let after = [("US-001", "working"), ("US-004", "working"), third];
    assert_eq!(states(&until(440)), pairs(&after));
    assert_eq!(states(&until(2000)), pairs(&[("", "idle"), ("", "idle"), ("", "idle")]));
}

#[test]
fn the_queue_is_in_order_and_the_checks_of_a_merge_are_its_own() {
    let view = until(805);
    let queue: Vec<_> = view.merge_queue.iter().map(|queued| queued.story.as_str()).collect();
    assert_eq!(queue, ["US-004"]);
    let merging = view.merging().unwrap();
    assert_eq!((merging.story.as_str(), merging.lane), ("US-003", Some(3)));
    assert_eq!(view.check_in(Some(3)), merging.gate.as_ref());
    assert!(merging.gate.is_some() && view.check_in(Some(1)).is_none());

    let view = until(2000);
    assert_eq!((view.merges.len(), view.merging()), (6, None));
    let first = view.merged(&id("US-001")).unwrap();
    assert_eq!((first.started_at, first.end.as_ref().unwrap().at), (at(702), at(727)));
    assert_eq!((first.lane, first.checks.len()), (Some(1), 1));
    let conflict = view.merges.iter().find(|merge| merge.commit().is_none()).unwrap();
    let error = "merge conflict in src/cart.rs".to_owned();
    assert_eq!(conflict.end.as_ref().unwrap().result, MergeResult::Failed { error });
    // Other lanes ran checks meanwhile.
    for merge in &view.merges {
        assert_eq!(merge.checks.len(), usize::from(merge.commit().is_some()), "{merge:?}");
    }
    // The checks of a merge are no checks of the iteration before.
    let review = view.records.iter().find(|record| record.number == 8).unwrap();
    assert_eq!(review.checks.len(), 1);
}

#[test]
fn a_lane_that_works_on_during_its_merge_has_checks_of_its_own() {
    let mut view = until(805);
    let merging = view.merging().cloned();
    let other = LoopEvent::CheckStarted { command: "other".into(), number: 1, of: 1 };
    view.apply(&in_lane(9, stamped(805, other)));
    view.apply(&in_lane(3, stamped(806, iteration_started(20, 1, Mode::Implement))));
    let check = LoopEvent::CheckStarted { command: "make".into(), number: 1, of: 1 };
    view.apply(&in_lane(3, stamped(807, check)));
    assert_eq!(view.merging().cloned(), merging);
    assert_eq!(view.check_in(Some(3)).unwrap().command, "make");
}

#[test]
fn the_end_of_a_run_ends_what_is_open_in_every_lane() {
    let mut events = a_run_with_lanes();
    events.push(stamped(900, run_ended(crate::RunEnd::Interrupted)));
    let view = folded(&events);
    assert_eq!((view.running().count(), view.merging(), view.merge_queue.len()), (0, None, 0));
    assert_eq!(states(&view), pairs(&[("", "idle"), ("", "idle"), ("", "idle")]));
    assert!(view.lane_spans().iter().all(|span| span.to.is_some()));
}

#[test]
fn a_story_is_done_when_it_is_merged() {
    let done = |seconds| {
        let view = until(seconds);
        let passing = view.stories.iter().filter(|story| view.is_done(story)).count();
        (view.done, passing as u64)
    };
    assert_eq!((done(415), done(421), done(440)), ((0, 0), (1, 1), (1, 1)));
    assert_eq!((done(805), done(2000)), ((2, 2), (5, 5)));
}

#[test]
fn a_wait_of_one_lane_is_neither_of_another_nor_of_the_run() {
    let view = until(110);
    assert!(view.lanes[2].waiting.is_some() && view.lanes[0].waiting.is_none());
    assert_eq!((view.rest.is_none(), view.worked.is_idle()), (true, false));
    assert!(until(131).lanes[2].waiting.is_none());
    // If every lane waits, the run does not work.
    let events = a_run_with_lanes();
    let wait = events.iter().find(|one| matches!(one.event, LoopEvent::Waiting(_))).unwrap();
    let mut view = until(110);
    view.apply(&in_lane(1, wait.clone()));
    assert!(!view.worked.is_idle());
    view.apply(&in_lane(2, wait.clone()));
    assert!(view.worked.is_idle());
    view.apply(&stamped(200, LoopEvent::StopRequested { signal: "x".into(), text: "y".into() }));
    assert!(view.lanes.iter().all(|lane| lane.waiting.is_none()) && !view.worked.is_idle());
}

#[test]
fn parallel_work_counts_once() {
    assert_eq!(until(150).worked.seconds(), 146.0);
    let view = until(150);
    assert_eq!((view.spent_usd(), view.tokens.output), (0.25, 45_000));
}

#[test]
fn the_spans_of_a_lane_follow_each_other() {
    let view = until(805);
    let kinds = |lane| -> Vec<String> {
        let of_lane = view.lane_spans().into_iter().filter(move |span| span.lane == lane);
        let kind = |span: LaneSpan<'_>| match span.kind {
            SpanKind::Iteration(one) => format!("{} {}", one.mode, span.story.unwrap()),
            SpanKind::Merge(Some(MergeResult::Failed { .. })) => "conflict".into(),
            SpanKind::Merge(result) => if result.is_some() { "merge" } else { "merging" }.into(),
        };
        of_lane.map(kind).collect()
    };
    let first = [
        "implement US-001",
        "review US-001",
        "conflict",
        "review-fix US-001",
        "review US-001",
        "merge",
        "implement US-005",
    ];
    assert_eq!(kinds(1), first);
    assert_eq!(kinds(3).last().unwrap(), "merging");
    let spans = view.lane_spans();
    assert!(
        spans.windows(2).all(|two| two[0].lane != two[1].lane || two[0].to <= Some(two[1].from))
    );
    assert_eq!(spans.iter().filter(|span| span.to.is_none()).count(), 2);
}

#[test]
fn a_run_that_is_started_again_has_nothing_open_in_any_lane() {
    let mut events = a_run_with_lanes();
    let last_seen = events.last().unwrap().at;
    events.push(Stamped { at: at(9000), ..events[0].clone() });
    let mut view = folded(&events);
    assert_eq!((view.running().count(), view.lanes.len(), view.merge_queue.len()), (0, 0, 0));
    assert!(view.lane_spans().iter().all(|span| span.to.is_some_and(|to| to <= last_seen)));
    // The next runner judges the iteration that was cut off.
    let ended = iteration_ended(11, Mode::Implement, IterationStatus::Accepted);
    view.apply(&in_lane(1, stamped(9001, ended)));
    assert!(view.last_iteration_in(Some(1)).unwrap().is_over());
    assert_eq!(folded(&a_run_with_lanes_to_its_end()).running().count(), 0);
}

#[test]
fn an_instruction_is_given_to_every_lane_that_starts_before_one_ends() {
    let mut view = folded(&a_run_with_lanes()[..1]);
    let mut waiting_after = |lane, event| {
        let event = stamped(10, event);
        view.apply(&Stamped { lane, ..event });
        texts(&view)
    };
    let steer = |text: &str| ordered(Order::steer(text).unwrap());
    waiting_after(None, steer("one"));
    waiting_after(Some(1), iteration_started(1, 1, Mode::Implement));
    waiting_after(Some(2), iteration_started(2, 1, Mode::Implement));
    waiting_after(None, steer("two"));
    let ended = |number| iteration_ended(number, Mode::Implement, IterationStatus::Accepted);
    assert_eq!(waiting_after(Some(2), ended(2)), ["two"]);
    assert_eq!(waiting_after(Some(1), ended(1)), ["two"], "lane 1 never received it");
}

#[test]
fn a_time_limit_names_the_iteration_of_its_lane() {
    let mut view = until(150);
    let warned = |lane, what| in_lane(lane, stamped(151, time_warning(what)));
    view.apply(&warned(1, crate::TimedTask::Implement));
    view.apply(&warned(2, crate::TimedTask::Implement));
    let ended = iteration_ended(1, Mode::Implement, IterationStatus::TimedOut);
    view.apply(&in_lane(1, stamped(152, ended)));
    let reached: Vec<_> =
        view.time_limits.iter().map(|one| (one.iteration, one.limit, one.seconds)).collect();
    let soft = (Some(2), TimeLimitKind::Soft, Some(720.0));
    assert_eq!(reached, [soft, (Some(1), TimeLimitKind::Hard, Some(1200.0))]);
}

#[test]
fn a_skip_without_a_story_means_the_only_running_one() {
    let skips = |seconds, lane| {
        let mut view = until(seconds);
        let skip = stamped(seconds, ordered(Order::Skip { story: None }));
        view.apply(&Stamped { lane, ..skip });
        view.pending_orders.skips
    };
    assert_eq!(skips(150, None), []);
    assert_eq!(skips(150, Some(2)), [id("US-002")]);
    assert_eq!(skips(805, None), [id("US-005")]);
}

#[test]
fn the_json_form_has_lanes_only_if_the_run_has_them() {
    let json = serde_json::to_value(until(805)).unwrap();
    assert_eq!(json["iteration"], serde_json::Value::Null);
    assert_eq!(json["running"][0]["lane"], 1);
    assert_eq!(json["lanes"][1]["state"], "waiting-for-merge");
    assert_eq!(json["mergeQueue"][0]["story"], "US-004");
    assert_eq!(
        (&json["merge"]["story"], &json["merge"]["gate"]["number"]),
        (&"US-003".into(), &1.into())
    );
    let alone = serde_json::to_value(folded(&a_run()[..20])).unwrap();
    assert_eq!(alone["iteration"]["number"], 3);
    for key in ["running", "lanes", "mergeQueue", "merge"] {
        assert!(alone.get(key).is_none() && alone["iteration"].get("lane").is_none(), "{key}");
    }
}

#[test]
fn a_session_on_a_node_is_queued_before_it_works() {
    let events = a_run_with_lanes_to_its_end();
    let mut view = RunView::of(events.iter().take_while(|stamped| stamped.at <= at(150)));
    let job = || "ralph-r-us-001-1-1".to_owned();
    let mut second = 150;
    let mut next = |event| {
        second += 1;
        let stamped = Stamped { lane: Some(1), ..stamped(second, event) };
        let words = describe(&stamped, &view, Utc.fix());
        view.apply(&stamped);
        let lane = view.lane(1).unwrap();
        let parts = describe::lane_parts(&view, lane, at(200), Utc.fix());
        (lane.state.to_string(), parts[0].1.clone(), words[0].words().to_owned())
    };
    let (engine, reason) = ("slurm".to_owned(), "Resources".to_owned());
    let purpose = JobPurpose::Session;
    let queued = next(LoopEvent::JobWaiting { job: job(), engine, reason, purpose });
    let words = "waits in the queue of slurm: Resources";
    assert_eq!(queued, ("queued".into(), "queued".into(), words.into()));
    let started =
        next(LoopEvent::JobStarted { job: job(), node: "n1".into(), restart: 0, purpose });
    assert_eq!(started, ("working".into(), "implement on n1".into(), "runs on n1".into()));
    let again = next(LoopEvent::JobStarted { job: job(), node: "n2".into(), restart: 1, purpose });
    let words = "runs again on n2 (restart 1)";
    assert_eq!(again, ("working".into(), "implement on n2".into(), words.into()));
    next(crate::samples::agent_ended(AgentOutcome::Answered, "", &[]));
    let (purpose, job) = (JobPurpose::Checks, || "ralph-r-us-001-checks-1".to_owned());
    let (engine, reason) = ("slurm".to_owned(), String::new());
    let queued = next(LoopEvent::JobWaiting { job: job(), engine, reason, purpose });
    assert_eq!(queued.2, "checks wait in the queue of slurm");
    let started =
        next(LoopEvent::JobStarted { job: job(), node: "n1".into(), restart: 0, purpose });
    assert_eq!(started.2, "checks run on n1");
    let (tree, outcome) = ("t".to_owned(), crate::ChecksOutcome::Passed);
    view.apply(&Stamped {
        lane: Some(1),
        ..stamped(160, LoopEvent::ChecksJudged { tree, outcome })
    });
    let record = view.records.iter().find(|record| record.lane == Some(1)).unwrap();
    let job = record.job.clone().unwrap();
    assert_eq!((job.engine.as_str(), job.restarts), ("slurm", 1));
    let summary = "on n2, queued 2s, ran 1s; checks on n1, queued 1s, ran 4s";
    assert_eq!(record.jobs_summary(), summary);
}

#[test]
fn the_end_of_an_iteration_has_the_totals_of_the_run() {
    let events = a_run_with_lanes_to_its_end();
    let so_far = |number: u64| {
        let is_it = |stamped: &Stamped| matches!(&stamped.event, LoopEvent::IterationEnded(ended) if ended.iteration == number);
        let place = events.iter().rposition(is_it).unwrap();
        let described = describe(&events[place], &RunView::of(&events[..place]), Utc.fix());
        described[0].words().split_once("so far ").unwrap().1.to_owned()
    };
    // The first reviews are approved before their stories are merged.
    assert_eq!(so_far(5), "0 of 5 done, $1.25");
    assert_eq!(so_far(12), "4 of 5 done, $3.25");
}

#[test]
fn an_instruction_for_a_story_waits_for_a_session_of_that_story() {
    let mut view = folded(&a_run_with_lanes()[..1]);
    let mut waiting_after = |lane, event| {
        let event = stamped(10, event);
        view.apply(&Stamped { lane, ..event });
        describe::pending_orders(&view.pending_orders)
    };
    let begun = |number, story: &str| {
        let mut begun = iteration_started(number, 1, Mode::Implement);
        if let LoopEvent::IterationStarted(started) = &mut begun {
            started.story = Some(id(story));
        }
        begun
    };
    let ended = |number| iteration_ended(number, Mode::Implement, IterationStatus::Accepted);
    let steer = Order::steer("one").unwrap().for_story(Some(id("US-003")));
    let waits = ["instruction for the next session of US-003: one"];
    assert_eq!(waiting_after(None, ordered(steer)), waits);
    waiting_after(Some(1), begun(1, "US-001"));
    assert_eq!(waiting_after(Some(1), ended(1)), waits);
    waiting_after(Some(1), begun(2, "US-003"));
    assert_eq!(waiting_after(Some(1), ended(2)), [""; 0]);
}

#[test]
fn a_story_in_work_says_what_the_run_does_with_it() {
    let doing = |seconds, story: &str| describe::story_in_work(&until(seconds), &id(story));
    assert_eq!(doing(150, "US-001"), Some("in progress"));
    assert_eq!((doing(150, "US-004"), until(150).begun_iterations()), (None, 3));
    assert_eq!(
        (doing(415, "US-001"), doing(415, "US-002")),
        (Some("waiting for merge"), Some("merging"))
    );
    assert_eq!(doing(2000, "US-001"), None);
}
