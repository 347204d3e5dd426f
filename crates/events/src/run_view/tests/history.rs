//! The history of a run, iteration by iteration.

use super::*;

#[test]
fn every_iteration_has_a_record_with_its_end() {
    let view = folded(&a_long_run(40));
    assert_eq!(view.records.len(), 40);
    let ended: Vec<u64> =
        view.records.iter().filter(|record| record.is_over()).map(|r| r.number).collect();
    assert_eq!(ended, (1..40).collect::<Vec<_>>());
    assert_eq!(view.iteration().unwrap().number, 40);

    let seventh = &view.records[6];
    let end = seventh.end.as_ref().unwrap();
    assert_eq!(end.status, IterationStatus::ChecksFailed);
    assert_eq!(end.commit.as_deref(), Some(format!("{:040x}", 7).as_str()));
    assert_eq!(seventh.checks[0].tail.len(), 5);
    assert!(seventh.moves.is_empty());

    let second = &view.records[1];
    assert_eq!(second.verdict, Some(Verdict::Approved));
    assert_eq!(second.moves[0].to, ReviewStatus::Approved);
    assert_eq!((second.context_peak, second.calls.made), (Some(20_014), 1));
    assert_eq!(second.cost(), Some(0.25));
}

#[test]
fn an_iteration_that_was_cut_off_does_not_run() {
    let mut events = a_long_run(3);
    let again = events[0].clone();
    events.push(again);
    let view = folded(&events);
    assert_eq!(view.starts, 2);
    assert!(view.records[2].end.is_none());
    assert!(view.iteration().is_none());
}

#[test]
fn an_interrupted_iteration_ends_with_its_last_event() {
    let mut events = a_long_run(3);
    let mut again = events[0].clone();
    let last_seen = events.last().unwrap().at;
    again.at = last_seen + chrono::TimeDelta::hours(24);
    let mut ended = iteration_ended(3, tasks::Mode::Implement, IterationStatus::Accepted);
    if let LoopEvent::IterationEnded(crate::IterationEnded { seconds, .. }) = &mut ended {
        *seconds = 0.0;
    }
    events.extend([again.clone(), Stamped { event: ended, ..again.clone() }, again]);
    let cut_off = &folded(&events).records[2];
    assert_eq!((cut_off.ended_at(), cut_off.seconds()), (Some(last_seen), Some(20.0)));
    assert!(cut_off.is_over());
    let others = &folded(&events).records[..2];
    assert!(others.iter().all(|record| record.cut_off_at.is_none()));
}

#[test]
fn a_story_has_its_totals() {
    let view = folded(&a_long_run(40));
    let totals = view.totals()[&id("US-0002")];
    assert_eq!((totals.iterations, totals.cost_usd), (2, 0.5));
    assert_eq!((totals.tokens.output, totals.seconds), (8_000, 60.0 + 5.0 + 60.0 + 6.0));
    assert_eq!(view.tokens.output, 39 * 4_000);
    assert!(!view.totals().contains_key(&id("US-9999")));
}

#[test]
fn sessions_besides_iterations_are_kept_with_their_cost() {
    let view = folded(&a_run_with_memory());
    let kinds: Vec<&OtherKind> = view.others.iter().map(|other| &other.kind).collect();
    assert!(kinds.contains(&&OtherKind::Compaction), "{kinds:?}");
    let quality = folded(&a_run_with_failures());
    let quality = quality.others.iter().find(|other| matches!(other.kind, OtherKind::Quality(_)));
    let quality = quality.unwrap();
    assert!(quality.total_cost_usd > quality.cost_usd && quality.cost_usd > 0.0, "{quality:?}");
}

#[test]
fn events_after_the_end_of_an_iteration_belong_to_it() {
    let view = folded(&a_run_with_failures());
    let failed: Vec<_> =
        view.records.iter().filter_map(|record| record.failed_attempt.as_ref()).collect();
    assert!(!failed.is_empty());
    let rolled_back = folded(&a_run_with_memory());
    assert!(rolled_back.records.iter().any(|record| record.rolled_back.is_some()));
}

#[test]
fn the_last_reported_quota_counts() {
    let quota = folded(&a_run()).quota.unwrap();
    assert!(matches!(quota.state, QuotaState::Warning | QuotaState::Rejected), "{quota:?}");
}

#[test]
fn a_void_verdict_is_in_the_record_of_its_review_and_among_the_alarms() {
    let ended = iteration_ended(3, Mode::Review, IterationStatus::Void);
    let events = [iteration_started(3, 1, Mode::Review), verdict_void(), ended];
    let events: Vec<Stamped> = events.into_iter().map(|event| stamped(1, event)).collect();
    let view = folded(&events);
    let why = "the task list says approved, the final message gives no verdict";
    let record = &view.records[0];
    assert_eq!((record.void_verdict.as_deref(), record.verdict), (Some(why), None));
    let (role, text) = view.alarms.last().unwrap();
    assert_eq!(*role, Role::Alarm);
    assert!(text.starts_with(&format!("verdict of US-002 is void: {why}; ")), "{text}");
    assert!(text.ends_with(" (2 of 3 in a row)"), "{text}");
    assert_eq!((view.failed, view.warnings, view.iterations), (1, 1, 1));
    assert!(view.stories.iter().all(|story| story.failed_attempts == 0));
}
