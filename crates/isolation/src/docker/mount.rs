//! Host folders mounted into a sandbox, at the same path as on the host.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    pub path: PathBuf,
    pub access: MountAccess,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MountAccess {
    ReadOnly,
    ReadWrite,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MountRefused {
    #[error("{} is not an absolute path", .0.display())]
    Relative(PathBuf),
    #[error("{} has a colon in its name, which separates paths in a mount", .0.display())]
    Colon(PathBuf),
}

impl Mount {
    pub fn read_only(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), access: MountAccess::ReadOnly }
    }

    pub fn read_write(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), access: MountAccess::ReadWrite }
    }

    /// Refuses relative paths, which could be taken for an option.
    pub fn check(&self) -> Result<(), MountRefused> {
        if !self.path.is_absolute() {
            return Err(MountRefused::Relative(self.path.clone()));
        }
        if has_colon(&self.path) {
            return Err(MountRefused::Colon(self.path.clone()));
        }
        Ok(())
    }

    pub(super) fn word(&self) -> OsString {
        let mut word = self.path.clone().into_os_string();
        if self.access == MountAccess::ReadOnly {
            word.push(":ro");
        }
        word
    }
}

/// Ignores the colon of a drive letter.
fn has_colon(path: &Path) -> bool {
    let path = path.as_os_str().as_encoded_bytes();
    let path = if cfg!(windows) { path.get(2..).unwrap_or_default() } else { path };
    path.contains(&b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn an_ambiguous_path_is_refused() {
        let check = |path: &str| Mount::read_only(path).check();
        assert_eq!(check("/a b/'c'\n$d"), Ok(()));
        assert_eq!(check("/a/b:ro"), Err(MountRefused::Colon("/a/b:ro".into())));
        assert_eq!(check("-v"), Err(MountRefused::Relative("-v".into())));
    }

    #[test]
    fn only_read_only_mounts_have_a_suffix() {
        assert_eq!(Mount::read_only("/x").word(), "/x:ro");
        assert_eq!(Mount::read_write("/x").word(), "/x");
    }
}
