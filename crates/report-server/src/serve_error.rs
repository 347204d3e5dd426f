//! Errors of the server.

use std::io;
use std::net::SocketAddr;

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("{0} is not a loopback address: other machines could reach the page")]
    NotLoopback(SocketAddr),
    #[error("port {} is already in use", .0.port())]
    PortTaken(SocketAddr),
    #[error("cannot listen on {address}: {error}")]
    Bind { address: SocketAddr, error: io::Error },
    #[error("invalid host {0:?}: expected a name or an address, with an optional port")]
    Host(String),
    #[error("cannot render the page of the run")]
    RendererEnded,
    #[error("cannot serve: {0}")]
    Io(#[from] io::Error),
}

impl ServeError {
    pub(crate) fn bind(address: SocketAddr) -> impl FnOnce(io::Error) -> Self {
        move |error| match error.kind() {
            io::ErrorKind::AddrInUse => Self::PortTaken(address),
            _ => Self::Bind { address, error },
        }
    }
}
