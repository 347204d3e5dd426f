//! Empty files that Claude Code's own sandbox makes on the host, to lay its devices over, and leaves
//! there when a session is ended in the middle of a command. They are nobody's work.

use std::path::{Path, PathBuf};

use walls::native::stand_in_names;

/// Places that were free when a session began.
#[derive(Debug)]
pub(crate) struct StandIns {
    free: Vec<PathBuf>,
}

impl StandIns {
    pub(crate) fn before_session(root: &Path) -> Self {
        let places = stand_in_names().map(|name| root.join(name));
        Self { free: places.filter(|place| place.symlink_metadata().is_err()).collect() }
    }

    /// Takes away what a session left in them that holds nothing.
    pub(crate) fn clear(&self, root: &Path) {
        for place in &self.free {
            if is_empty_file(place) {
                remove(place, root);
            }
        }
    }
}

/// What a run that was killed left: nobody knows what was there before it, but nobody else makes
/// empty files of these names that cannot be written.
pub(crate) fn clear_leftovers(root: &Path) {
    for place in stand_in_names().map(|name| root.join(name)) {
        let unwritable = || place.metadata().is_ok_and(|found| found.permissions().readonly());
        if is_empty_file(&place) && unwritable() {
            remove(&place, root);
        }
    }
}

fn is_empty_file(place: &Path) -> bool {
    place.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() == 0)
}

/// With the folder that was made for it, if that is empty now. What stays is seen in the work tree.
fn remove(place: &Path, root: &Path) {
    if std::fs::remove_file(place).is_ok()
        && let Some(folder) = place.parent().filter(|folder| *folder != root)
    {
        let _ = std::fs::remove_dir(folder);
    }
}

#[cfg(test)]
mod tests {
    use assert_fs::TempDir;
    use assert_fs::prelude::*;

    use super::*;

    #[test]
    fn what_a_session_left_in_free_places_goes_and_everything_else_stays() {
        let dir = TempDir::new().unwrap();
        dir.child(".bashrc").touch().unwrap();
        let before = StandIns::before_session(dir.path());
        for name in [".gitconfig", ".vscode", ".claude/settings.json"] {
            dir.child(name).touch().unwrap();
        }
        dir.child(".mcp.json").write_str("{}").unwrap();
        before.clear(dir.path());
        let left = |name: &str| dir.child(name).path().exists();
        assert!(left(".bashrc") && left(".mcp.json"), "one was there, one holds something");
        assert!(!left(".gitconfig") && !left(".vscode") && !left(".claude"));
    }

    #[test]
    fn leftovers_of_a_killed_run_are_known_by_their_rights() {
        let dir = TempDir::new().unwrap();
        for name in [".gitmodules", ".profile"] {
            dir.child(name).touch().unwrap();
        }
        let file = dir.child(".gitmodules");
        let mut rights = file.path().metadata().unwrap().permissions();
        rights.set_readonly(true);
        std::fs::set_permissions(file.path(), rights).unwrap();
        clear_leftovers(dir.path());
        assert!(!file.path().exists() && dir.child(".profile").path().exists());
    }
}
