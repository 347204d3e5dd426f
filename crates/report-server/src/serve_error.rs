//! Why there is no server, or none any more.

use std::io;
use std::net::SocketAddr;

use crate::hosts::NoHost;

#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("{0} is not of this machine alone: others could reach the page there")]
    NotLoopback(SocketAddr),
    #[error("port {} is taken", .0.port())]
    PortTaken(SocketAddr),
    #[error("cannot listen on {address}: {error}")]
    Bind { address: SocketAddr, error: io::Error },
    #[error(transparent)]
    Host(#[from] NoHost),
    #[error("the page of the run could not be made")]
    NoPainter,
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
