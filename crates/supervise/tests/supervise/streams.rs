//! Input and output of a child.

use std::fs::OpenOptions;
use std::io::Write;
use std::time::Duration;

use supervise::{ChildEvent, EndReason, Limits, Reaction, Source, Stdout, StopRequests};

use crate::harness::{LONG, SOON, run, run_seeing, shell};

#[test]
fn large_input_and_output_do_not_lock_up() {
    let line = "x".repeat(99);
    let mut launch = shell("cat; echo done >&2; exit 3");
    launch.input = format!("{line}\n").repeat(80_000).into_bytes();
    let done = run(launch);
    assert_eq!(done.ended.how, EndReason::ByItself);
    assert_eq!(done.stdout.len(), 80_000);
    assert!(done.stdout.iter().all(|printed| *printed == line));
    assert_eq!(done.stderr, ["done"]);
}

#[test]
fn unread_input_does_not_block() {
    let mut launch = shell("echo hi");
    launch.input = vec![b'x'; 10_000_000];
    let done = run(launch);
    assert_eq!(done.stdout, ["hi"]);
    assert_eq!(done.ended.how, EndReason::ByItself);
    assert!(done.ended.elapsed < SOON);
}

#[test]
fn empty_input_is_closed_at_once() {
    let done = run(shell("cat; echo end"));
    assert_eq!(done.stdout, ["end"]);
}

#[test]
fn lines_come_as_bytes_and_too_long_ones_cut() {
    let script =
        "printf 'a\\377\\000b\\r\\n'; head -c 300000 /dev/zero | tr '\\000' x; echo; printf end";
    let mut launch = shell(script);
    launch.limits.longest_line = 1000;
    let mut lines = Vec::new();
    let ended = supervise::run(launch, &StopRequests::new(), &mut |sign| {
        let ChildEvent::Line(line) = sign else { return Reaction::Nothing };
        assert_eq!(line.source, Source::Stdout);
        lines.push((line.bytes.to_vec(), line.cut));
        Reaction::Nothing
    })
    .unwrap();
    assert_eq!(ended.how, EndReason::ByItself);
    let expected = [(b"a\xff\0b\r".to_vec(), 0), (vec![b'x'; 1000], 299_000), (b"end".to_vec(), 0)];
    assert_eq!(lines, expected);
}

#[test]
fn a_last_line_without_newline_counts_when_the_stream_closes() {
    let mut launch = shell("printf result; exec >&-; sleep 300");
    launch.limits = Limits { linger: Duration::from_millis(100), ..launch.limits };
    let done = run_seeing(launch, &StopRequests::new(), |_| Reaction::Result);
    assert_eq!(done.stdout, ["result"]);
    assert_eq!(done.ended.how, EndReason::Lingered);
}

/// Another process of the same user tries to write a line into the child's output.
#[cfg(target_os = "linux")]
fn with_forged_line(stdout: Stdout) -> (std::io::Result<()>, Vec<String>) {
    let mut launch = shell("echo $$; until [ -e go ]; do sleep 0.01; done; echo own");
    launch.stdout = stdout;
    let gate = assert_fs::TempDir::new().unwrap();
    launch.folder = gate.path().to_owned();
    let mut forged = None;
    let done = run_seeing(launch, &StopRequests::new(), |line| {
        if forged.is_none() {
            let output = OpenOptions::new().write(true).open(format!("/proc/{line}/fd/1"));
            forged = Some(output.and_then(|mut output| output.write_all(b"forged\n")));
            std::fs::write(gate.path().join("go"), "").unwrap();
        }
        Reaction::Nothing
    });
    (forged.unwrap(), done.stdout[1..].to_vec())
}

#[test]
#[cfg(target_os = "linux")]
fn only_the_child_writes_into_a_socket() {
    let (forged, lines) = with_forged_line(Stdout::Pipe);
    forged.unwrap();
    assert_eq!(lines, ["forged", "own"], "into a pipe any process can");
    let (forged, lines) = with_forged_line(Stdout::Socket);
    assert_eq!(forged.unwrap_err().raw_os_error(), Some(rustix::io::Errno::NXIO.raw_os_error()));
    assert_eq!(lines, ["own"]);
}

#[test]
fn a_socket_carries_much_and_ends_with_the_child() {
    let mut launch = shell("cat; printf end");
    launch.stdout = Stdout::Socket;
    launch.input = format!("{}\n", "x".repeat(99)).repeat(80_000).into_bytes();
    let done = run(launch);
    assert_eq!(done.ended.how, EndReason::ByItself);
    assert_eq!(done.stdout.len(), 80_001);
    assert_eq!(done.stdout.last().unwrap(), "end");
    assert!(done.ended.elapsed < SOON);
}

/// Not a process of the tree, which would be ended: this process opens the pipe a second time.
#[test]
#[cfg(target_os = "linux")]
fn a_pipe_held_by_another_process_is_abandoned_after_the_drain() {
    let mut launch = shell("echo $$; until [ -e go ]; do sleep 0.01; done; printf last");
    launch.limits.drain = Duration::from_millis(300);
    let gate = assert_fs::TempDir::new().unwrap();
    launch.folder = gate.path().to_owned();
    let mut held = Vec::new();
    let done = run_seeing(launch, &StopRequests::new(), |line| {
        if held.is_empty() {
            let pipe = format!("/proc/{line}/fd/1");
            held.push(OpenOptions::new().write(true).open(pipe).unwrap());
            std::fs::write(gate.path().join("go"), "").unwrap();
        }
        Reaction::Nothing
    });
    assert_eq!(done.ended.how, EndReason::ByItself);
    assert_eq!(done.stdout.last().unwrap(), "last");
    assert!(done.ended.elapsed < LONG / 2);
    assert_eq!(held.len(), 1);
}
