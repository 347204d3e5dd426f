//! Restores the user's permissions on the project after a session removed them.

use std::path::PathBuf;

use crate::workspace::core::Workspace;
use crate::workspace::notice::listed;
use crate::workspace::permissions;
use crate::workspace::session_work::SessionWork;

impl Workspace<'_> {
    /// For the folders that the runner writes to after every session.
    pub(crate) fn restore_folder_permissions(&mut self, work: &SessionWork<'_>) {
        let list = self.layout.tasks();
        let [git, common] = self.tree.git_dirs();
        let [objects, refs] = ["objects", "refs"].map(|name| common.join(name));
        let heads = refs.join("heads");
        let project = [Some(self.layout.root()), list.parent()].into_iter().flatten();
        let run = self.layout.run_dir(&self.run_id);
        let own = [self.layout.data_dir(), run, work.folder.to_path_buf(), objects, refs, heads];
        let given = project.chain([git, common]).map(PathBuf::from).chain(own);
        self.warn_of_restored(&permissions::restore_permissions(given));
    }

    /// For everything in the project and its repository. Slow, so only after a failure. Returns whether a
    /// permission was missing.
    pub(crate) fn restore_all_permissions(&mut self) -> bool {
        let mut given = permissions::restore_permissions_below(self.layout.root());
        let outside = self.tree.git_dirs().map(PathBuf::from);
        for folder in outside.iter().filter(|folder| !folder.starts_with(self.layout.root())) {
            given.extend(permissions::restore_permissions_below(folder));
        }
        self.warn_of_restored(&given);
        !given.is_empty()
    }

    fn warn_of_restored(&mut self, given: &[PathBuf]) {
        if given.is_empty() {
            return;
        }
        let names: Vec<String> = given.iter().map(|path| self.layout.name_of(path)).collect();
        self.sink.warn(format!(
            "the owner's permissions were missing; restored them on {}",
            listed(&names)
        ));
    }
}
