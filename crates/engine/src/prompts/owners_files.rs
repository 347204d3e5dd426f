//! The settings as they were when an iteration began. They say what the loop checks, so an agent
//! that changes them finds them as they were.

use std::io;
use std::path::PathBuf;

use bounded_read::FileError;
use project::{Layout, replace_whole};

const LARGEST: u64 = 16 * 1024 * 1024;

pub(crate) struct OwnersFiles(Vec<(PathBuf, Option<Vec<u8>>)>);

impl OwnersFiles {
    pub(crate) fn read(layout: &Layout) -> Self {
        let read = |path: PathBuf| {
            let bytes = bounded_read::read_file(&path, LARGEST).ok();
            (path, bytes)
        };
        Self([layout.settings(), layout.local_settings()].map(read).into())
    }

    /// Puts back what changed, and names it.
    pub(crate) fn put_back(&self, layout: &Layout) -> io::Result<Vec<String>> {
        let mut changed = Vec::new();
        for (path, before) in &self.0 {
            let now = bounded_read::read_file(path, LARGEST);
            match (before, now) {
                (None, Err(FileError::Absent)) => continue,
                (Some(before), Ok(now)) if *before == now => continue,
                (None, _) => remove(path)?,
                (Some(before), now) => {
                    if !matches!(now, Ok(_) | Err(FileError::Absent)) {
                        remove(path)?;
                    }
                    std::fs::create_dir_all(layout.data_dir())?;
                    replace_whole(path, before)?;
                }
            }
            changed.push(layout.name_of(path));
        }
        Ok(changed)
    }
}

/// Whatever it is by now.
fn remove(path: &PathBuf) -> io::Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => std::fs::remove_dir_all(path),
        _ => std::fs::remove_file(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_were_changed_made_or_removed_are_as_they_were() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir(layout.data_dir()).unwrap();
        std::fs::write(layout.settings(), "{}").unwrap();
        let files = OwnersFiles::read(&layout);
        assert_eq!(files.put_back(&layout).unwrap(), Vec::<String>::new());

        std::fs::write(layout.settings(), "{\"guardrails\":[]}").unwrap();
        std::fs::write(layout.local_settings(), "{}").unwrap();
        let names = [".ralph/settings.json", ".ralph/settings.local.json"];
        assert_eq!(files.put_back(&layout).unwrap(), names);
        assert_eq!(std::fs::read_to_string(layout.settings()).unwrap(), "{}");
        assert!(!layout.local_settings().exists());

        std::fs::remove_dir_all(layout.data_dir()).unwrap();
        assert_eq!(files.put_back(&layout).unwrap(), names[..1]);
        std::fs::remove_file(layout.settings()).unwrap();
        std::fs::create_dir(layout.settings()).unwrap();
        assert_eq!(files.put_back(&layout).unwrap(), names[..1]);
        assert_eq!(std::fs::read_to_string(layout.settings()).unwrap(), "{}");
    }
}
