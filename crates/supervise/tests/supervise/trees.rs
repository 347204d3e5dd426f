//! Descendants in any session.

use std::time::Duration;

use supervise::{
    EndReason, Exit, Leftover, Leftovers, Reaction, Stop, StopRequests, SuperviseError, orphans,
};

use crate::harness::{Done, SOON, is_there, run, run_seeing, shell, try_run};

/// One in its own session and one proper daemon. Each prints its pid.
const TWO_AWAY: &str = "setsid sh -c 'echo $$; exec sleep 300' & \
    (setsid sh -c 'sh -c \"echo \\$\\$; exec sleep 300\" & exit 0' &)";

fn stop_at_line(count: usize, level: Stop) -> (StopRequests, impl FnMut(&str) -> Reaction) {
    let stop = StopRequests::new();
    let raised = stop.clone();
    let mut lines = 0;
    let see = move |_: &str| {
        lines += 1;
        if lines == count {
            raised.raise(level);
        }
        Reaction::Nothing
    };
    (stop, see)
}

fn names(leftovers: &[Leftover]) -> Vec<&str> {
    leftovers.iter().map(|leftover| leftover.name.as_str()).collect()
}

fn assert_both_ended(done: &Done) {
    assert_eq!(done.stdout.len(), 2, "{done:?}");
    for pid in &done.stdout {
        assert!(!is_there(pid), "{pid} is still there");
        let pid: u32 = pid.parse().unwrap();
        assert!(done.ended.leftovers.ended.iter().any(|leftover| leftover.pid == pid), "{done:?}");
    }
    assert!(done.ended.elapsed < SOON);
}

#[test]
fn daemons_of_an_ended_child_are_ended_and_reported() {
    let script = "sh -c 'echo $$; exec sleep 300' & \
        (setsid sh -c 'echo $$; exec sleep 300' &) ; sleep 0.3; exit 6";
    let done = run(shell(script));
    assert_eq!((done.ended.how, done.ended.exit), (EndReason::ByItself, Some(Exit::Code(6))));
    assert_both_ended(&done);
    assert_eq!(names(&done.ended.leftovers.ended), ["sleep", "sleep"]);
}

#[test]
fn helpers_that_end_with_the_child_are_no_leftovers() {
    let done = run(shell("sleep 0.02 & exit 0"));
    assert_eq!(done.ended.leftovers, Leftovers::default());
}

#[test]
fn unresponsive_descendants_are_killed_with_the_child() {
    let (stop, see) = stop_at_line(2, Stop::Politely);
    let script = format!("trap '' INT TERM HUP; {TWO_AWAY}; while :; do sleep 0.05; done");
    let mut launch = shell(&script);
    launch.limits.grace = Duration::from_millis(100);
    let done = run_seeing(launch, &stop, see);
    assert_eq!((done.ended.how, done.ended.exit), (EndReason::Stopped, Some(Exit::Signal(9))));
    assert_both_ended(&done);
}

#[test]
fn a_kill_reaches_all_descendants() {
    let (stop, see) = stop_at_line(2, Stop::Now);
    let done = run_seeing(shell(&format!("{TWO_AWAY}; exec sleep 300")), &stop, see);
    assert_eq!((done.ended.how, done.ended.exit), (EndReason::Stopped, Some(Exit::Signal(9))));
    assert_both_ended(&done);
}

#[test]
fn unresponsive_leftovers_are_killed() {
    let done = run(shell(&format!("trap '' TERM; {TWO_AWAY}; sleep 0.3; exit 0")));
    assert_eq!((done.ended.how, done.ended.exit), (EndReason::ByItself, Some(Exit::Code(0))));
    assert_both_ended(&done);
}

