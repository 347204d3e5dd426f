//! Finds the project folder if the command line names none.

use std::path::Path;

use project::Layout;
use vcs::WorkTree;

/// The nearest project from `here` upwards, else `here` itself.
///
/// Settings name commands that run as the user. So folders above the git repository and folders of other users do not
/// count: in `/tmp`, every user can create settings.
pub(crate) fn nearest(here: Layout, at: impl Fn(&Path) -> Layout) -> Layout {
    if here.is_set_up() {
        return here;
    }
    enclosing(&here, at).unwrap_or(here)
}

/// The nearest project above `here`.
pub(crate) fn enclosing(here: &Layout, at: impl Fn(&Path) -> Layout) -> Option<Layout> {
    let tree = WorkTree::open(here.root()).ok()?;
    let above = here.root().ancestors().skip(1);
    let within = above.take_while(|folder| folder.starts_with(tree.top()));
    let mut set_up = within.map(at).filter(Layout::is_set_up);
    set_up.find(|layout| has_same_owner(layout, here.root()))
}

#[cfg(unix)]
fn has_same_owner(layout: &Layout, here: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &Path| path.metadata().ok().map(|found| found.uid());
    let parts = [layout.root().to_path_buf(), layout.data_dir(), layout.ralph_dir()];
    let owners: Vec<u32> = parts.iter().filter_map(|part| owner(part)).collect();
    owners.into_iter().all(|part| Some(part) == owner(here))
}

#[cfg(not(unix))]
fn has_same_owner(_: &Layout, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    struct Folders(assert_fs::TempDir);

    impl Folders {
        fn with(folders: &[&str]) -> Self {
            let dir = assert_fs::TempDir::new().unwrap();
            folders.iter().for_each(|folder| fs::create_dir_all(dir.path().join(folder)).unwrap());
            Self(dir)
        }

        fn repository(&self, folder: &str) {
            test_repo::init(&self.0.path().join(folder));
        }

        fn nearest(&self, here: &str) -> PathBuf {
            let root = self.0.path().canonicalize().unwrap();
            let found = nearest(Layout::new(root.join(here)), |root| Layout::new(root));
            found.root().strip_prefix(root).unwrap().to_path_buf()
        }
    }

    #[test]
    fn the_project_is_the_nearest_set_up_folder_upwards() {
        let folders = Folders::with(&["a/.ralph", "a/src/deep", "a/part/.ralph", "a/part/src"]);
        folders.repository("a");
        assert_eq!(folders.nearest("a/src/deep"), Path::new("a"));
        assert_eq!(folders.nearest("a"), Path::new("a"));
        assert_eq!(folders.nearest("a/part/src"), Path::new("a/part"));
        fs::create_dir_all(folders.0.path().join("a/src/ralph")).unwrap();
        assert_eq!(folders.nearest("a/src/deep"), Path::new("a"), "a folder alone is no task list");
        fs::write(folders.0.path().join("a/src/ralph/tasks.json"), "{}").unwrap();
        assert_eq!(folders.nearest("a/src/deep"), Path::new("a/src"));
    }

    #[test]
    fn no_folder_above_the_repository_is_the_project() {
        let folders = Folders::with(&[".ralph", "a/src", "b/src"]);
        folders.repository("a");
        assert_eq!(folders.nearest("a/src"), Path::new("a/src"));
        assert_eq!(folders.nearest("b/src"), Path::new("b/src"), "there is no repository");
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_of_another_user_is_not_the_project() {
        if !rustix::process::getuid().is_root() {
            // Bypasses the capture of the test runner.
            let why = "only root can give files to another user";
            let _ =
                std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("SKIPPED: {why}\n"));
            return;
        }
        let folders = Folders::with(&["a/.ralph", "a/src"]);
        folders.repository("a");
        assert_eq!(folders.nearest("a/src"), Path::new("a"));
        std::os::unix::fs::chown(folders.0.path().join("a/.ralph"), Some(1), None).unwrap();
        assert_eq!(folders.nearest("a/src"), Path::new("a/src"));
    }
}
