//! Checks whether this machine can run the sandbox of the operating system, by a trial.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use isolation::Obstacle;
use isolation::probe::{INSTALLERS, Installer, NAMESPACE_LIMITS, NamespaceLimit, NoSandbox};
use os_sandbox::bubblewrap::{self, NewNamespaces};
use os_sandbox::{Network, Policy, Workplace, seatbelt};
use supervise::{Keeper, ProgramCall, ProgramError, ProgramOutput, ProgramRunner, StopRequests};

use super::sandbox::{Backend, SEATBELT};

/// A hundred times the usual duration.
const TRIAL: Duration = Duration::from_secs(5);

/// Takes some milliseconds. `path` is the `PATH` that contains bubblewrap.
pub fn survey_os_sandbox(keeper: &Keeper, path: Option<&OsStr>) -> Result<Backend, Obstacle> {
    let found = if cfg!(target_os = "linux") {
        on_linux(keeper, path)
    } else if cfg!(target_os = "macos") {
        on_macos(keeper)
    } else {
        Err(NoSandbox::Unsupported)
    };
    found.map_err(|missing| missing.obstacle())
}

/// A bubblewrap that cannot forbid new namespaces is better than none.
fn on_linux(keeper: &Keeper, path: Option<&OsStr>) -> Result<Backend, NoSandbox> {
    let program = bubblewrap_in(path)?;
    let tried = |new| try_out(keeper, &program, bubblewrap::trial(new)).map(|()| new);
    let new_namespaces =
        tried(NewNamespaces::Forbidden).or_else(|_| tried(NewNamespaces::Possible))?;
    Ok(Backend::Bubblewrap { program, new_namespaces })
}

fn on_macos(keeper: &Keeper) -> Result<Backend, NoSandbox> {
    if !Path::new(SEATBELT).is_file() {
        return Err(NoSandbox::NoSeatbelt);
    }
    let profile = seatbelt::profile(&Policy::of(&Workplace::default(), Network::Open));
    let args = ["-p", &profile, "/bin/sh", "-c", ":"].map(Into::into).to_vec();
    try_out(keeper, Path::new(SEATBELT), args).map(|()| Backend::Seatbelt)
}

fn bubblewrap_in(path: Option<&OsStr>) -> Result<PathBuf, NoSandbox> {
    in_path("bwrap", path).ok_or_else(|| {
        let here = |(program, _): &Installer| in_path(program, path).is_some();
        NoSandbox::NoBubblewrap { installer: INSTALLERS.into_iter().find(here) }
    })
}

fn try_out(keeper: &Keeper, program: &Path, args: Vec<OsString>) -> Result<(), NoSandbox> {
    let stop = StopRequests::new();
    let runner = ProgramRunner { keeper, folder: Path::new("/"), stop: &stop };
    judged(runner.run(ProgramCall::new(program, args, TRIAL)), Path::new("/proc/sys"))
}

/// `sysctl` is the folder with the kernel settings.
fn judged(answer: Result<ProgramOutput, ProgramError>, sysctl: &Path) -> Result<(), NoSandbox> {
    let refused = |reason| Err(NoSandbox::Refused { reason, limits: limits_in_force(sysctl) });
    match answer {
        Ok(answer) if answer.succeeded() => Ok(()),
        Ok(answer) => refused(answer.error_text()),
        Err(ProgramError::TookTooLong(_)) => Err(NoSandbox::Hung),
        Err(error) => refused(error.to_string()),
    }
}

fn limits_in_force(sysctl: &Path) -> Vec<NamespaceLimit> {
    let in_force = |limit: &NamespaceLimit| {
        std::fs::read_to_string(sysctl.join(limit.file))
            .is_ok_and(|value| value.trim() == limit.in_force)
    };
    NAMESPACE_LIMITS.into_iter().filter(in_force).collect()
}

/// Includes files that are not executable: the trial shows that.
pub(super) fn in_path(name: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    std::env::split_paths(path?).map(|folder| folder.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use assert_fs::TempDir;
    use assert_fs::prelude::*;
    use supervise::Exit;

    use super::*;

    fn folder_with(programs: &[&str]) -> TempDir {
        let dir = TempDir::new().unwrap();
        for name in programs {
            dir.child(name).touch().unwrap();
        }
        dir
    }

    #[test]
    fn bubblewrap_is_needed_and_the_systems_own_installer_is_found() {
        let found = |programs: &[&str]| {
            let dir = folder_with(programs);
            bubblewrap_in(Some(dir.path().as_os_str())).map(|program| program.ends_with("bwrap"))
        };
        let lacking = |installer| Err(NoSandbox::NoBubblewrap { installer });
        assert_eq!(found(&["bwrap"]), Ok(true));
        assert_eq!(found(&["dnf"]), lacking(Some(("dnf", "install"))));
        assert_eq!(found(&[]), lacking(None));
        assert_eq!(bubblewrap_in(None), Err(NoSandbox::NoBubblewrap { installer: None }));
    }

    #[test]
    fn a_trial_works_only_if_its_command_did() {
        let judge = |exit, message: &str| {
            let stderr = format!("{message}\n");
            let answer = ProgramOutput { exit: Some(exit), stderr, ..ProgramOutput::default() };
            judged(Ok(answer), Path::new("/nonexistent"))
        };
        let refused =
            |reason: &str| Err(NoSandbox::Refused { reason: reason.into(), limits: vec![] });
        assert_eq!(judge(Exit::Code(0), "a warning"), Ok(()));
        assert_eq!(judge(Exit::Code(1), "bwrap: no"), refused("bwrap: no"));
        assert_eq!(judge(Exit::Signal(9), ""), refused("it was ended by a signal"));
        let hung = judged(Err(ProgramError::TookTooLong(TRIAL)), Path::new("/nonexistent"));
        assert_eq!(hung, Err(NoSandbox::Hung));
    }

    #[test]
    fn a_refusal_names_the_kernel_settings() {
        let sysctl = TempDir::new().unwrap();
        sysctl.child("kernel/apparmor_restrict_unprivileged_userns").write_str("1\n").unwrap();
        sysctl.child("user/max_user_namespaces").write_str("96343\n").unwrap();
        assert_eq!(limits_in_force(sysctl.path()), NAMESPACE_LIMITS[..1]);
        sysctl.child("kernel/apparmor_restrict_unprivileged_userns").write_str("0\n").unwrap();
        sysctl.child("user/max_user_namespaces").write_str("0\n").unwrap();
        sysctl.child("kernel/unprivileged_userns_clone").write_str("0\n").unwrap();
        assert_eq!(limits_in_force(sysctl.path()), NAMESPACE_LIMITS[1..]);
    }
}
