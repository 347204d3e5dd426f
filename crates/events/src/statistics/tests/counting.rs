//! What counts, and what does not.

use super::*;

#[test]
fn only_iterations_that_are_used_up_count_and_each_kind_of_failure_does() {
    let of = |status: &str, more: Vec<LoopEvent>| {
        let mut events = vec![begins(&["US-001"], Value::Null)];
        events.extend(session(1, "implement", "US-001", CODER));
        events.extend(more);
        events.push(ended(1, "implement", "US-001", status, 1.0));
        let total = of_one(events).total;
        assert_eq!(total.cost_usd, Some(1.0), "{status}");
        (total.iterations, total.failed)
    };
    let mut in_vain = attempt_failed(1, 1, crate::Gate::Implement, 1);
    if let LoopEvent::AttemptFailed(failed) = &mut in_vain {
        failed.story = id("US-001");
    }
    for uncounted in ["retried", "failed", "stopped"] {
        assert_eq!(of(uncounted, vec![]), (0, 0), "{uncounted}");
    }
    for failed in ["reverted", "timed-out", "void"] {
        assert_eq!(of(failed, vec![]), (1, 1), "{failed}");
    }
    assert_eq!(of("no-progress", vec![]), (1, 0));
    assert_eq!(of("no-progress", vec![in_vain]), (1, 1));
}

#[test]
fn an_approval_with_concerns_is_a_finding_and_a_void_review_is_no_review() {
    let of = |more: Vec<LoopEvent>| {
        let mut events = vec![begins(&["US-001"], Value::Null)];
        events.extend(session(1, "review", "US-001", REVIEWER));
        events.extend(more);
        events.push(ended(1, "review", "US-001", "accepted", 0.0));
        let total = of_one(events).total;
        (total.reviews, total.reviews_with_findings)
    };
    let at_cap = format!("{} rounding is off", crate::AT_CAP);
    assert_eq!(of(vec![moved("US-001", "approved", &at_cap)]), (1, 1));
    assert_eq!(of(vec![moved("US-001", "approved", "")]), (1, 0));
    assert_eq!(of(vec![]), (0, 0));
}

#[test]
fn a_story_that_is_reopened_counts_once_and_when_it_was_done_at_last() {
    let mut events = events();
    events.push(moved("US-001", "changes_requested", "no"));
    assert_eq!(of_one(events.clone()).total.stories_done, 0);
    events.push(moved("US-001", "approved", ""));
    let view = RunView::of(&timed(events));
    let finished: Vec<_> = view.finished().collect();
    assert_eq!(finished, [(&id("US-001"), view.last_event.unwrap())]);
}

#[test]
fn sessions_between_iterations_are_in_the_totals_alone() {
    let mut events = events();
    let before = of_one(events.clone());
    events.push(event(json!({
        "type": "compaction-ended", "outcome": "compacted", "text": "", "seconds": 5.0, "costUsd": 0.5
    })));
    let after = of_one(events.clone());
    assert_eq!(after.total.cost_usd, before.total.cost_usd.map(|usd| usd + 0.5));
    assert_eq!(after.agents, before.agents);
    let LoopEvent::CompactionEnded { cost_usd, .. } = events.last_mut().unwrap() else {
        unreachable!()
    };
    *cost_usd = 0.0;
    events.drain(1..events.len() - 1);
    assert_eq!(of_one(events).total.cost_usd, None, "an agent that reports none is not free");
}

#[test]
fn checks_that_fail_most_come_first() {
    let (passed, failed) = (|| json!({"kind": "passed"}), || json!({"kind": "timed-out"}));
    let mut events = events();
    events.truncate(4);
    events.extend((0..5).map(|_| check("a", passed())));
    events.extend([check("z", failed()), check("z", passed()), check("z", passed())]);
    events.extend([check("m", failed()), check("m", failed()), check("z", failed())]);
    events.push(check("m", failed()));
    events.push(ended(1, "implement", "US-001", "checks-failed", 1.0));
    let all = of_one(events);
    let order = all.checks_by_failures().into_iter().map(|(name, _)| name.to_owned());
    assert_eq!(order.collect::<Vec<_>>(), ["m", "z", "a"]);
    let json = serde_json::to_value(&all).unwrap();
    assert_eq!(json["checks"][0], json!({"name": "m", "runs": 3, "failed": 3}));
}

#[test]
fn a_forged_log_does_not_break_the_sums() {
    let mut events = events();
    let honest = of_one(events.clone()).total;
    let forged = |usd: f64, seconds: f64| {
        let mut events = session(9, "implement", "US-001", (" ", ""));
        let mut session = agent_ended(crate::AgentOutcome::Answered, "", &[]);
        let mut end = ended(9, "implement", "US-001", "checks-failed", 0.0);
        if let (LoopEvent::AgentEnded(session), LoopEvent::IterationEnded(end)) =
            (&mut session, &mut end)
        {
            (session.cost_usd, end.seconds) = (Some(usd), seconds);
        }
        events.extend([session, end]);
        events
    };
    events.extend(forged(-5.0, -5.0));
    let less = of_one(events.clone()).total;
    assert_eq!((less.cost_usd, less.seconds), (honest.cost_usd, honest.seconds));
    events.extend([forged(f64::MAX, f64::MAX), forged(f64::MAX, f64::MAX)].concat());
    let all = of_one(events);
    assert_eq!((all.total.cost_usd, all.total.seconds), (Some(f64::MAX), f64::MAX));
    assert_eq!(all.agents["unknown"].iterations, 3);
    let absurd = json!({"iterations": u64::MAX, "costUsd": -1.0});
    let mut view = RunView::of(&timed(vec![begins(&["US-001"], absurd)]));
    let end = ended(9, "implement", "US-001", "checks-failed", 1.0);
    view.apply(&Stamped { at: DateTime::<Utc>::MAX_UTC, ..stamped(0, end) });
    for offset in [-86_399, 86_399] {
        let offset = FixedOffset::east_opt(offset).unwrap();
        Statistics::default().add(&view, &Period { since: None, offset });
    }
}
