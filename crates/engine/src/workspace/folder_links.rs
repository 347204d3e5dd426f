//! Symbolic links among the folders that lead to the user's files. The target of a link that an agent
//! created is outside the project: the runner neither writes nor removes anything there.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::own_file;

/// Each with its target.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FolderLinks(BTreeMap<PathBuf, PathBuf>);

impl FolderLinks {
    /// The existing ones below `root`.
    pub(crate) fn to(root: &Path, files: impl IntoIterator<Item = PathBuf>) -> Self {
        let folders = files.into_iter().flat_map(|file| folders(root, &file));
        Self(
            folders.filter_map(|folder| Some((folder.clone(), folder.read_link().ok()?))).collect(),
        )
    }

    /// Removes the new ones on the path to this file.
    pub(crate) fn remove_new(&self, root: &Path, file: &Path) -> io::Result<()> {
        for folder in folders(root, file) {
            match folder.read_link() {
                Ok(leads) if self.0.get(&folder) != Some(&leads) => own_file::remove(&folder)?,
                _ => {}
            }
        }
        Ok(())
    }
}

/// The outermost first: nothing behind a removed link is examined.
fn folders(root: &Path, file: &Path) -> Vec<PathBuf> {
    let folders = file.ancestors().skip(1).take_while(|folder| *folder != root);
    let mut folders: Vec<PathBuf> = folders.map(Path::to_path_buf).collect();
    folders.reverse();
    folders
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn new_links_are_removed_and_their_targets_stay() {
        let dir = assert_fs::TempDir::new().unwrap();
        let (root, own) = (dir.path().join("project"), dir.path().join("own"));
        std::fs::create_dir_all(root.join("a")).unwrap();
        std::fs::create_dir(&own).unwrap();
        symlink("elsewhere", own.join("b")).unwrap();
        let file = root.join("a/b/file");
        let before = FolderLinks::to(&root, [file.clone()]);
        std::fs::remove_dir(root.join("a")).unwrap();
        symlink(&own, root.join("a")).unwrap();
        FolderLinks::to(&root, [file.clone()]).remove_new(&root, &file).unwrap();
        assert!(root.join("a").is_symlink(), "it existed before");
        before.remove_new(&root, &file).unwrap();
        assert!(!root.join("a").is_symlink());
        assert!(own.join("b").is_symlink());
    }
}
