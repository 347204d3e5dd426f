//! The user's permissions on the project, given back after a session that took them away.

use std::path::PathBuf;

use crate::permissions;
use crate::stories::iteration::Iteration;
use crate::stories::repository::listed;
use crate::stories::run::Run;

impl Run<'_> {
    /// On the folders that the runner writes to after every session.
    pub(crate) fn own_folders_again(&mut self, iteration: &Iteration) {
        let list = self.layout.tasks();
        let [git, common] = self.tree.git_dirs();
        let [objects, refs] = ["objects", "refs"].map(|name| common.join(name));
        let heads = refs.join("heads");
        let project = [Some(self.layout.root()), list.parent()].into_iter().flatten();
        let run = self.layout.run_dir(&self.state.run_id);
        let own = [self.layout.data_dir(), run, iteration.folder.clone(), objects, refs, heads];
        let given = project.chain([git, common]).map(PathBuf::from).chain(own);
        self.warn_of_given(&permissions::give_back(given));
    }

    /// On everything in the project and its repository. Slow, so only after a failure. Returns whether a
    /// permission was missing.
    pub(crate) fn own_everything_again(&mut self) -> bool {
        let mut given = permissions::give_back_below(self.layout.root());
        let outside = self.tree.git_dirs().map(PathBuf::from);
        for folder in outside.iter().filter(|folder| !folder.starts_with(self.layout.root())) {
            given.extend(permissions::give_back_below(folder));
        }
        self.warn_of_given(&given);
        !given.is_empty()
    }

    fn warn_of_given(&mut self, given: &[PathBuf]) {
        if given.is_empty() {
            return;
        }
        let names: Vec<String> = given.iter().map(|path| self.layout.name_of(path)).collect();
        self.sink.warn(format!(
            "permissions of the owner were missing and are given back: {}",
            listed(&names)
        ));
    }
}
