//! Checks the folder for Claude Code's state in sandboxes. It must not expose the user's files, because a
//! sandbox can write all of it.

use std::path::Path;

use thiserror::Error;

/// Folders that the state folder must not expose, as canonical paths.
#[derive(Debug, Clone, Copy)]
pub struct OffLimits<'a> {
    pub home: &'a Path,
    /// The user's own `~/.claude`, canonical.
    pub own_settings: &'a Path,
    pub project: &'a Path,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum StateFolderRefused {
    #[error("it is your home folder, or contains it")]
    Home,
    #[error("the sandbox would see your own ~/.claude")]
    OwnSettings,
    #[error("it is in the project, or the project is in it")]
    Project,
}

impl OffLimits<'_> {
    /// `state` must be canonical too.
    pub fn check(&self, state: &Path) -> Result<(), StateFolderRefused> {
        let touches = |other: &Path| state.starts_with(other) || other.starts_with(state);
        if self.home.starts_with(state) {
            Err(StateFolderRefused::Home)
        } else if touches(self.own_settings) {
            Err(StateFolderRefused::OwnSettings)
        } else if touches(self.project) {
            Err(StateFolderRefused::Project)
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

    fn off_limits(project: &'static str) -> OffLimits<'static> {
        OffLimits {
            home: Path::new("/home/me"),
            own_settings: Path::new("/data/dotfiles/claude"),
            project: Path::new(project),
        }
    }

    #[test]
    fn the_users_own_folders_are_refused() {
        use StateFolderRefused::{Home, OwnSettings, Project};
        let check = |state: &str| off_limits("/home/me/src/app").check(Path::new(state));
        assert_eq!(check("/home/me/.dclaude_state"), Ok(()));
        for home in ["/home/me", "/home", "/"] {
            assert_eq!(check(home), Err(Home), "{home}");
        }
        for own in ["/data/dotfiles/claude", "/data/dotfiles/claude/x", "/data/dotfiles"] {
            assert_eq!(check(own), Err(OwnSettings), "{own}");
        }
        for project in ["/home/me/src", "/home/me/src/app", "/home/me/src/app/.state"] {
            assert_eq!(check(project), Err(Project), "{project}");
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
