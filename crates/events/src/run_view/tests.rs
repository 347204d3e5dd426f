//! Events in, the state of the run out.

use crate::{AgentOutcome, IterationStatus, RunEnd, WaitReason};
use project::orders::Order;
use tasks::{Mode, ReviewStatus};

use super::*;
use crate::samples::*;

mod history;
mod lanes;
mod proof;

fn folded(events: &[Stamped]) -> RunView {
    RunView::of(events)
}

fn started() -> Stamped {
    a_run().swap_remove(0)
}

#[test]
fn a_resumed_run_keeps_its_counters() {
    let view = folded(&[started()]);
    assert_eq!((view.id.as_str(), view.iterations, view.cost_usd, view.done), (RUN, 2, 1.5, 1));
    assert_eq!(view.start.unwrap().max_iterations, 15);
}

/// A run without a limit of attempts emits no event for them.
fn without_limit(mut started: Stamped) -> Stamped {
    if let LoopEvent::RunStarted { start, .. } = &mut started.event {
        start.max_attempts = None;
    }
    started
}

#[test]
fn a_run_that_limits_attempts_counts_them_itself() {
    let ended = iteration_ended(4, Mode::Implement, IterationStatus::ChecksFailed);
    let mut failed = attempt_failed(4, 3, crate::Gate::Tests, 1);
    let LoopEvent::AttemptFailed(crate::AttemptFailed { story, .. }) = &mut failed else {
        unreachable!()
    };
    *story = id("US-002");
    for events in [[ended.clone(), failed.clone()], [failed, ended]] {
        let events = events.map(|event| stamped(1, event));
        let view = folded(&[vec![started()], events.to_vec()].concat());
        assert_eq!(view.story(&id("US-002")).unwrap().failed_attempts, 3);
    }
}

#[test]
fn an_iteration_without_a_step_failed_if_it_counts_as_an_attempt() {
    let ended =
        |number| stamped(1, iteration_ended(number, Mode::Implement, IterationStatus::NoProgress));
    let failed = stamped(1, attempt_failed(4, 1, crate::Gate::Implement, 1));
    let view = folded(&[started(), ended(3), failed, ended(4), ended(5)]);
    assert_eq!(view.failed, 1);
}

#[test]
fn a_story_that_is_given_up_stays_so_until_a_run_starts_without_it() {
    let given_up = given_up(crate::GiveUpReason::AttemptsUsed, crate::StoryCommits::Rewound);
    let event = LoopEvent::StoryGivenUp { story: id("US-002"), given_up: given_up.clone() };
    let events = [started(), stamped(1, event)];
    let view = folded(&events);
    let story = view.story(&id("US-002")).unwrap();
    assert_eq!((story.failed_attempts, &story.given_up), (5, &Some(given_up)));
    let again = folded(&[events.to_vec(), vec![started()]].concat());
    assert_eq!(again.story(&id("US-002")).unwrap().given_up, None);
}

#[test]
fn a_resumed_run_is_not_over() {
    let mut events = a_run();
    let again = stamped(9000, started().event);
    events.push(stamped(5700, LoopEvent::StopRequested { signal: "x".into(), text: "y".into() }));
    events.push(again);
    let view = folded(&events);
    assert_eq!((view.end, view.stopping, view.start.unwrap().at), (None, false, at(9000)));
}

#[test]
fn each_status_is_counted() {
    for (status, iterations, accepted, failed, attempts) in [
        (IterationStatus::Accepted, 3, 1, 0, 0),
        (IterationStatus::NoProgress, 3, 0, 0, 0),
        (IterationStatus::Reverted, 3, 0, 1, 1),
        (IterationStatus::ChecksFailed, 3, 0, 1, 1),
        (IterationStatus::TimedOut, 3, 0, 1, 1),
        (IterationStatus::Failed, 2, 0, 0, 0),
        (IterationStatus::Retried, 2, 0, 0, 0),
        (IterationStatus::Stopped, 2, 0, 0, 0),
    ] {
        let ended = stamped(1, iteration_ended(3, Mode::Review, status));
        let view = folded(&[without_limit(started()), ended]);
        let counted = (view.iterations, view.accepted, view.failed);
        assert_eq!(counted, (iterations, accepted, failed), "{status:?}");
        let story = view.story(&id("US-002")).unwrap();
        assert_eq!((story.failed_attempts, story.cost_usd), (attempts, 0.42), "{status:?}");
        assert_eq!(view.cost_usd, 1.92);
    }
}

