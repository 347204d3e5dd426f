//! The helper of an entry: copies between the sandbox's loopback and the proxy's socket.

use std::ffi::OsString;
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use rustix::stdio::dup2_stdout;
use socket2::Socket;

use crate::head::{self, HeadLimits};
use crate::stream::{ACCEPT_PAUSE, copy_both_ways, undelayed};

use super::{Bridge, arguments};

pub(super) const ARGUMENT: &str = "__bridge-sandbox";

/// Printed when the helper listens. Any other output is an error message.
pub(super) const READY: &str = "ready";

#[derive(Debug, Clone, Copy)]
enum Destination {
    Proxy,
    HostPort(u16),
}

/// Returns only after an error.
pub(super) fn serve(mut args: impl Iterator<Item = OsString>) -> i32 {
    const USAGE: i32 = 64;
    let entry = args.next().and_then(|pid| pid.to_str()?.parse().ok());
    let (Some(entry), Some(bridge)) = (entry, arguments::bridge(&mut args)) else { return USAGE };
    match listen(entry, &bridge) {
        Ok(listeners) => forward_all(listeners, bridge.socket),
        Err(error) => {
            let _ = write!(io::stdout(), "{error}");
        }
    }
    1
}

/// Listens on all ports, or fails. The helper ends with the entry's process: without a PID namespace nothing
/// else would end it.
fn listen(entry: i32, bridge: &Bridge) -> io::Result<Vec<(TcpListener, Destination)>> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if Pid::as_raw(getppid()) != entry {
        return Err(io::Error::other("the entry process has ended"));
    }
    let ports = bridge.host_ports.iter().map(|port| (*port, Destination::HostPort(*port)));
    std::iter::once((bridge.proxy_port, Destination::Proxy))
        .chain(ports)
        .map(|(port, to)| match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(listener) => Ok((listener, to)),
            Err(error) => Err(io::Error::other(format!("port {port}: {error}"))),
        })
        .collect()
}

fn forward_all(listeners: Vec<(TcpListener, Destination)>, socket: PathBuf) {
    let socket: Arc<Path> = socket.into();
    let mut threads = Vec::new();
    for (listener, to) in listeners {
        let socket = Arc::clone(&socket);
        match thread::Builder::new().spawn(move || accept(&listener, to, &socket)) {
            Ok(thread) => threads.push(thread),
            Err(_) => return,
        }
    }
    if report_ready().is_ok() {
        for thread in threads {
            let _ = thread.join();
        }
    }
}

/// Also closes the pipe, because the entry waits for its end.
fn report_ready() -> io::Result<()> {
    let mut stdout = io::stdout();
    stdout.write_all(READY.as_bytes())?;
    stdout.flush()?;
    // Standard error is /dev/null.
    dup2_stdout(io::stderr())?;
    Ok(())
}

fn accept(listener: &TcpListener, to: Destination, socket: &Arc<Path>) {
    loop {
        match listener.accept() {
            Ok((client, _)) => {
                let socket = Arc::clone(socket);
                // A client without a thread sees its connection closed.
                let _ = thread::Builder::new().spawn(move || forward(client, to, &socket));
            }
            Err(_) => thread::sleep(ACCEPT_PAUSE),
        }
    }
}

fn forward(client: TcpStream, to: Destination, socket: &Path) -> Option<()> {
    let client = undelayed(client);
    let proxy = Socket::from(UnixStream::connect(socket).ok()?);
    if let Destination::HostPort(port) = to {
        let early = ask_for(port, &proxy)?;
        (&client).write_all(&early).ok()?;
    }
    copy_both_ways(&client, &proxy);
    Some(())
}

/// The bytes that the host has already sent, if the proxy accepts.
fn ask_for(port: u16, mut proxy: &Socket) -> Option<Vec<u8>> {
    proxy.write_all(format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n").as_bytes()).ok()?;
    let (head, rest) = head::read(proxy, HeadLimits::default()).ok()?;
    head.starts_with(b"HTTP/1.1 200 ").then_some(rest)
}
