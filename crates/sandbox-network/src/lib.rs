//! The network of a sandbox: named hosts, and nothing else.
//!
//! The processes of a sandbox have a network namespace of their own, in which nothing is reachable. Outside of it
//! a [`Proxy`] runs in threads of the runner and connects to the hosts that [`Rules`] name. Inside, the [`entry`]
//! starts a helper that listens on the loopback of the namespace and passes connections on to the proxy's socket,
//! and then becomes the command.
//!
//! Not here: making namespaces, and telling programs about the proxy (`HTTPS_PROXY` and its kin). The proxy
//! connects to hosts directly: a runner that itself needs a proxy to reach them is not supported.

mod allowed;
pub mod entry;
mod head;
mod host;
mod proxy;
mod request;
mod rules;
mod stream;

pub use allowed::{AllowedHosts, BadPattern};
pub use proxy::{Address, Listen, Proxy};
pub use rules::{Refusal, Refused, Rules};
