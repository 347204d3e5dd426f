//! Whether Claude Code's own sandbox can stand here. What is found is judged in `walls::native`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use supervise::{Keeper, StopRequests};
use walls::Availability;
use walls::native::{Installer, LinuxPart, NamespaceLimit, SandboxProbe, Trial};

use crate::quick::{Answer, NoAnswer, Question, Quick};

/// A hundred times what it takes.
const TRIAL: Duration = Duration::from_secs(5);

/// The namespaces and mounts that Claude Code asks bubblewrap for, around a command that does
/// nothing. A bubblewrap that is installed and may not do this would fail every command of a session.
const TRIAL_ARGUMENTS: [&str; 16] = [
    "--new-session",
    "--die-with-parent",
    "--unshare-user",
    "--unshare-pid",
    "--unshare-net",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--",
    "sh",
    "-c",
    ":",
];

/// Takes some milliseconds. `path` is the PATH that the agent will have.
pub fn survey_native(keeper: &Keeper, path: Option<&OsStr>) -> Availability {
    let probe = if cfg!(target_os = "linux") {
        on_linux(keeper, path)
    } else if cfg!(target_os = "macos") {
        on_macos()
    } else {
        SandboxProbe::Unsupported
    };
    probe.availability()
}

fn on_macos() -> SandboxProbe {
    match Path::new("/usr/bin/sandbox-exec").is_file() {
        true => SandboxProbe::Seatbelt,
        false => SandboxProbe::NoSeatbelt,
    }
}

fn on_linux(keeper: &Keeper, path: Option<&OsStr>) -> SandboxProbe {
    match parts(&LinuxPart::ALL, path) {
        Ok(bubblewrap) => {
            let args = TRIAL_ARGUMENTS.map(Into::into).into();
            SandboxProbe::Tried(try_out(keeper, &bubblewrap, args))
        }
        Err(lacking) => lacking,
    }
}

/// Bubblewrap, if none of the parts is missing.
pub(crate) fn parts(needed: &[LinuxPart], path: Option<&OsStr>) -> Result<PathBuf, SandboxProbe> {
    let lacks = |part: &LinuxPart| in_path(part.program(), path).is_none();
    let missing: Vec<LinuxPart> = needed.iter().copied().filter(lacks).collect();
    match in_path(LinuxPart::Bubblewrap.program(), path) {
        Some(bubblewrap) if missing.is_empty() => Ok(bubblewrap),
        _ => {
            let here = |installer: &Installer| in_path(installer.program(), path).is_some();
            let installer = Installer::ALL.into_iter().find(here);
            Err(SandboxProbe::Lacking { parts: missing, installer })
        }
    }
}

pub(crate) fn try_out(keeper: &Keeper, bubblewrap: &Path, args: Vec<OsString>) -> Trial {
    let stop = StopRequests::new();
    let quick = Quick { keeper, folder: Path::new("/"), stop: &stop };
    let question = Question {
        program: bubblewrap,
        args,
        environment: Vec::new(),
        input: Vec::new(),
        limit: TRIAL,
    };
    judged(quick.ask(question), Path::new("/proc/sys"))
}

/// `sysctl` is the folder with the settings of the kernel.
fn judged(answer: Result<Answer, NoAnswer>, sysctl: &Path) -> Trial {
    let refused = |said| Trial::Refused { said, limits: limits_in_force(sysctl) };
    match answer {
        Ok(answer) if answer.succeeded() => Trial::Worked,
        Ok(answer) => refused(answer.complaint()),
        Err(NoAnswer::TookTooLong(_)) => Trial::Hung,
        Err(error) => refused(error.to_string()),
    }
}

fn limits_in_force(sysctl: &Path) -> Vec<NamespaceLimit> {
    let in_force = |limit: &NamespaceLimit| {
        std::fs::read_to_string(sysctl.join(limit.file()))
            .is_ok_and(|value| value.trim() == limit.in_force())
    };
    NamespaceLimit::ALL.into_iter().filter(in_force).collect()
}

/// A file that cannot be run counts too: trying it will tell.
pub(crate) fn in_path(name: &str, path: Option<&OsStr>) -> Option<PathBuf> {
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

    fn parts_of(programs: &[&str]) -> Result<(), SandboxProbe> {
        let dir = folder_with(programs);
        let found = parts(&LinuxPart::ALL, Some(dir.path().as_os_str()))?;
        assert_eq!(found, dir.path().join("bwrap"));
        Ok(())
    }

    #[test]
    fn both_programs_are_needed_and_the_systems_own_installer_is_found() {
        use LinuxPart::{Bubblewrap, Socat};
        let lacking = |parts: &[LinuxPart], installer| {
            Err(SandboxProbe::Lacking { parts: parts.to_vec(), installer })
        };
        assert_eq!(parts_of(&["bwrap", "socat"]), Ok(()));
        assert_eq!(parts_of(&["bwrap", "dnf"]), lacking(&[Socat], Some(Installer::Dnf)));
        assert_eq!(parts_of(&["socat", "apt-get"]), lacking(&[Bubblewrap], Some(Installer::Apt)));
        assert_eq!(parts_of(&[]), lacking(&[Bubblewrap, Socat], None));
        assert_eq!(
            parts(&LinuxPart::ALL, None),
            lacking(&[Bubblewrap, Socat], None).map(|()| PathBuf::new())
        );
    }

    #[test]
    fn a_trial_works_only_if_its_command_did() {
        let judge = |exit, said: &str| {
            let stderr = format!("{said}\n");
            let answer = Answer { exit: Some(exit), stderr, ..Answer::default() };
            judged(Ok(answer), Path::new("/nonexistent"))
        };
        let refused = |said: &str| Trial::Refused { said: said.into(), limits: vec![] };
        assert_eq!(judge(Exit::Code(0), "a warning"), Trial::Worked);
        assert_eq!(judge(Exit::Code(1), "bwrap: no"), refused("bwrap: no"));
        assert_eq!(judge(Exit::Signal(9), ""), refused("it was ended by a signal"));
        let hung = judged(Err(NoAnswer::TookTooLong(TRIAL)), Path::new("/nonexistent"));
        assert_eq!(hung, Trial::Hung);
    }

    #[test]
    fn the_kernels_settings_are_read_where_it_refuses() {
        let sysctl = TempDir::new().unwrap();
        sysctl.child("kernel/apparmor_restrict_unprivileged_userns").write_str("1\n").unwrap();
        sysctl.child("user/max_user_namespaces").write_str("96343\n").unwrap();
        assert_eq!(limits_in_force(sysctl.path()), [NamespaceLimit::AppArmor]);
        sysctl.child("kernel/apparmor_restrict_unprivileged_userns").write_str("0\n").unwrap();
        sysctl.child("user/max_user_namespaces").write_str("0\n").unwrap();
        sysctl.child("kernel/unprivileged_userns_clone").write_str("0\n").unwrap();
        let both = [NamespaceLimit::UnprivilegedClone, NamespaceLimit::NoneAllowed];
        assert_eq!(limits_in_force(sysctl.path()), both);
    }
}
