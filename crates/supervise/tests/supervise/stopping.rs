//! Stop requests before and during a run.

use std::time::Duration;

use supervise::{EndReason, Exit, Reaction, Stop, StopRequests};

use crate::harness::{LONG, SOON, run_seeing, shell};

const IGNORES_SIGNALS: &str = "trap '' INT TERM; echo ready; while :; do sleep 0.05; echo on; done";

fn raising(
    stop: &StopRequests,
    at: &'static str,
    level: Stop,
) -> impl FnMut(&str) -> Reaction + use<> {
    let stop = stop.clone();
    move |line| {
        if line == at {
            stop.raise(level);
        }
        Reaction::Nothing
    }
}

#[test]
fn nothing_is_started_after_a_stop() {
    for level in [Stop::Politely, Stop::Now] {
        let stop = StopRequests::new();
        stop.raise(level);
        let done = run_seeing(shell("echo started"), &stop, |_| Reaction::Nothing);
        assert_eq!(done.ended.how, EndReason::Stopped);
        assert_eq!(done.ended.exit, None);
        assert!(done.stdout.is_empty());
    }
}

#[test]
fn a_polite_stop_is_immediate_and_the_last_output_arrives() {
    let stop = StopRequests::new();
    let script = "trap 'echo bye; exit 5' TERM; echo ready; sleep 300 & wait";
    let done = run_seeing(shell(script), &stop, raising(&stop, "ready", Stop::Politely));
    assert_eq!(done.ended.how, EndReason::Stopped);
    assert_eq!(done.ended.exit, Some(Exit::Code(5)));
    assert_eq!(done.stdout, ["ready", "bye"]);
    assert!(done.ended.elapsed < SOON);
}

#[test]
fn a_stop_from_another_thread_wakes_a_silent_run() {
    let stop = StopRequests::new();
    let (ready, is_ready) = std::sync::mpsc::channel();
    let other = stop.clone();
    let raiser = std::thread::spawn(move || {
        is_ready.recv().unwrap();
        other.raise(Stop::Now);
    });
    let done = run_seeing(shell("echo ready; exec sleep 300"), &stop, |_| {
        ready.send(()).unwrap();
        Reaction::Nothing
    });
    raiser.join().unwrap();
    assert_eq!(done.ended.how, EndReason::Stopped);
    assert_eq!(done.ended.exit, Some(Exit::Signal(9)));
    assert_eq!(done.ended.leftovers.ended, [], "the child is no leftover of itself");
    assert!(done.ended.elapsed < SOON);
}

/// The keeper does not handle signals immediately after its start.
#[test]
fn a_stop_at_any_moment_of_the_start_is_a_stop() {
    for level in [Stop::Politely, Stop::Now] {
        for moment in 0..15 {
            let stop = StopRequests::new();
            let other = stop.clone();
            let raiser = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_micros(200 * moment));
                other.raise(level);
            });
            let done = run_seeing(shell("exec sleep 300"), &stop, |_| Reaction::Nothing);
            raiser.join().unwrap();
            assert_eq!(done.ended.how, EndReason::Stopped);
            assert!(done.ended.elapsed < SOON);
        }
    }
}

#[test]
fn a_second_stop_does_not_wait_for_the_grace() {
    let stop = StopRequests::new();
    let mut polite = raising(&stop, "ready", Stop::Politely);
    let mut now = raising(&stop, "on", Stop::Now);
    let done = run_seeing(shell(IGNORES_SIGNALS), &stop, |line| {
        polite(line);
        now(line)
    });
    assert_eq!(done.ended.how, EndReason::Stopped);
    assert_eq!(done.ended.exit, Some(Exit::Signal(9)));
    assert!(done.ended.elapsed < SOON, "{:?}", done.ended);
}

#[test]
fn a_child_may_finish_its_answer() {
    let stop = StopRequests::new();
    let level = Stop::AfterAnswer { grace: LONG };
    let script = "echo ready; sleep 0.3; echo answer";
    let done = run_seeing(shell(script), &stop, raising(&stop, "ready", level));
    assert_eq!(done.ended.how, EndReason::ByItself);
    assert_eq!(done.stdout, ["ready", "answer"]);
}

#[test]
fn a_child_that_does_not_finish_its_answer_is_stopped() {
    let stop = StopRequests::new();
    let grace = Duration::from_millis(200);
    // A stop raised before the start applies to this child, too.
    stop.raise(Stop::AfterAnswer { grace });
    let done = run_seeing(shell("exec sleep 300"), &stop, |_| Reaction::Nothing);
    assert_eq!(done.ended.how, EndReason::Stopped);
    assert!(done.ended.elapsed >= grace && done.ended.elapsed < SOON);
}
