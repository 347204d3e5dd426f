//! The sandbox policy of a process tree: its access to files, variables and networks.
//!
//! A [`Policy`] is plain data. [`bubblewrap`] turns it into arguments for Linux, [`seatbelt`] into a profile
//! for macOS, [`container`] into arguments for Podman and Docker Engine. `engine::isolation` starts them.

pub mod bubblewrap;
pub mod container;
pub mod environment;
mod home;
pub mod places;
mod policy;
pub mod refused;
pub mod seatbelt;

pub use home::holds_secret;
pub use policy::{Access, Network, Policy, Tools, Workplace};

use std::path::{Component, Path, PathBuf};

/// Turns `/a/../b` into `/b` without looking at the disk.
pub fn without_dots(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(whole.pop()),
            Component::CurDir => {}
            part => whole.push(part),
        }
    }
    whole
}
