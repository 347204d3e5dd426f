//! Folders on the way to the user's files that are links. What lies behind one that somebody else put
//! there is not the project's, and nothing there is written or removed.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::own_file;

/// With where they led.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FolderLinks(BTreeMap<PathBuf, PathBuf>);

impl FolderLinks {
    /// As they are now, below `root`.
    pub(crate) fn to(root: &Path, files: impl IntoIterator<Item = PathBuf>) -> Self {
        let folders = files.into_iter().flat_map(|file| folders(root, &file));
        Self(
            folders.filter_map(|folder| Some((folder.clone(), folder.read_link().ok()?))).collect(),
        )
    }

    /// Takes away those that are new on the way to this file.
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

/// The outermost first: what lies behind a link is not looked at once that is gone.
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
    fn new_links_go_and_what_is_behind_them_stays() {
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
        assert!(root.join("a").is_symlink(), "it was there");
        before.remove_new(&root, &file).unwrap();
        assert!(!root.join("a").is_symlink());
        assert!(own.join("b").is_symlink());
    }
}