#[test]
fn the_cost_of_a_running_iteration_counts_once() {
    let mut events = vec![
        started(),
        stamped(1, iteration_started(3, 1, Mode::Review)),
        stamped(2, agent_ended(AgentOutcome::Answered, "", &[])),
    ];
    assert_eq!(folded(&events).spent_usd(), 1.92);
    events.push(stamped(3, iteration_ended(3, Mode::Review, IterationStatus::Accepted)));
    assert_eq!(folded(&events).spent_usd(), 1.92);
}

#[test]
fn stories_follow_their_moves() {
    let (from, to) = (ReviewStatus::NeedsReview, ReviewStatus::Approved);
    let moved = LoopEvent::StoryStatusChanged {
        story: id("US-002"),
        from,
        to,
        reviews: 2,
        feedback: String::new(),
        passes: false,
    };
    let added = story("US-9", "New", ReviewStatus::NotSubmitted, 0);
    let added = stamped(2, LoopEvent::StoryAdded { story: added });
    let view = folded(&[started(), stamped(1, moved), added]);
    let story = view.story(&id("US-002")).unwrap();
    assert_eq!((story.passes, story.review_status, story.review_count), (true, to, 2));
    assert_eq!(view.stories.len(), 4);
}

#[test]
fn tools_that_run_are_known_by_name_until_they_answer_or_the_agent_ends() {
    let tool = |id: &str| LoopEvent::ToolStarted {
        id: id.into(),
        name: format!("Tool {id}"),
        summary: String::new(),
    };
    let mut events = vec![
        stamped(1, iteration_started(3, 1, Mode::Review)),
        stamped(2, tool("a")),
        stamped(3, tool("b")),
        stamped(
            4,
            LoopEvent::ToolEnded {
                id: "a".into(),
                outcome: crate::ToolOutcome::Ok,
                summary: String::new(),
                output: Default::default(),
            },
        ),
    ];
    let view = folded(&events);
    assert_eq!(view.last_activity, Some(Activity { at: at(3), text: "Tool b".into() }));
    let iteration = view.iteration().unwrap();
    assert_eq!(
        iteration.calls.running.iter().map(|tool| tool.id.as_str()).collect::<Vec<_>>(),
        ["b"]
    );
    assert_eq!(iteration.calls.running("b").unwrap().name, "Tool b");
    events.push(stamped(5, agent_ended(AgentOutcome::Crashed, "", &[])));
    assert!(folded(&events).iteration().unwrap().calls.running.is_empty());
}

#[test]
fn tools_and_their_failures_are_counted_until_the_next_session() {
    let mut events = vec![stamped(1, iteration_started(3, 1, Mode::Review))];
    for (id, outcome) in [("a", crate::ToolOutcome::Ok), ("b", crate::ToolOutcome::Failed)] {
        events.push(stamped(2, tool(id, "Read", "")));
        events.push(stamped(3, tool_ended(id, outcome, "")));
    }
    events.push(stamped(4, agent_ended(AgentOutcome::Answered, "", &[])));
    let counted = |events: &[Stamped]| {
        let view = folded(events);
        let iteration = view.iteration().unwrap();
        (iteration.calls.made, iteration.calls.failed)
    };
    assert_eq!(counted(&events), (2, 1));
    events.push(stamped(5, agent_called("claude", "x")));
    assert_eq!(counted(&events), (0, 0));
}

#[test]
fn a_wait_lasts_until_the_next_iteration() {
    let (reason, until) = (WaitReason::UsageLimit, at(600));
    let rest = stamped(1, LoopEvent::Waiting(crate::WaitView { reason, text: "x".into(), until }));
    let warning = stamped(2, LoopEvent::Warning { text: "y".into() });
    let resting = folded(&[rest.clone(), warning.clone()]);
    assert_eq!(resting.rest.unwrap().until, until);
    assert_eq!(resting.warnings, 1);
    let next = stamped(600, iteration_started(4, 1, Mode::Review));
    assert_eq!(folded(&[rest, warning, next]).rest, None);
}

