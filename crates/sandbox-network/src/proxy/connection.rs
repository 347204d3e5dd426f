//! One connection to the proxy: checks its request, then answers or forwards it.

use std::fmt::Display;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use socket2::Socket;

use crate::Refused;
use crate::head::{self, HeadError};
use crate::request::{self, Request, RequestKind};
use crate::rules::RouteError;
use crate::stream::{copy_both_ways, undelayed};

use super::Shared;

/// For all addresses of a host together, and for one address.
const LONGEST_CONNECTING: Duration = Duration::from_secs(30);
const LONGEST_TRY: Duration = Duration::from_secs(10);

/// How much of a request is read after the answer, and the longest pause in it. A client that is still sending
/// may miss an answer on a connection that is closed at once.
const STILL_READ: u64 = 1024 * 1024;
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

const ESTABLISHED: &[u8] = b"HTTP/1.1 200 Connection Established\r\n\r\n";

pub(super) fn serve(client: &Socket, shared: &Shared) {
    let (head, rest) = match head::read(client, shared.limits.head) {
        Ok(read) => read,
        Err(HeadError::Ended | HeadError::Io(_)) => return,
        Err(error) => return answer(client, "400 Bad Request", error),
    };
    let request = match request::read(&head) {
        Ok(request) => request,
        Err(error) => return answer(client, "400 Bad Request", error),
    };
    let Request { host, port, .. } = &request;
    let unreachable =
        |error| answer(client, "502 Bad Gateway", format!("cannot reach {host}:{port}: {error}"));
    match shared.rules.addresses(host, *port, resolve) {
        Ok(addresses) => match connect(&addresses) {
            // An error means that one side has closed.
            Ok(server) => drop(pass_on(client, &server, &request.kind, &rest)),
            Err(error) => unreachable(error),
        },
        Err(RouteError::Unresolved(error)) => unreachable(error),
        Err(RouteError::Refused(why)) => {
            let refused = Refused { host: host.to_string(), port: *port, why };
            shared.note(&refused);
            answer(client, "403 Forbidden", refused);
        }
    }
}

/// Never blocks, because the next connection waits.
pub(super) fn reject(client: &Socket) {
    let _ = write_answer(client, "503 Service Unavailable", "too many connections are open");
}

fn resolve(name: &str) -> io::Result<Vec<IpAddr>> {
    Ok((name, 0).to_socket_addrs()?.map(|address| address.ip()).collect())
}

fn connect(addresses: &[SocketAddr]) -> io::Result<Socket> {
    let deadline = Instant::now() + LONGEST_CONNECTING;
    let mut failure = io::Error::other("the name has no address");
    for address in addresses {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        match TcpStream::connect_timeout(address, left.min(LONGEST_TRY)) {
            Ok(server) => return Ok(undelayed(server)),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn pass_on(
    mut client: &Socket,
    server: &Socket,
    kind: &RequestKind,
    rest: &[u8],
) -> io::Result<()> {
    let mut writer = server;
    match kind {
        RequestKind::Tunnel => client.write_all(ESTABLISHED)?,
        RequestKind::Forward(head) => writer.write_all(head)?,
    }
    writer.write_all(rest)?;
    copy_both_ways(client, server);
    Ok(())
}

/// Ignores a client that has closed.
fn answer(client: &Socket, status: &str, body: impl Display) {
    if write_answer(client, status, body).is_ok()
        && client.shutdown(Shutdown::Write).is_ok()
        && client.set_read_timeout(Some(LONGEST_PAUSE)).is_ok()
    {
        let _ = io::copy(&mut client.take(STILL_READ), &mut io::sink());
    }
}

fn write_answer(mut client: &Socket, status: &str, body: impl Display) -> io::Result<()> {
    let body = format!("{body}\n");
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n"
    );
    client.write_all((head + &body).as_bytes())
}
