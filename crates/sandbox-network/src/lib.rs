//! The network of a sandbox, limited to allowed hosts.
//!
//! The processes of a sandbox have their own network namespace without any connection. Outside, a [`Proxy`] in
//! the runner's threads connects to the hosts that [`Rules`] allow. Inside, the [`entry`] starts a helper that
//! listens on the namespace's loopback and forwards connections to the proxy's socket. Then it becomes the command.
//!
//! Other crates create namespaces and set `HTTPS_PROXY`. A runner that needs a proxy itself is not supported.

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
