//! The helper of an entry: listens on the loopback of a sandbox, and copies to and from the proxy's socket.

use std::ffi::OsString;
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use rustix::stdio::dup2_stdout;

use crate::head::{self, HeadLimits};
use crate::stream::{ACCEPT_PAUSE, Stream, copy_both_ways};

use super::{Bridge, arguments};

pub(super) const ARGUMENT: &str = "__bridge-sandbox";

/// What it writes when it listens. Anything else is what went wrong.
pub(super) const READY: &str = "ready";

#[derive(Debug, Clone, Copy)]
enum To {
    Proxy,
    HostPort(u16),
}

/// Returns only if something is wrong.
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

/// All ports, or an error. The helper ends with the process that the entry becomes: outside of a namespace
/// nothing else would end it.
fn listen(entry: i32, bridge: &Bridge) -> io::Result<Vec<(TcpListener, To)>> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if Pid::as_raw(getppid()) != entry {
        return Err(io::Error::other("the entry is gone"));
    }
    let ports = bridge.host_ports.iter().map(|port| (*port, To::HostPort(*port)));
    std::iter::once((bridge.proxy_port, To::Proxy))
        .chain(ports)
        .map(|(port, to)| match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(listener) => Ok((listener, to)),
            Err(error) => Err(io::Error::other(format!("port {port}: {error}"))),
        })
        .collect()
}

fn forward_all(listeners: Vec<(TcpListener, To)>, socket: PathBuf) {
    let socket: Arc<Path> = socket.into();
    let mut threads = Vec::new();
    for (listener, to) in listeners {
        let socket = Arc::clone(&socket);
        match thread::Builder::new().spawn(move || accept(&listener, to, &socket)) {
            Ok(thread) => threads.push(thread),
            Err(_) => return,
        }
    }
    if say_ready().is_ok() {
        for thread in threads {
            let _ = thread.join();
        }
    }
}

/// And lets go of the pipe, whose end the entry waits for.
fn say_ready() -> io::Result<()> {
    let mut stdout = io::stdout();
    stdout.write_all(READY.as_bytes())?;
    stdout.flush()?;
    // It is /dev/null.
    dup2_stdout(io::stderr())?;
    Ok(())
}

fn accept(listener: &TcpListener, to: To, socket: &Arc<Path>) {
    loop {
        match listener.accept() {
            Ok((client, _)) => {
                let socket = Arc::clone(socket);
                // A client that cannot be served sees the end of its connection.
                let _ = thread::Builder::new().spawn(move || forward(client, to, &socket));
            }
            Err(_) => thread::sleep(ACCEPT_PAUSE),
        }
    }
}

fn forward(client: TcpStream, to: To, socket: &Path) -> Option<()> {
    let client = Stream::tcp(client);
    let proxy = Stream::Unix(UnixStream::connect(socket).ok()?);
    if let To::HostPort(port) = to {
        let early = ask_for(port, &proxy)?;
        (&client).write_all(&early).ok()?;
    }
    copy_both_ways(&client, &proxy);
    Some(())
}

/// What the host has sent already, if the proxy agrees.
fn ask_for(port: u16, mut proxy: &Stream) -> Option<Vec<u8>> {
    proxy.write_all(format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n").as_bytes()).ok()?;
    let (head, rest) = head::read(proxy, HeadLimits::default()).ok()?;
    head.starts_with(b"HTTP/1.1 200 ").then_some(rest)
}
