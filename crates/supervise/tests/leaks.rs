//! Runs leave no resources open. A separate process, so that other tests do not interfere.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use std::time::{Duration, Instant};

use supervise::{
    Keeper, Launch, Limits, Orphans, PoliteSignal, Reaction, Recipient, SoftLimits, Stdout,
    StopRequests,
};

fn run() {
    let minute = Duration::from_secs(60);
    let launch = Launch {
        keeper: Keeper::at(env!("CARGO_BIN_EXE_supervise-test-runner")),
        program: "/bin/sh".into(),
        args: ["-c", "echo hi; (setsid sleep 300 &)"].map(Into::into).into(),
        environment: Vec::new(),
        folder: "/".into(),
        // More than a pipe buffers, without a reader.
        input: vec![b'x'; 1_000_000],
        limits: Limits {
            total: Some(minute),
            idle: None,
            grace: minute,
            linger: minute,
            drain: Duration::from_secs(5),
            longest_line: 1000,
            soft: SoftLimits::default(),
        },
        polite: PoliteSignal::Terminate,
        recipient: Recipient::Child,
        stdout: Stdout::Pipe,
        orphans: Orphans::End,
    };
    let ended = supervise::run(launch, &StopRequests::new(), &mut |_| Reaction::Nothing).unwrap();
    assert!(ended.exit == Some(supervise::Exit::Code(0)));
    assert_eq!(ended.leftovers.ended.len(), 1, "{ended:?}");
}

fn count(folder: &str) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

#[test]
fn runs_leave_no_open_files_threads_or_zombies() {
    let open = || (count("/proc/self/fd"), count("/proc/self/task"));
    let before = open();
    run();
    run();
    // The thread that writes the input ends shortly after the pipe.
    let ended = Instant::now();
    while open() != before {
        assert!(ended.elapsed() < Duration::from_secs(20), "{before:?} became {:?}", open());
        std::thread::sleep(Duration::from_millis(1));
    }
    let own = rustix::process::wait(rustix::process::WaitOptions::NOHANG);
    assert_eq!(own.unwrap_err(), rustix::io::Errno::CHILD);
}
