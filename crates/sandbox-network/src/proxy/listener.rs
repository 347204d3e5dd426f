//! The proxy's listener: a socket in a private folder, or a loopback port.

use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
#[cfg(unix)]
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;

use tempfile::TempDir;

use crate::stream::Stream;

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

#[derive(Debug)]
pub(super) enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

/// The folder of a socket is removed with it.
#[derive(Debug)]
pub(super) struct BoundAddress {
    pub(super) address: Address,
    _folder: Option<TempDir>,
}

impl Listener {
    pub(super) fn open(listen: Listen) -> io::Result<(Self, BoundAddress)> {
        match listen {
            Listen::Socket => Self::open_socket(),
            Listen::Loopback => {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
                let address = Address::Loopback(listener.local_addr()?.port());
                Ok((Self::Tcp(listener), BoundAddress { address, _folder: None }))
            }
        }
    }

    #[cfg(unix)]
    fn open_socket() -> io::Result<(Self, BoundAddress)> {
        use std::fs::Permissions;
        use std::os::unix::fs::PermissionsExt;
        // A short name, because a socket path has at most 107 bytes.
        let folder = tempfile::Builder::new()
            .prefix("net-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()?;
        let path = folder.path().join("proxy");
        let listener = UnixListener::bind(&path)?;
        let bound = BoundAddress { address: Address::Socket(path), _folder: Some(folder) };
        Ok((Self::Unix(listener), bound))
    }

    #[cfg(not(unix))]
    fn open_socket() -> io::Result<(Self, BoundAddress)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Tcp(listener) => listener.accept().map(|(stream, _)| Stream::tcp(stream)),
            #[cfg(unix)]
            Self::Unix(listener) => listener.accept().map(|(stream, _)| Stream::Unix(stream)),
        }
    }
}

impl BoundAddress {
    pub(super) fn connect(&self) -> io::Result<Stream> {
        match &self.address {
            Address::Loopback(port) => {
                TcpStream::connect((Ipv4Addr::LOCALHOST, *port)).map(Stream::tcp)
            }
            #[cfg(unix)]
            Address::Socket(path) => UnixStream::connect(path).map(Stream::Unix),
            #[cfg(not(unix))]
            Address::Socket(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}
