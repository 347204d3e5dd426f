//! The timetable with artificial instants.

use super::*;
use crate::SoftLimits;

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

const LIMITS: Limits = Limits {
    total: Some(seconds(100)),
    idle: Some(seconds(10)),
    grace: seconds(5),
    linger: seconds(3),
    drain: seconds(2),
    longest_line: 80,
    soft: SoftLimits { own: None, shared: None },
};

fn started(limits: Limits) -> (Timetable, Instant) {
    let start = Instant::now();
    (Timetable::new(limits, start), start)
}

#[test]
fn silence_is_limited_and_output_breaks_it() {
    let (mut timetable, start) = started(LIMITS);
    assert_eq!(timetable.due(start + seconds(9)), None);
    timetable.printed(start + seconds(9));
    assert_eq!(timetable.deadline(), Some(start + seconds(19)));
    assert_eq!(timetable.due(start + seconds(19)), Some(Step::AskToEnd));
    assert_eq!(timetable.reason(), Some(EndReason::IdleLimit));
}

#[test]
fn output_does_not_move_the_total_limit() {
    let (mut timetable, start) = started(LIMITS);
    timetable.printed(start + seconds(99));
    assert_eq!(timetable.due(start + seconds(99)), None);
    assert_eq!(timetable.due(start + seconds(100)), Some(Step::AskToEnd));
    assert_eq!(timetable.reason(), Some(EndReason::TotalLimit));
}

#[test]
fn after_the_answer_only_lingering_counts_until_there_is_more_to_come() {
    let (mut timetable, start) = started(Limits { linger: seconds(30), ..LIMITS });
    timetable.apply(Reaction::Result);
    timetable.apply(Reaction::Nothing);
    assert_eq!(timetable.deadline(), Some(start + seconds(30)));
    timetable.printed(start + seconds(1));
    assert_eq!(timetable.deadline(), Some(start + seconds(31)));
    timetable.apply(Reaction::MoreToCome);
    assert_eq!(timetable.deadline(), Some(start + seconds(11)));
    timetable.apply(Reaction::Result);
    assert_eq!(timetable.due(start + seconds(31)), Some(Step::AskToEnd));
    assert_eq!(timetable.reason(), Some(EndReason::Lingered));
}

#[test]
fn a_child_that_may_finish_has_its_time_from_the_first_request() {
    let (mut timetable, start) = started(LIMITS);
    timetable.let_finish(seconds(4), start + seconds(1));
    timetable.let_finish(seconds(4), start + seconds(3));
    assert_eq!(timetable.due(start + seconds(5)), Some(Step::AskToEnd));
    assert_eq!(timetable.reason(), Some(EndReason::Stopped));
}

#[test]
fn the_first_reason_counts_and_is_asked_for_once() {
    let (mut timetable, start) = started(LIMITS);
    assert_eq!(timetable.end(EndReason::Stopped, start), Some(Step::AskToEnd));
    assert_eq!(timetable.end(EndReason::TotalLimit, start), None);
    assert_eq!(timetable.due(start + seconds(19)), None);
    assert_eq!(timetable.due(start + seconds(20)), Some(Step::GiveUpKeeper));
    assert_eq!(timetable.deadline(), None);
    assert_eq!(timetable.reason(), Some(EndReason::Stopped));
}

#[test]
fn a_kill_comes_at_any_time_but_too_late() {
    let (mut timetable, start) = started(LIMITS);
    assert_eq!(timetable.kill(start), Some(Step::Kill));
    assert_eq!(timetable.reason(), Some(EndReason::Stopped));
    assert_eq!(timetable.kill(start), Some(Step::Kill));
    timetable.gone(start);
    assert_eq!(timetable.kill(start), None);
}

#[test]
fn pipes_are_abandoned_after_the_drain_limit() {
    let (mut timetable, start) = started(LIMITS);
    timetable.gone(start + seconds(50));
    assert_eq!(timetable.due(start + seconds(51)), None);
    assert_eq!(timetable.due(start + seconds(52)), Some(Step::Leave));
    assert_eq!(timetable.reason(), None);
}

