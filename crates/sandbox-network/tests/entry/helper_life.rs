//! How long a helper lives, and which files it keeps open.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process_group};
use sandbox_network::entry::Entry;
use tempfile::TempDir;

use crate::harness::{Running, bridged, connect, soon};

/// A socket that never accepts: its connections stay open as long as the helper lives.
fn silent_proxy(folder: &Path) -> (UnixListener, Entry, u16) {
    let socket = folder.join("s");
    let listener = UnixListener::bind(&socket).unwrap();
    let (entry, port) = bridged(socket, &[]);
    (listener, entry, port)
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_helper_does_not_hold_the_streams_of_the_command_open() {
    let folder = folder();
    let (_listener, entry, port) = silent_proxy(folder.path());
    // It stops itself, because it has no input to wait for.
    let script = "echo last; exec <&- 2>&- >&-; kill -STOP $$";
    let mut running = Running::start(&entry, script);
    let mut stderr = running.child.stderr.take().unwrap();
    assert_eq!(running.rest_of_stdout(), "last\n");
    let written = running.child.stdin.take().unwrap().write(b"x");
    assert_eq!(written.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    assert_eq!(soon(move || stderr.read_to_end(&mut Vec::new()).unwrap()), 0);
    // Both the command and the helper still run.
    assert!(running.child.try_wait().unwrap().is_none());
    connect(port);
}

#[test]
fn a_helper_outlives_signals_to_the_group_of_the_command() {
    let folder = folder();
    let (listener, entry, port) = silent_proxy(folder.path());
    let mut running = Running::start(&entry, "trap '' INT TERM HUP; echo trapped");
    let group = Pid::from_child(&running.child);
    assert_eq!(running.line(), "trapped\n");
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        kill_process_group(group, signal).unwrap();
    }
    let _client = connect(port);
    soon(move || listener.accept().unwrap());
}

#[test]
fn a_helper_ends_when_the_command_ends() {
    for kill in [false, true] {
        let folder = folder();
        let (listener, entry, port) = silent_proxy(folder.path());
        let mut running = Running::start(&entry, "true");
        let mut client = connect(port);
        let (mut bridged, _) = soon(move || listener.accept().unwrap());
        if kill {
            running.child.kill().unwrap();
        } else {
            drop(running.child.stdin.take());
        }
        let (inside, outside) = (client.read(&mut [0]), soon(move || bridged.read(&mut [0])));
        assert!(is_end(&inside) && is_end(&outside), "{inside:?}, {outside:?}");
    }
}

fn is_end(read: &io::Result<usize>) -> bool {
    match read {
        Ok(bytes) => *bytes == 0,
        Err(error) => error.kind() == io::ErrorKind::ConnectionReset,
    }
}
