//! TCP and Unix socket connections, and copying between two of them.

use std::io;
use std::net::Shutdown;
use std::thread;
use std::time::Duration;

use socket2::Socket;

/// The wait after a failed accept, until closed connections free file descriptors.
pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Disables Nagle's algorithm, because the sender has already chosen the size of each write. Unix sockets have none.
pub(crate) fn undelayed(stream: impl Into<Socket>) -> Socket {
    let stream = stream.into();
    let _ = stream.set_tcp_nodelay(true);
    stream
}

/// Copies until both directions end. The end of one direction is passed on and leaves the other open.
pub(crate) fn copy_both_ways(one: &Socket, other: &Socket) {
    thread::scope(|scope| {
        // Without a thread the streams are dropped, which closes both sides.
        if thread::Builder::new().spawn_scoped(scope, || copy(one, other)).is_ok() {
            copy(other, one);
        }
    });
}

/// A broken connection counts as ended.
fn copy(mut from: &Socket, mut to: &Socket) {
    let _ = io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
}
