//! The proxy's listener: a socket in a private folder, or a loopback port.

use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;

use socket2::Socket;
use tempfile::TempDir;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listen {
    /// A Unix socket in a folder for this user only. It lives as long as the proxy.
    Socket,
    /// A free port of 127.0.0.1, for systems whose sandboxes share the host's network.
    Loopback,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    Socket(PathBuf),
    Loopback(u16),
}

/// The folder of a socket is removed with it.
#[derive(Debug)]
pub(super) struct BoundAddress {
    pub(super) address: Address,
    _folder: Option<TempDir>,
}

pub(super) fn open(listen: Listen) -> io::Result<(Socket, BoundAddress)> {
    match listen {
        Listen::Socket => open_socket(),
        Listen::Loopback => {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            let address = Address::Loopback(listener.local_addr()?.port());
            Ok((listener.into(), BoundAddress { address, _folder: None }))
        }
    }
}

#[cfg(unix)]
fn open_socket() -> io::Result<(Socket, BoundAddress)> {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    // A short name, because a socket path has at most 107 bytes.
    let folder = tempfile::Builder::new()
        .prefix("net-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir()?;
    let path = folder.path().join("proxy");
    let listener = std::os::unix::net::UnixListener::bind(&path)?;
    let bound = BoundAddress { address: Address::Socket(path), _folder: Some(folder) };
    Ok((listener.into(), bound))
}

#[cfg(not(unix))]
fn open_socket() -> io::Result<(Socket, BoundAddress)> {
    Err(io::ErrorKind::Unsupported.into())
}

impl BoundAddress {
    pub(super) fn connect(&self) -> io::Result<Socket> {
        match &self.address {
            Address::Loopback(port) => {
                TcpStream::connect((Ipv4Addr::LOCALHOST, *port)).map(Socket::from)
            }
            #[cfg(unix)]
            Address::Socket(path) => {
                std::os::unix::net::UnixStream::connect(path).map(Socket::from)
            }
            #[cfg(not(unix))]
            Address::Socket(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}
