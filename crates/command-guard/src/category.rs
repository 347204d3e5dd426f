//! The categories of harm.

use std::fmt;

/// Defines the categories with their names in settings, in the corpus and in answers to the model; the most serious first.
macro_rules! categories {
    ($($(#[$comment:meta])* $category:ident $name:literal)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Category {
            $($(#[$comment])* $category,)*
        }

        impl Category {
            pub const ALL: &[Self] = &[$(Self::$category),*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$category => $name,)*
                }
            }
        }
    };
}

categories! {
    RecursiveDelete "recursive-delete"
    DiskTools "disk-tools"
    PermissionSweep "permission-sweep"
    PrivilegeEscalation "privilege-escalation"
    GitHistory "git-history"
    RemoteCode "remote-code"
    Exfiltration "exfiltration"
    ReverseShell "reverse-shell"
    CredentialFiles "credential-files"
    EnvironmentDump "environment-dump"
    PackagePublishing "package-publishing"
    ContainerEscape "container-escape"
    CloudDestruction "cloud-destruction"
    ServiceControl "service-control"
    Persistence "persistence"
    ResourceExhaustion "resource-exhaustion"
    WriteOutside "write-outside"
    LoopTampering "loop-tampering"
    /// Code that cannot be analyzed.
    HiddenCode "hidden-code"
    /// Commands that the user's settings deny.
    OwnRule "own-rule"
}

impl Category {
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|category| category.name() == name)
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