#[test]
fn limits_beyond_the_end_of_time_are_no_limits() {
    let forever = Limits {
        total: Some(Duration::MAX),
        idle: None,
        grace: Duration::MAX,
        linger: Duration::MAX,
        drain: Duration::MAX,
        longest_line: 80,
        soft: SoftLimits { own: Some(Duration::MAX), shared: Some(Duration::MAX) },
    };
    let (mut timetable, start) = started(forever);
    timetable.apply(Reaction::Result);
    timetable.let_finish(Duration::MAX, start);
    assert_eq!(timetable.deadline(), None);
    assert_eq!(timetable.end(EndReason::Stopped, start), Some(Step::AskToEnd));
    assert_eq!(timetable.deadline(), None);
    timetable.gone(start);
    assert_eq!(timetable.deadline(), None);
}

fn soft(own: Option<u64>, shared: Option<u64>) -> Limits {
    let soft = SoftLimits { own: own.map(seconds), shared: shared.map(seconds) };
    Limits { idle: None, soft, ..LIMITS }
}

#[test]
fn a_soft_limit_is_reported_once_and_ends_nothing() {
    let (mut timetable, start) = started(soft(Some(60), None));
    assert_eq!(timetable.deadline(), Some(start + seconds(60)), "in silence too");
    assert_eq!(timetable.due(start + seconds(59)), None);
    assert_eq!(timetable.due(start + seconds(60)), Some(Step::Report(SoftLimit::Own)));
    assert_eq!(timetable.due(start + seconds(99)), None);
    assert_eq!((timetable.reason(), timetable.is_gone()), (None, false));
    assert_eq!(timetable.deadline(), Some(start + seconds(100)), "the hard limit is as it was");
    assert_eq!(timetable.due(start + seconds(100)), Some(Step::AskToEnd));
    assert_eq!(timetable.reason(), Some(EndReason::TotalLimit));
}

#[test]
fn each_soft_limit_is_reported_at_its_own_time() {
    let (mut timetable, start) = started(soft(Some(60), Some(20)));
    assert_eq!(timetable.due(start + seconds(20)), Some(Step::Report(SoftLimit::Shared)));
    assert_eq!(timetable.deadline(), Some(start + seconds(60)));
    assert_eq!(timetable.due(start + seconds(20)), None);
    assert_eq!(timetable.due(start + seconds(60)), Some(Step::Report(SoftLimit::Own)));
}

#[test]
fn simultaneous_limits_are_reported_in_turn_before_the_end() {
    let (mut timetable, start) = started(soft(Some(60), Some(60)));
    let late = start + seconds(200);
    assert_eq!(timetable.due(late), Some(Step::Report(SoftLimit::Own)));
    assert_eq!(timetable.due(late), Some(Step::Report(SoftLimit::Shared)));
    assert_eq!(timetable.due(late), Some(Step::AskToEnd));
}

#[test]
fn output_does_not_move_a_soft_limit() {
    let (mut timetable, start) = started(soft(Some(60), None));
    timetable.printed(start + seconds(59));
    assert_eq!(timetable.due(start + seconds(60)), Some(Step::Report(SoftLimit::Own)));
}

#[test]
fn a_soft_limit_at_or_beyond_a_hard_one_is_never_reported() {
    for at in [100, 101] {
        let (mut timetable, start) = started(soft(Some(at), Some(at)));
        assert_eq!(timetable.deadline(), Some(start + seconds(100)));
        assert_eq!(timetable.due(start + seconds(150)), Some(Step::AskToEnd), "{at}");
        assert_eq!(timetable.due(start + seconds(110)), None, "{at}: it is being ended");
    }
}

#[test]
fn any_hard_limit_counts_before_a_soft_one() {
    let limits = Limits { idle: Some(seconds(10)), ..soft(Some(60), None) };
    let (mut timetable, start) = started(limits);
    assert_eq!(timetable.due(start + seconds(70)), Some(Step::AskToEnd));
    assert_eq!(timetable.reason(), Some(EndReason::IdleLimit));
}

#[test]
fn an_ended_child_gets_no_reports() {
    let (mut timetable, start) = started(soft(Some(60), None));
    timetable.end(EndReason::Stopped, start + seconds(50));
    assert_eq!(timetable.due(start + seconds(60)), None);
    timetable.gone(start + seconds(61));
    assert_eq!(timetable.due(start + seconds(62)), None);
    let (mut timetable, start) = started(soft(Some(60), None));
    timetable.gone(start + seconds(59));
    assert_eq!(timetable.due(start + seconds(60)), None);
    assert_eq!(timetable.due(start + seconds(61)), Some(Step::Leave));
}
