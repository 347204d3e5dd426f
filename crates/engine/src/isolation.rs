//! The sandbox of the operating system around process trees that the runner starts. The policy and its back ends are
//! in the crate `os-sandbox`, the network in `sandbox-network`.

mod confined;
mod os_sandbox;
mod refusals;
mod survey;
mod try_check;
mod workplace;

pub use os_sandbox::{Backend, NetworkAccess, NetworkKind, OsSandbox};
pub use survey::survey_os_sandbox;
pub use try_check::{CheckTrial, TrialOutcome, Trier};

pub(crate) use confined::Confined;
pub(crate) use refusals::{refusals, refused_hosts};