#[test]
fn the_end_replaces_the_folded_counts() {
    let view = folded(&a_run());
    assert_eq!((view.iterations, view.accepted, view.failed), (4, 3, 1));
    assert_eq!((view.iteration(), &view.rest, view.stories.len()), (None, &None, 3));
    let end = view.end.unwrap();
    assert_eq!((end.end, end.exit_code, end.at), (RunEnd::Interrupted, 130, at(5652)));
}

#[test]
fn a_log_of_any_length_folds_in_the_same_memory() {
    let text = LoopEvent::AgentText { text: "x".repeat(100_000) };
    let mut view = folded(&[started(), stamped(1, iteration_started(3, 1, Mode::Review))]);
    (0..1000).for_each(|second| view.apply(&stamped(second, text.clone())));
    assert!(serde_json::to_string(&view).unwrap().len() < 3000);
    assert_eq!(view.iteration().unwrap().messages, 1000);
}

#[test]
fn a_quality_review_follows_its_iteration_and_costs_its_story() {
    let mut view = RunView::default();
    view.apply(&a_run()[0]);
    let started = LoopEvent::QualityStarted { story: id("US-002") };
    view.apply(&stamped(1, started));
    assert_eq!(view.quality_of, Some(id("US-002")));
    assert_eq!(view.last_activity.as_ref().unwrap().text, "checking the quality of US-002");
    let mut checked = quality(crate::QualityOutcome::Checked, &[]);
    if let LoopEvent::QualityChecked { story, .. } = &mut checked {
        *story = id("US-002");
    }
    view.apply(&stamped(2, checked));
    assert_eq!((view.quality_of, view.stories[1].cost_usd), (None, 0.05));
    assert_eq!(view.cost_usd, 1.5 + 0.05);
}

#[test]
fn turns_are_those_of_all_sessions_also_between_iterations() {
    let ended = || stamped(1, agent_ended(AgentOutcome::Answered, "", &[]));
    let mut silent = ended();
    if let LoopEvent::AgentEnded(crate::AgentEnded { turns, .. }) = &mut silent.event {
        *turns = None;
    }
    let events = [started(), ended(), silent, ended(), stamped(9, started().event), ended()];
    assert_eq!(folded(&events).turns, 36, "a resumed run continues counting");
    assert_eq!(folded(&a_run_with_memory()).turns, 48);
}

#[test]
fn a_run_without_handoffs_has_no_memory() {
    assert_eq!(folded(&a_run()).memory, None);
    assert_eq!(folded(&a_run_with_failures()).memory, None);
}

#[test]
fn the_last_handoff_and_the_last_prompt_are_known() {
    let memory = folded(&a_run_with_memory()).memory.unwrap();
    assert_eq!((memory.compactions, memory.failures.len()), (1, 1));
    assert_eq!(memory.prompt, Some(PromptView { tokens: 5980, budget: 8000 }));
    let handoff = memory.last_handoff.unwrap();
    assert_eq!((handoff.iteration, handoff.source), (5, crate::HandoffSource::Repaired));
    let stopped = stamped(1, compaction_ended(crate::CompactionOutcome::Stopped, ""));
    let memory = folded(&[stopped]).memory.unwrap();
    assert_eq!((memory.compactions, memory.failures.len()), (0, 0));
}

#[test]
fn a_compaction_runs_until_it_ends_and_costs_the_run() {
    let rest = LoopEvent::Waiting(crate::WaitView {
        reason: WaitReason::Pause,
        text: "x".into(),
        until: at(60),
    });
    let begun = compaction_started(crate::CompactionReason::Interval, 5);
    let mut events = vec![started(), stamped(1, rest), stamped(9, begun)];
    let view = folded(&events);
    let compaction = CompactionView { handoffs: 5, started_at: at(9) };
    assert_eq!((view.compaction(), view.rest), (Some(compaction), None));
    let text = "compacting 5 handoffs: 5 iterations since the last";
    assert_eq!(view.last_activity.unwrap().text, text);
    events.push(stamped(10, agent_ended(AgentOutcome::Answered, "", &[])));
    events.push(stamped(10, compaction_ended(crate::CompactionOutcome::Compacted, "")));
    let view = folded(&events);
    assert_eq!((view.compaction(), view.cost_usd), (None, 1.5 + 0.05));
    // A compaction whose runner was killed has no end event.
    events.truncate(3);
    events.push(stamped(99, started().event));
    assert_eq!(folded(&events).compaction(), None);
}

