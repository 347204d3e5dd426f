//! Whether this machine can put up the sandbox, judged by what was found on it.

use crate::{Availability, Obstacle};

/// What was found. Looking is the business of `engine::walls`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxProbe {
    /// Linux, and these programs are not in PATH. At least one.
    Lacking { parts: Vec<LinuxPart>, installer: Option<Installer> },
    /// Linux, and a command was run in a sandbox like the one of Claude Code.
    Tried(Trial),
    /// macOS with its own sandbox.
    Seatbelt,
    /// macOS without.
    NoSeatbelt,
    /// Claude Code has no sandbox for this system.
    Unsupported,
}

/// A program that Claude Code needs for its sandbox on Linux.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinuxPart {
    Bubblewrap,
    /// Carries connections to allowed hosts out of the sandbox.
    Socat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Installer {
    Apt,
    Dnf,
    Pacman,
    Apk,
    Zypper,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trial {
    Worked,
    /// In bubblewrap's words, and what the kernel was told to forbid.
    Refused {
        said: String,
        limits: Vec<NamespaceLimit>,
    },
    /// It did not end in time.
    Hung,
}

/// A setting of the kernel that keeps people who are not root from making namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamespaceLimit {
    AppArmor,
    UnprivilegedClone,
    NoneAllowed,
}

impl SandboxProbe {
    pub fn availability(&self) -> Availability {
        match self {
            Self::Tried(Trial::Worked) => ready("bubblewrap"),
            Self::Seatbelt => ready("Seatbelt"),
            Self::Lacking { parts, installer } => lacking(parts, *installer),
            Self::Tried(Trial::Refused { said, limits }) => refused(said, limits),
            Self::Tried(Trial::Hung) => missing("bubblewrap (bwrap) hangs".into(), None),
            Self::NoSeatbelt => missing("there is no /usr/bin/sandbox-exec".into(), None),
            Self::Unsupported => missing(
                "there is no sandbox for this system".into(),
                Some("work in WSL 2 on Windows".into()),
            ),
        }
    }
}

impl LinuxPart {
    pub const ALL: [Self; 2] = [Self::Bubblewrap, Self::Socat];

    pub fn program(self) -> &'static str {
        match self {
            Self::Bubblewrap => "bwrap",
            Self::Socat => "socat",
        }
    }

    /// It is called the same everywhere.
    fn package(self) -> &'static str {
        match self {
            Self::Bubblewrap => "bubblewrap",
            Self::Socat => "socat",
        }
    }
}

impl Installer {
    pub const ALL: [Self; 5] = [Self::Apt, Self::Dnf, Self::Pacman, Self::Apk, Self::Zypper];

    pub fn program(self) -> &'static str {
        match self {
            Self::Apt => "apt-get",
            Self::Dnf => "dnf",
            Self::Pacman => "pacman",
            Self::Apk => "apk",
            Self::Zypper => "zypper",
        }
    }

    fn verb(self) -> &'static str {
        match self {
            Self::Apt | Self::Dnf | Self::Zypper => "install",
            Self::Pacman => "-S",
            Self::Apk => "add",
        }
    }
}

impl NamespaceLimit {
    pub const ALL: [Self; 3] = [Self::AppArmor, Self::UnprivilegedClone, Self::NoneAllowed];

    /// Where the kernel tells, below `/proc/sys`.
    pub fn file(self) -> &'static str {
        match self {
            Self::AppArmor => "kernel/apparmor_restrict_unprivileged_userns",
            Self::UnprivilegedClone => "kernel/unprivileged_userns_clone",
            Self::NoneAllowed => "user/max_user_namespaces",
        }
    }

    /// What stands in the file where it is in force.
    pub fn in_force(self) -> &'static str {
        match self {
            Self::AppArmor => "1",
            Self::UnprivilegedClone | Self::NoneAllowed => "0",
        }
    }

    fn name(self) -> String {
        self.file().replace('/', ".")
    }

    fn fix(self) -> &'static str {
        match self {
            // The profile lifts the limit for one program, the setting for all.
            Self::AppArmor => {
                "give bwrap an AppArmor profile with `userns,` in /etc/apparmor.d, or \
                 `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`"
            }
            Self::UnprivilegedClone => "`sudo sysctl kernel.unprivileged_userns_clone=1`",
            Self::NoneAllowed => "`sudo sysctl user.max_user_namespaces=15000`",
        }
    }
}

