//! Isolation of the processes that the runner starts: the sandbox of the operating system, or a container.
//! The policy and its back ends are in the crate `os-sandbox`, the network in `sandbox-network`.

pub(crate) mod check_launch;
mod confined;
mod container;
pub mod docker;
mod refusals;
mod sandbox;
mod survey;
mod survey_container;
mod try_check;
mod variables;
mod workplace;

pub use container::ContainerBackend;
pub use sandbox::{Backend, NetworkAccess, Sandbox};
pub use survey::survey_os_sandbox;
pub use survey_container::{ContainerQuery, survey_container};
pub use try_check::{CheckTrial, CheckTrialRunner};

pub(crate) use confined::ConfinedProgram;
pub(crate) use refusals::{refusals, refused_hosts};
