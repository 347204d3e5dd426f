//! Snapshot of the user's settings files, restored when an agent changes them. They define the checks of the
//! loop, and Claude Code's settings decide whether hooks run.

use std::io;
use std::path::PathBuf;

use bounded_read::FileError;
use project::Layout;

use crate::workspace::FolderLinks;
use crate::{RunError, own_file};

const LARGEST: u64 = 16 * 1024 * 1024;

pub(crate) struct SettingsSnapshot(Vec<FileSnapshot>);

/// A file of the user with its contents at the start of the iteration.
#[derive(Debug)]
pub struct FileSnapshot {
    root: PathBuf,
    path: PathBuf,
    links: FolderLinks,
    /// The target, if the file itself is a link.
    link: Option<PathBuf>,
    before: Option<Vec<u8>>,
}

impl SettingsSnapshot {
    pub(crate) fn read(layout: &Layout) -> Self {
        let paths = layout.settings_files().into_iter().chain(layout.claude_settings());
        Self(paths.map(|path| FileSnapshot::read(layout, path)).collect())
    }

    /// Restores the files that changed and returns their names.
    pub(crate) fn restore(&self, layout: &Layout) -> Result<Vec<String>, RunError> {
        let mut changed = Vec::new();
        for file in &self.0 {
            let name = layout.name_of(&file.path);
            match file.restore() {
                Ok(false) => {}
                Ok(true) => changed.push(name),
                Err(error) => return Err(RunError::Disk { path: name, error }),
            }
        }
        Ok(changed)
    }
}

impl FileSnapshot {
    pub fn read(layout: &Layout, path: PathBuf) -> Self {
        Self {
            root: layout.root().to_path_buf(),
            links: FolderLinks::to(layout.root(), [path.clone()]),
            link: path.read_link().ok(),
            before: bounded_read::read_file(&path, LARGEST).ok(),
            path,
        }
    }

    /// `None` if it was missing or unreadable.
    pub fn before(&self) -> Option<&[u8]> {
        self.before.as_deref()
    }

    /// Whether a new link leads to another place, whose contents are not the project's.
    pub fn is_redirected(&self) -> bool {
        FolderLinks::to(&self.root, [self.path.clone()]) != self.links
            || self.path.read_link().ok() != self.link
    }

    /// Writes other contents to the original place, even if a new link leads elsewhere.
    pub fn replace(&self, contents: &[u8]) -> io::Result<()> {
        self.links.remove_new(&self.root, &self.path)?;
        own_file::put(&self.root, &self.path, contents)
    }

    /// Restores the contents of before. Returns whether the file had changed.
    pub fn restore(&self) -> io::Result<bool> {
        match (&self.before, bounded_read::read_file(&self.path, LARGEST)) {
            (None, Err(FileError::Absent)) => return Ok(false),
            (Some(before), Ok(now)) if *before == now => return Ok(false),
            (Some(before), _) => self.replace(before)?,
            (None, _) => {
                self.links.remove_new(&self.root, &self.path)?;
                own_file::remove(&self.path)?;
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_were_changed_created_or_removed_are_restored() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir(layout.data_dir()).unwrap();
        std::fs::write(layout.settings(), "{}").unwrap();
        let files = SettingsSnapshot::read(&layout);
        assert_eq!(files.restore(&layout).unwrap(), Vec::<String>::new());

        std::fs::write(layout.settings(), "{\"guardrails\":[]}").unwrap();
        std::fs::write(layout.local_settings(), "{}").unwrap();
        let names = [".ralph/settings.json", ".ralph/settings.local.json"];
        assert_eq!(files.restore(&layout).unwrap(), names);
        assert_eq!(std::fs::read_to_string(layout.settings()).unwrap(), "{}");
        assert!(!layout.local_settings().exists());

        std::fs::remove_dir_all(layout.data_dir()).unwrap();
        assert_eq!(files.restore(&layout).unwrap(), names[..1]);
        std::fs::remove_file(layout.settings()).unwrap();
        std::fs::create_dir(layout.settings()).unwrap();
        assert_eq!(files.restore(&layout).unwrap(), names[..1]);
        assert_eq!(std::fs::read_to_string(layout.settings()).unwrap(), "{}");
    }

    #[test]
    fn a_file_or_folder_that_blocks_the_restore_is_removed() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let (folder, [shared, _]) = (dir.path().join(".claude"), layout.claude_settings());
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(&shared, "{}").unwrap();
        let files = SettingsSnapshot::read(&layout);
        let spoil: [&dyn Fn(); 2] = [&|| std::fs::write(&folder, "a file").unwrap(), &|| {
            std::fs::create_dir_all(shared.join("deep")).unwrap();
        }];
        for spoil in spoil {
            std::fs::remove_dir_all(&folder).unwrap();
            spoil();
            assert_eq!(files.restore(&layout).unwrap(), [".claude/settings.json"]);
            assert_eq!(std::fs::read_to_string(&shared).unwrap(), "{}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_place_of_the_folder_is_followed_only_if_it_existed_before() {
        use std::os::unix::fs::symlink;
        let dir = assert_fs::TempDir::new().unwrap();
        let (root, own) = (dir.path().join("project"), dir.path().join("own"));
        std::fs::create_dir_all(root.join(".claude")).unwrap();
        std::fs::create_dir(&own).unwrap();
        let layout = Layout::new(&root);
        let [shared, local] = layout.claude_settings();
        std::fs::write(&shared, "{}").unwrap();
        for name in ["settings.json", "settings.local.json"] {
            std::fs::write(own.join(name), "own").unwrap();
        }
        let files = SettingsSnapshot::read(&layout);
        std::fs::remove_dir_all(root.join(".claude")).unwrap();
        symlink(&own, root.join(".claude")).unwrap();
        assert_eq!(files.restore(&layout).unwrap(), [".claude/settings.json"]);
        assert_eq!(std::fs::read_to_string(&shared).unwrap(), "{}");
        assert!(!local.exists());
        for name in ["settings.json", "settings.local.json"] {
            assert_eq!(std::fs::read_to_string(own.join(name)).unwrap(), "own");
        }

        std::fs::remove_dir_all(root.join(".claude")).unwrap();
        symlink(&own, root.join(".claude")).unwrap();
        let files = SettingsSnapshot::read(&layout);
        std::fs::write(&shared, "changed").unwrap();
        assert_eq!(files.restore(&layout).unwrap(), [".claude/settings.json"]);
        assert_eq!(std::fs::read_to_string(own.join("settings.json")).unwrap(), "own");
        assert!(root.join(".claude").is_symlink());
    }
}
