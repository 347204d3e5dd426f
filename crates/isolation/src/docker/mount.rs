//! Host folders mounted into a sandbox, at the same path as on the host. The folder for Claude Code's state must
//! not expose the user's files, because a sandbox can write all of it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

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

impl Mount {
    pub fn read_only(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), access: MountAccess::ReadOnly }
    }

    pub fn read_write(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), access: MountAccess::ReadWrite }
    }

    /// Refuses relative paths, which could be taken for an option. The error is a sentence.
    pub fn check(&self) -> Result<(), String> {
        let path = self.path.display();
        if !self.path.is_absolute() {
            return Err(format!("{path} is not an absolute path"));
        }
        if has_colon(&self.path) {
            return Err(format!(
                "{path} has a colon in its name, which separates paths in a mount"
            ));
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

/// Folders that the state folder must not expose, as canonical paths.
#[derive(Debug, Clone, Copy)]
pub struct OffLimits<'a> {
    pub home: &'a Path,
    /// The user's own `~/.claude`, canonical.
    pub own_settings: &'a Path,
    pub project: &'a Path,
}

impl OffLimits<'_> {
    /// `state` must be canonical too. The error is a sentence.
    pub fn check(&self, state: &Path) -> Result<(), &'static str> {
        let touches = |other: &Path| state.starts_with(other) || other.starts_with(state);
        if self.home.starts_with(state) {
            Err("it is your home folder, or contains it")
        } else if touches(self.own_settings) {
            Err("the sandbox would see your own ~/.claude")
        } else if touches(self.project) {
            Err("it is in the project, or the project is in it")
        } else {
            Ok(())
        }
    }

    /// Whether the project folder contains the user's own settings.
    pub fn project_is_private(&self) -> bool {
        let (own, project) = (self.own_settings, self.project);
        own.starts_with(project) || project.starts_with(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn an_ambiguous_path_is_refused() {
        let check = |path: &str| Mount::read_only(path).check();
        assert_eq!(check("/a b/'c'\n$d"), Ok(()));
        assert!(check("/a/b:ro").unwrap_err().starts_with("/a/b:ro has a colon"));
        assert_eq!(check("-v").unwrap_err(), "-v is not an absolute path");
    }

    #[test]
    fn only_read_only_mounts_have_a_suffix() {
        assert_eq!(Mount::read_only("/x").word(), "/x:ro");
        assert_eq!(Mount::read_write("/x").word(), "/x");
    }

    fn off_limits(project: &'static str) -> OffLimits<'static> {
        OffLimits {
            home: Path::new("/home/me"),
            own_settings: Path::new("/data/dotfiles/claude"),
            project: Path::new(project),
        }
    }

    #[test]
    fn the_users_own_folders_are_refused() {
        let check = |state: &str| off_limits("/home/me/src/app").check(Path::new(state));
        assert_eq!(check("/home/me/.dclaude_state"), Ok(()));
        for home in ["/home/me", "/home", "/"] {
            assert!(check(home).unwrap_err().contains("home folder"), "{home}");
        }
        for own in ["/data/dotfiles/claude", "/data/dotfiles/claude/x", "/data/dotfiles"] {
            assert!(check(own).unwrap_err().contains("~/.claude"), "{own}");
        }
        for project in ["/home/me/src", "/home/me/src/app", "/home/me/src/app/.state"] {
            assert!(check(project).unwrap_err().contains("in the project"), "{project}");
        }
    }

    #[test]
    fn a_project_around_the_users_settings_or_in_them_is_private() {
        for project in ["/data", "/data/dotfiles/claude", "/data/dotfiles/claude/skills"] {
            assert!(off_limits(project).project_is_private(), "{project}");
        }
        assert!(!off_limits("/data/dotfiles/claude-plugin").project_is_private());
    }
}
