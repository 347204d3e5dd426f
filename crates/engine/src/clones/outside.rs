//! Clones for commands without a run: the runner's files are beside the clone, where no session can write if it is
//! sandboxed.

use std::path::{Path, PathBuf};

use project::Layout;
use vcs::WorkTree;

use crate::RunError;
use crate::options::{LaneVariables, StoryOptions};

/// The repository of the project.
pub(crate) fn project_of(options: &StoryOptions) -> Result<WorkTree, RunError> {
    let root = options.run.layout.root();
    WorkTree::open(root).map_err(|_| {
        RunError::precondition(
            format!("{} is not in a git repository", root.display()),
            "run it in the repository that has the commits",
        )
    })
}

/// The options in the clone `clone` in `folder`. Events name it as lane `number`.
pub(crate) fn options_outside(
    options: &StoryOptions,
    project: &WorkTree,
    folder: &Path,
    number: u64,
) -> StoryOptions {
    let [_, git] = project.git_dirs();
    let runner = folder.join("runner");
    let objects = [git.join("objects"), git.join("lfs")];
    let objects = objects.into_iter().filter(|folder| folder.is_dir());
    let borrowed: Vec<PathBuf> = objects.chain([runner.clone()]).collect();
    let root = folder.join("clone").join(project.project_folder());
    let root: PathBuf = root.components().collect();
    let lane = LaneVariables { number, ..LaneVariables::default() };
    let ralph_dir = options.run.layout.ralph_dir_name();
    let mut options = options.in_folder(root.clone(), lane, &borrowed);
    options.run.layout = Layout::new(runner).with_ralph_dir(ralph_dir).in_clone(root);
    options
}