#[test]
fn the_tools_of_a_session_between_iterations_are_known_too() {
    let tool = LoopEvent::ToolStarted { id: "a".into(), name: "Read".into(), summary: "x".into() };
    let view = folded(&[stamped(0, tool)]);
    assert_eq!((view.calls().made, view.calls().running("a").unwrap().name.as_str()), (1, "Read"));
}

/// The instructions that wait.
fn texts(view: &RunView) -> Vec<String> {
    view.pending_orders.steers.iter().map(|steer| steer.text.clone()).collect()
}

fn ordered(order: Order) -> LoopEvent {
    LoopEvent::OrderAccepted { order }
}

#[test]
fn a_pause_is_requested_then_active_and_then_over() {
    let mut view = folded(&a_run()[..1]);
    let mut pause_after = |event| {
        view.apply(&stamped(10, event));
        view.pending_orders.pause
    };
    assert_eq!(pause_after(ordered(Order::Pause)), Pause::Requested);
    assert_eq!(pause_after(ordered(Order::GoOn)), Pause::No);
    assert_eq!(pause_after(ordered(Order::Pause)), Pause::Requested);
    assert_eq!(pause_after(LoopEvent::Paused), Pause::Waiting { since: at(10) });
    assert_eq!(pause_after(ordered(Order::Pause)), Pause::Waiting { since: at(10) });
    assert_eq!(pause_after(LoopEvent::Resumed), Pause::No);
}

#[test]
fn an_instruction_waits_until_an_iteration_with_it_counts() {
    let steer = |text: &str| ordered(Order::steer(text).unwrap());
    let mut view = folded(&a_run()[..1]);
    let mut waiting_after = |events: Vec<LoopEvent>| {
        events.into_iter().for_each(|event| view.apply(&stamped(10, event)));
        texts(&view)
    };
    let review = |status| {
        vec![iteration_started(3, 1, Mode::Review), iteration_ended(3, Mode::Review, status)]
    };
    waiting_after(vec![steer("one")]);
    assert_eq!(
        waiting_after(review(IterationStatus::Accepted)),
        ["one"],
        "reviews get no instructions"
    );
    let begun = vec![iteration_started(4, 1, Mode::Implement), steer("two")];
    assert_eq!(waiting_after(begun), ["one", "two"]);
    let retried = vec![iteration_ended(4, Mode::Implement, IterationStatus::Retried)];
    assert_eq!(waiting_after(retried), ["one", "two"]);
    let again = vec![
        iteration_started(4, 2, Mode::Implement),
        steer("three"),
        iteration_ended(4, Mode::Implement, IterationStatus::NoProgress),
    ];
    assert_eq!(waiting_after(again), ["three"]);
}

#[test]
fn a_skip_order_is_pending_until_the_story_is_given_up() {
    let mut view = folded(&a_run()[..1]);
    view.apply(&stamped(9, iteration_started(3, 1, Mode::Implement)));
    view.apply(&stamped(10, ordered(Order::Skip { story: None })));
    view.apply(&stamped(11, ordered(Order::Skip { story: Some(id("US-003")) })));
    assert_eq!(view.pending_orders.skips, [id("US-002"), id("US-003")]);
    let given_up = a_run_with_failures().into_iter().find_map(|event| match event.event {
        LoopEvent::StoryGivenUp { given_up, .. } => Some(given_up),
        _ => None,
    });
    let given_up = given_up.unwrap();
    view.apply(&stamped(12, LoopEvent::StoryGivenUp { story: id("US-002"), given_up }));
    assert_eq!(view.pending_orders.skips, [id("US-003")]);
}

#[test]
fn a_refused_order_is_not_pending_and_a_stop_is_seen_at_once() {
    let refused = |order| LoopEvent::OrderRefused { order, why: "impossible".into() };
    let (skip, steer) =
        (Order::Skip { story: Some(id("US-009")) }, Order::steer("Mind it.").unwrap());
    let mut view = RunView::default();
    for (order, count) in [(skip, 0), (steer, 1)] {
        if count == 1 {
            view.apply(&stamped(1, ordered(order.clone())));
        }
        view.apply(&stamped(1, ordered(order.clone())));
        view.apply(&stamped(2, refused(order)));
        assert_eq!((view.pending_orders.skips.len(), view.pending_orders.steers.len()), (0, count));
    }
    assert!(!view.stopping);
    view.apply(&stamped(3, ordered(Order::Stop)));
    assert!(view.stopping);
}