fn lacking(parts: &[LinuxPart], installer: Option<Installer>) -> Availability {
    let packages: Vec<&str> = parts.iter().map(|part| part.package()).collect();
    let programs: Vec<&str> = parts.iter().map(|part| part.program()).collect();
    let are = if programs.len() == 1 { "is" } else { "are" };
    let fix = match installer {
        Some(by) => format!("`sudo {} {} {}`", by.program(), by.verb(), packages.join(" ")),
        None => format!("install {}", packages.join(" and ")),
    };
    missing(format!("{} {are} not in PATH", programs.join(" and ")), Some(fix))
}

fn refused(said: &str, limits: &[NamespaceLimit]) -> Availability {
    let mut why = format!("bubblewrap cannot run here: {}", said.trim());
    for limit in limits {
        why.push_str(&format!(" ({} = {})", limit.name(), limit.in_force()));
    }
    let fixes: Vec<&str> = limits.iter().map(|limit| limit.fix()).collect();
    let in_container = "in a container, start it with the right to make user namespaces and to \
                        mount /proc";
    let fix = if fixes.is_empty() { in_container.to_owned() } else { fixes.join(", and ") };
    missing(why, Some(fix))
}

fn ready(by: &str) -> Availability {
    Availability::Ready { by: by.into() }
}

fn missing(why: String, fix: Option<String>) -> Availability {
    Availability::Missing(Obstacle { why, fix })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn obstacle(probe: SandboxProbe) -> (String, String) {
        match probe.availability() {
            Availability::Missing(Obstacle { why, fix }) => (why, fix.unwrap_or_default()),
            other => (format!("{other:?}"), String::new()),
        }
    }

    fn refusal(limits: Vec<NamespaceLimit>) -> (String, String) {
        let said = "bwrap: No permissions to create a new namespace\n".into();
        obstacle(SandboxProbe::Tried(Trial::Refused { said, limits }))
    }

    #[test]
    fn a_sandbox_that_ran_is_ready() {
        assert_eq!(SandboxProbe::Tried(Trial::Worked).availability(), ready("bubblewrap"));
        assert_eq!(SandboxProbe::Seatbelt.availability(), ready("Seatbelt"));
    }

    #[test]
    fn what_is_missing_comes_with_the_line_that_installs_it() {
        let lacking = |parts: &[LinuxPart], installer| {
            obstacle(SandboxProbe::Lacking { parts: parts.to_vec(), installer })
        };
        let (why, fix) = lacking(&LinuxPart::ALL, Some(Installer::Apt));
        assert_eq!(why, "bwrap and socat are not in PATH");
        assert_eq!(fix, "`sudo apt-get install bubblewrap socat`");
        let (why, fix) = lacking(&[LinuxPart::Socat], Some(Installer::Pacman));
        assert_eq!(why, "socat is not in PATH");
        assert_eq!(fix, "`sudo pacman -S socat`");
        assert_eq!(lacking(&[LinuxPart::Bubblewrap], None).1, "install bubblewrap");
        assert_eq!(lacking(&[LinuxPart::Socat], Some(Installer::Apk)).1, "`sudo apk add socat`");
    }

    #[test]
    fn a_kernel_that_forbids_namespaces_is_named_with_its_setting() {
        let (why, fix) = refusal(vec![NamespaceLimit::AppArmor]);
        assert_eq!(
            why,
            "bubblewrap cannot run here: bwrap: No permissions to create a new namespace \
             (kernel.apparmor_restrict_unprivileged_userns = 1)"
        );
        assert!(fix.contains("AppArmor profile"), "{fix}");
        let (why, fix) = refusal(vec![NamespaceLimit::NoneAllowed]);
        assert!(why.ends_with("(user.max_user_namespaces = 0)"), "{why}");
        assert_eq!(fix, "`sudo sysctl user.max_user_namespaces=15000`");
    }

    #[test]
    fn a_refusal_without_such_a_setting_is_most_likely_a_containers() {
        let (why, fix) = refusal(Vec::new());
        assert!(why.ends_with("No permissions to create a new namespace"), "{why}");
        assert!(fix.starts_with("in a container, "), "{fix}");
    }

    #[test]
    fn a_system_without_a_sandbox_is_told_so() {
        let (why, fix) = obstacle(SandboxProbe::Unsupported);
        assert_eq!(why, "there is no sandbox for this system");
        assert!(fix.contains("WSL 2"), "{fix}");
        assert!(obstacle(SandboxProbe::NoSeatbelt).0.contains("sandbox-exec"));
        assert!(obstacle(SandboxProbe::Tried(Trial::Hung)).0.contains("hangs"));
    }
}