/// The stop comes after the end of the child: its leftover was asked to end.
#[test]
fn a_child_that_ended_before_a_stop_ended_by_itself() {
    let (stop, see) = stop_at_line(2, Stop::Politely);
    let script = "sh -c 'trap \"echo asked\" TERM; echo ready; while :; do sleep 0.02; done' & \
        sleep 0.3; exit 0";
    let done = run_seeing(shell(script), &stop, see);
    assert_eq!(done.stdout, ["ready", "asked"]);
    assert_eq!((done.ended.how, done.ended.exit), (EndReason::ByItself, Some(Exit::Code(0))));
}

#[test]
fn a_signal_to_the_group_of_the_runner_or_the_keeper_does_not_reach_the_child() {
    let done =
        run(shell("for pid in $$ $PPID; do echo $pid; cut -d ' ' -f 5 /proc/$pid/stat; done"));
    assert_eq!(done.stdout[0], done.stdout[1]);
    assert_eq!(done.stdout[2], done.stdout[3]);
}

#[test]
fn a_panicking_runner_ends_its_child() {
    let mut pid = None;
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        run_seeing(shell("echo $$; exec sleep 300"), &StopRequests::new(), |line| {
            pid = Some(line.to_owned());
            std::panic::resume_unwind(Box::new("no message"));
        })
    }));
    assert!(panicked.is_err());
    assert!(!is_there(&pid.unwrap()));
}

/// In each chain, every process starts the next and exits; the last would run seconds later.
#[test]
fn a_tree_that_keeps_moving_is_caught() {
    let folder = assert_fs::TempDir::new().unwrap();
    let script = "trap '' TERM; hop() { echo $2 > $1; [ $2 = 9999 ] || hop $1 $(($2 + 1)) & }; \
        for line in a b c d; do hop $line 0; done";
    let mut launch = shell(script);
    launch.folder = folder.path().to_owned();
    let done = run(launch);
    assert_eq!(done.ended.how, EndReason::ByItself);
    let hops = || ["a", "b", "c", "d"].map(|line| std::fs::read(folder.path().join(line)).unwrap());
    let caught = hops();
    assert!(!caught.contains(&b"9999\n".to_vec()));
    // The next process would start within a millisecond.
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(hops(), caught);
}

#[test]
fn the_orphans_of_a_killed_keeper_are_found_by_their_mark() {
    let mark = format!("run {}", std::process::id());
    let script = format!(
        "echo $PPID; echo $$; trap '' TERM; {TWO_AWAY}; while :; do sleep 0.05; done 2>&- >&-"
    );
    let mut launch = shell(&script);
    launch.environment = vec![("SUPERVISE_TEST_MARK".into(), Some(mark.clone().into()))];
    launch.limits.drain = Duration::from_millis(100);
    let mut pids = Vec::new();
    let lost = try_run(launch, &StopRequests::new(), |line| {
        pids.push(line.to_owned());
        if pids.len() == 4 {
            let keeper = rustix::process::Pid::from_raw(pids[0].parse().unwrap()).unwrap();
            rustix::process::kill_process(keeper, rustix::process::Signal::KILL).unwrap();
        }
        Reaction::Nothing
    });
    assert!(matches!(lost, Err(SuperviseError::KeeperLost { .. })), "{lost:?}");

    assert_eq!(orphans::find("SUPERVISE_TEST_MARK", "run"), []);
    assert_eq!(orphans::find("TEST_MARK", &mark), []);
    let ended = orphans::end("SUPERVISE_TEST_MARK", &mark, Duration::from_millis(100));
    assert_eq!(ended.alive, []);
    for pid in &pids[1..] {
        assert!(
            ended.ended.iter().any(|orphan| orphan.pid.to_string() == *pid),
            "{pid}: {ended:?}"
        );
    }
    assert_eq!(orphans::find("SUPERVISE_TEST_MARK", &mark), []);
}

#[test]
fn a_process_is_no_orphan_of_its_own() {
    let path = std::env::var("PATH").unwrap();
    let found = orphans::find("PATH", &path);
    assert!(found.iter().all(|orphan| orphan.pid != std::process::id()), "{found:?}");
}
