//! Linux: turns a policy into arguments of `bwrap`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::{Access, Network, Policy};

/// Files of `/proc` that change machine settings. Root may write them without any capability.
const MACHINE_SETTINGS: [&str; 5] =
    ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/acpi"];

/// Whether processes inside can create user namespaces, which would let them mount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewNamespaces {
    Forbidden,
    /// bubblewrap before 0.8, or a setuid one, cannot forbid it.
    Possible,
}

/// The arguments before the program, which starts in `folder`.
pub fn arguments(policy: &Policy, folder: &Path, new: NewNamespaces) -> Vec<OsString> {
    let mut args = namespaces(&policy.network, new);
    // The root first, then the mounts over it; `/dev` and `/proc` before the mounts in them.
    args.extend(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"].map(Into::into));
    for file in MACHINE_SETTINGS {
        args.extend(["--ro-bind-try", file, file].map(Into::into));
    }
    for (path, access) in policy.rules().filter(|(path, _)| *path != Path::new("/")) {
        args.extend(mount(path, access));
    }
    for (path, copy) in &policy.copies {
        args.extend(["--bind".into(), copy.into(), path.into()]);
    }
    if let Some((link, target)) = &policy.home_link {
        args.extend(["--symlink".into(), target.into(), link.into()]);
    }
    args.extend(["--chdir".into(), folder.into(), "--".into()]);
    args
}

/// Arguments for a trial command that checks whether bubblewrap can run with [`arguments`].
pub fn trial(new: NewNamespaces) -> Vec<OsString> {
    let mut args = namespaces(&Network::Isolated { host_ports: Vec::new() }, new);
    let rest = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--"];
    args.extend(rest.map(Into::into));
    args.extend(["/bin/sh", "-c", ":"].map(Into::into));
    args
}

fn namespaces(network: &Network, new: NewNamespaces) -> Vec<OsString> {
    let mut args = vec![
        // Detaches from the runner's terminal, so that the sandbox cannot type into it.
        "--new-session",
        "--die-with-parent",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--cap-drop",
        "ALL",
    ];
    if new == NewNamespaces::Forbidden {
        args.extend(["--unshare-user", "--disable-userns"]);
    }
    if *network != Network::Open {
        args.push("--unshare-net");
    }
    args.into_iter().map(Into::into).collect()
}

fn mount(path: &Path, access: Access) -> Vec<OsString> {
    let path = PathBuf::from(path);
    let bind = |flag: &str| vec![flag.into(), path.clone().into(), path.clone().into()];
    match access {
        Access::Private => vec!["--tmpfs".into(), path.into()],
        Access::Hidden => vec!["--ro-bind".into(), "/dev/null".into(), path.into()],
        Access::ReadOnly => bind("--ro-bind"),
        // A plain bind does not allow opening devices.
        Access::Writable if is_device(&path) => bind("--dev-bind"),
        Access::Writable => bind("--bind"),
    }
}

pub(crate) fn is_device(path: &Path) -> bool {
    path.starts_with("/dev") && !path.starts_with("/dev/shm")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Workplace;

    fn words(args: Vec<OsString>) -> String {
        let words: Vec<String> =
            args.into_iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        words.join(" ")
    }

    #[test]
    fn parents_are_mounted_before_their_children() {
        let mut policy = Policy::of(&Workplace::default(), Network::Open);
        policy.set("/dev/shm/shop/.git/config", Access::ReadOnly);
        policy.set("/dev/shm/shop", Access::Writable);
        policy.set("/dev/kvm", Access::Writable);
        policy.set("/home/me/.netrc", Access::Hidden);
        let words = words(arguments(&policy, Path::new("/srv/shop"), NewNamespaces::Forbidden));
        let places: Vec<usize> = [
            "--ro-bind / / --dev /dev",
            "--dev-bind /dev/kvm /dev/kvm",
            "--bind /dev/shm/shop /dev/shm/shop",
            "--ro-bind /dev/shm/shop/.git/config",
            "--ro-bind /dev/null /home/me/.netrc",
            "--chdir /srv/shop --",
        ]
        .iter()
        .map(|part| words.find(part).unwrap_or_else(|| panic!("{part} in {words}")))
        .collect();
        assert!(places.is_sorted(), "{words}");
    }

    #[test]
    fn the_network_is_shared_where_it_is_open_alone() {
        let args = |network| {
            let policy = Policy::of(&Workplace::default(), network);
            words(arguments(&policy, Path::new("/"), NewNamespaces::Possible))
        };
        assert!(!args(Network::Open).contains("--unshare-net"));
        assert!(args(Network::Isolated { host_ports: vec![] }).contains("--unshare-net"));
        assert!(!args(Network::Open).contains("--disable-userns"));
    }
}
