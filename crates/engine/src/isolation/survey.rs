//! Whether this machine can run the sandbox of the operating system, found out by trying it.

use std::ffi::OsStr;
use std::path::Path;

use os_sandbox::bubblewrap::{self, NewNamespaces};
use os_sandbox::{Network, Policy, Workplace, seatbelt};
use supervise::Keeper;
use walls::native::{LinuxPart, SandboxProbe, Trial};
use walls::{Availability, Obstacle};

use super::Backend;
use super::os_sandbox::SEATBELT;
use crate::walls::native::{parts, try_out};

/// Takes some milliseconds. `path` is the PATH in which bubblewrap is looked for.
pub fn survey_os_sandbox(keeper: &Keeper, path: Option<&OsStr>) -> Result<Backend, Obstacle> {
    if cfg!(target_os = "linux") {
        on_linux(keeper, path).map_err(|probe| obstacle(&probe))
    } else if cfg!(target_os = "macos") {
        on_macos(keeper)
    } else {
        Err(obstacle(&SandboxProbe::Unsupported))
    }
}

/// A bubblewrap that cannot forbid new namespaces is better than none.
fn on_linux(keeper: &Keeper, path: Option<&OsStr>) -> Result<Backend, SandboxProbe> {
    let program = parts(&[LinuxPart::Bubblewrap], path)?;
    let mut last = Trial::Hung;
    for new_namespaces in [NewNamespaces::Forbidden, NewNamespaces::Possible] {
        last = try_out(keeper, &program, bubblewrap::trial(new_namespaces));
        if last == Trial::Worked {
            return Ok(Backend::Bubblewrap { program, new_namespaces });
        }
    }
    Err(SandboxProbe::Tried(last))
}

fn on_macos(keeper: &Keeper) -> Result<Backend, Obstacle> {
    if !Path::new(SEATBELT).is_file() {
        return Err(obstacle(&SandboxProbe::NoSeatbelt));
    }
    let profile = seatbelt::profile(&Policy::of(&Workplace::default(), Network::Open));
    let args = ["-p", &profile, "/bin/sh", "-c", ":"].map(Into::into).to_vec();
    match try_out(keeper, Path::new(SEATBELT), args) {
        Trial::Worked => Ok(Backend::Seatbelt),
        Trial::Refused { said, .. } => {
            Err(Obstacle { why: format!("sandbox-exec refuses its profile: {said}"), fix: None })
        }
        Trial::Hung => Err(Obstacle { why: "sandbox-exec hangs".into(), fix: None }),
    }
}

fn obstacle(probe: &SandboxProbe) -> Obstacle {
    match probe.availability() {
        Availability::Missing(obstacle) | Availability::OnRequest { why: obstacle, .. } => obstacle,
        Availability::Ready { by } => Obstacle { why: by, fix: None },
    }
}
