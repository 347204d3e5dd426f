//! Time limits.

use std::time::Duration;

use supervise::{
    ChildEvent, EndReason, Exit, PoliteSignal, Reaction, SoftLimit, SoftLimits, StopRequests,
};

use crate::harness::{SOON, run, run_seeing, shell};

const SHORT: Duration = Duration::from_millis(300);

fn see_result(line: &str) -> Reaction {
    match line {
        "result" => Reaction::Result,
        "more" => Reaction::MoreToCome,
        _ => Reaction::Nothing,
    }
}

/// It waits silently for the last soft limit, and only that ends it.
#[test]
fn soft_limits_are_reported_once_each_while_the_child_continues() {
    let gate = assert_fs::TempDir::new().unwrap();
    let mut launch = shell("until [ -e go ]; do sleep 0.01; done; exit 7");
    launch.folder = gate.path().to_owned();
    launch.limits.soft = SoftLimits { own: Some(SHORT * 2), shared: Some(SHORT) };
    let mut reported = Vec::new();
    let ended = supervise::run(launch, &StopRequests::new(), &mut |sign| {
        if sign != ChildEvent::Tick {
            reported.push(format!("{sign:?}"));
        }
        if sign == ChildEvent::SoftLimit(SoftLimit::Own) {
            std::fs::write(gate.path().join("go"), "").unwrap();
        }
        Reaction::Nothing
    })
    .unwrap();
    assert_eq!(reported, ["SoftLimit(Shared)", "SoftLimit(Own)"]);
    assert_eq!((ended.how, ended.exit), (EndReason::ByItself, Some(Exit::Code(7))));
    assert!(ended.elapsed >= SHORT * 2 && ended.elapsed < SOON, "{ended:?}");
}

#[test]
fn a_child_whose_reader_has_enough_is_ended_at_the_next_tick() {
    let mut ticks = 0;
    let ended = supervise::run(shell("sleep 300"), &StopRequests::new(), &mut |sign| {
        ticks += u32::from(sign == ChildEvent::Tick);
        if ticks == 2 { Reaction::Enough } else { Reaction::Nothing }
    })
    .unwrap();
    assert_eq!((ended.how, ended.exit), (EndReason::Stopped, Some(Exit::Signal(15))));
    assert!(ended.elapsed >= supervise::TICK * 2 && ended.elapsed < SOON, "{ended:?}");
}

#[test]
fn the_total_limit_ends_a_child_that_keeps_printing() {
    let mut launch = shell("while :; do echo tick; sleep 0.05; done");
    launch.limits.total = Some(SHORT);
    let done = run(launch);
    assert_eq!(done.ended.how, EndReason::TotalLimit);
    assert_eq!(done.ended.exit, Some(Exit::Signal(15)));
    assert!(done.ended.elapsed >= SHORT && done.ended.elapsed < SOON);
}

/// It prints for longer than the idle limit.
#[test]
fn the_idle_limit_counts_from_the_last_output() {
    let mut launch =
        shell("for i in 1 2 3 4 5 6; do echo $i >&2; sleep 0.4; done; echo quiet; sleep 300");
    launch.limits.idle = Some(Duration::from_secs(2));
    let done = run(launch);
    assert_eq!(done.ended.how, EndReason::IdleLimit);
    assert_eq!(done.stdout, ["quiet"]);
    assert!(done.ended.elapsed < SOON);
}

#[test]
fn a_child_that_lingers_after_its_answer_is_ended() {
    let mut launch = shell("echo working; echo result; exec sleep 300");
    launch.limits.linger = SHORT;
    launch.polite = PoliteSignal::Interrupt;
    let done = run_seeing(launch, &StopRequests::new(), see_result);
    assert_eq!(done.ended.how, EndReason::Lingered);
    assert_eq!(done.ended.exit, Some(Exit::Signal(2)));
    assert!(done.ended.elapsed < SOON);
}

#[test]
fn more_to_come_takes_the_answer_back() {
    let mut launch = shell("echo result; echo more; sleep 1; echo result; exit 4");
    launch.limits.linger = SHORT;
    let done = run_seeing(launch, &StopRequests::new(), see_result);
    assert_eq!(done.ended.how, EndReason::ByItself);
    assert_eq!(done.ended.exit, Some(Exit::Code(4)));
    assert_eq!(done.stdout, ["result", "more", "result"]);
}

#[test]
fn a_polite_signal_lets_the_child_clean_up() {
    for (polite, name) in [(PoliteSignal::Interrupt, "INT"), (PoliteSignal::Terminate, "TERM")] {
        let mut launch =
            shell(&format!("trap 'echo bye; exit 5' {name}; echo result; sleep 300 & wait"));
        launch.limits.linger = Duration::ZERO;
        launch.polite = polite;
        let done = run_seeing(launch, &StopRequests::new(), see_result);
        assert_eq!(done.ended.how, EndReason::Lingered);
        assert_eq!(done.ended.exit, Some(Exit::Code(5)), "{name}");
        assert_eq!(done.stdout, ["result", "bye"], "{name}");
        assert!(done.ended.elapsed < SOON);
    }
}

#[test]
fn a_child_that_ignores_signals_is_killed_after_the_grace() {
    let mut launch = shell("trap '' INT TERM; echo result; while :; do sleep 0.05; done");
    launch.limits.linger = Duration::ZERO;
    launch.limits.grace = SHORT;
    let done = run_seeing(launch, &StopRequests::new(), see_result);
    assert_eq!(done.ended.how, EndReason::Lingered);
    assert_eq!(done.ended.exit, Some(Exit::Signal(9)));
    assert!(done.ended.elapsed >= SHORT && done.ended.elapsed < SOON);
}
