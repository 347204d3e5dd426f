//! The categories of harm.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    RecursiveDelete,
    DiskTools,
    PermissionSweep,
    PrivilegeEscalation,
    GitHistory,
    RemoteCode,
    Exfiltration,
    ReverseShell,
    CredentialFiles,
    EnvironmentDump,
    PackagePublishing,
    ContainerEscape,
    CloudDestruction,
    ServiceControl,
    Persistence,
    ResourceExhaustion,
    WriteOutside,
    LoopTampering,
    /// Code that cannot be analyzed.
    HiddenCode,
    /// Commands that the user's settings deny.
    OwnRule,
}

impl Category {
    pub const ALL: [Self; 20] = [
        Self::RecursiveDelete,
        Self::DiskTools,
        Self::PermissionSweep,
        Self::PrivilegeEscalation,
        Self::GitHistory,
        Self::RemoteCode,
        Self::Exfiltration,
        Self::ReverseShell,
        Self::CredentialFiles,
        Self::EnvironmentDump,
        Self::PackagePublishing,
        Self::ContainerEscape,
        Self::CloudDestruction,
        Self::ServiceControl,
        Self::Persistence,
        Self::ResourceExhaustion,
        Self::WriteOutside,
        Self::LoopTampering,
        Self::HiddenCode,
        Self::OwnRule,
    ];

    /// The name in settings, in the corpus and in answers to the model.
    pub fn name(self) -> &'static str {
        match self {
            Self::RecursiveDelete => "recursive-delete",
            Self::DiskTools => "disk-tools",
            Self::PermissionSweep => "permission-sweep",
            Self::PrivilegeEscalation => "privilege-escalation",
            Self::GitHistory => "git-history",
            Self::RemoteCode => "remote-code",
            Self::Exfiltration => "exfiltration",
            Self::ReverseShell => "reverse-shell",
            Self::CredentialFiles => "credential-files",
            Self::EnvironmentDump => "environment-dump",
            Self::PackagePublishing => "package-publishing",
            Self::ContainerEscape => "container-escape",
            Self::CloudDestruction => "cloud-destruction",
            Self::ServiceControl => "service-control",
            Self::Persistence => "persistence",
            Self::ResourceExhaustion => "resource-exhaustion",
            Self::WriteOutside => "write-outside",
            Self::LoopTampering => "loop-tampering",
            Self::HiddenCode => "hidden-code",
            Self::OwnRule => "own-rule",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_category_is_explained_to_users() {
        let page = include_str!("../../../docs/command-guard.md");
        for category in Category::ALL {
            assert!(page.contains(&format!("| `{category}` | ")), "{category}");
        }
    }
}
