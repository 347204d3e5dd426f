//! Explains why the sandbox of the operating system is not available, with the fix.

use crate::Obstacle;

/// The reasons, as found by `engine::isolation`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoSandbox {
    /// Linux without bubblewrap in PATH.
    NoBubblewrap { installer: Option<Installer> },
    /// The message of the sandbox program, and the kernel settings that forbid it.
    Refused { reason: String, limits: Vec<NamespaceLimit> },
    /// A trial command did not end.
    Hung,
    /// macOS without `sandbox-exec`.
    NoSeatbelt,
    /// An operating system without a sandbox.
    Unsupported,
}

/// A program that installs packages, and its word for installing.
pub type Installer = (&'static str, &'static str);

pub const INSTALLERS: [Installer; 5] = [
    ("apt-get", "install"),
    ("dnf", "install"),
    ("pacman", "-S"),
    ("apk", "add"),
    ("zypper", "install"),
];

/// A kernel setting that forbids unprivileged users to create namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamespaceLimit {
    /// The file of the setting, below `/proc/sys`.
    pub file: &'static str,
    /// The file's content if the limit is in force.
    pub in_force: &'static str,
    fix: &'static str,
}

pub const NAMESPACE_LIMITS: [NamespaceLimit; 3] = [
    NamespaceLimit {
        file: "kernel/apparmor_restrict_unprivileged_userns",
        in_force: "1",
        // The profile lifts the limit for one program, the setting for all of them.
        fix: "give bwrap an AppArmor profile with `userns,` in /etc/apparmor.d, or \
              `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`",
    },
    NamespaceLimit {
        file: "kernel/unprivileged_userns_clone",
        in_force: "0",
        fix: "`sudo sysctl kernel.unprivileged_userns_clone=1`",
    },
    NamespaceLimit {
        file: "user/max_user_namespaces",
        in_force: "0",
        fix: "`sudo sysctl user.max_user_namespaces=15000`",
    },
];

impl NoSandbox {
    pub fn obstacle(&self) -> Obstacle {
        match self {
            Self::NoBubblewrap { installer } => {
                let fix = installer.map_or_else(
                    || "install bubblewrap".into(),
                    |(program, verb)| format!("`sudo {program} {verb} bubblewrap`"),
                );
                obstacle("bwrap is not in PATH", Some(fix))
            }
            Self::Refused { reason, limits } => refused(reason, limits),
            Self::Hung => obstacle("a trial command in the sandbox did not end", None),
            Self::NoSeatbelt => obstacle("/usr/bin/sandbox-exec is missing", None),
            Self::Unsupported => {
                let fix = "work in WSL 2 on Windows".into();
                obstacle("this operating system has no sandbox", Some(fix))
            }
        }
    }
}

fn refused(reason: &str, limits: &[NamespaceLimit]) -> Obstacle {
    let mut why = format!("the sandbox cannot run here: {}", reason.trim());
    for limit in limits {
        why.push_str(&format!(" ({} = {})", limit.file.replace('/', "."), limit.in_force));
    }
    let fixes: Vec<&str> = limits.iter().map(|limit| limit.fix).collect();
    let in_container = "in a container, start it with permission to create user namespaces and to \
                        mount /proc";
    let fix = if fixes.is_empty() { in_container.to_owned() } else { fixes.join(", and ") };
    obstacle(why, Some(fix))
}

fn obstacle(why: impl Into<String>, fix: Option<String>) -> Obstacle {
    Obstacle { why: why.into(), fix }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(found: NoSandbox) -> (String, String) {
        let Obstacle { why, fix } = found.obstacle();
        (why, fix.unwrap_or_default())
    }

    fn refusal(limits: Vec<NamespaceLimit>) -> (String, String) {
        let reason = "bwrap: No permissions to create a new namespace\n".into();
        words(NoSandbox::Refused { reason, limits })
    }

    #[test]
    fn missing_programs_have_an_install_command() {
        let fix = |installer| words(NoSandbox::NoBubblewrap { installer }).1;
        assert_eq!(fix(Some(INSTALLERS[0])), "`sudo apt-get install bubblewrap`");
        assert_eq!(fix(Some(INSTALLERS[2])), "`sudo pacman -S bubblewrap`");
        assert_eq!(fix(Some(INSTALLERS[3])), "`sudo apk add bubblewrap`");
        assert_eq!(fix(None), "install bubblewrap");
    }

    #[test]
    fn a_kernel_that_forbids_namespaces_is_named_with_its_setting() {
        let (why, fix) = refusal(vec![NAMESPACE_LIMITS[0]]);
        assert_eq!(
            why,
            "the sandbox cannot run here: bwrap: No permissions to create a new namespace \
             (kernel.apparmor_restrict_unprivileged_userns = 1)"
        );
        assert!(fix.contains("AppArmor profile"), "{fix}");
        let (why, fix) = refusal(vec![NAMESPACE_LIMITS[2]]);
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
    fn an_unsupported_system_is_named() {
        let (why, fix) = words(NoSandbox::Unsupported);
        assert_eq!(why, "this operating system has no sandbox");
        assert!(fix.contains("WSL 2"), "{fix}");
        assert!(words(NoSandbox::NoSeatbelt).0.contains("sandbox-exec"));
        assert!(words(NoSandbox::Hung).0.contains("did not end"));
    }
}
