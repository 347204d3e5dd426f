//! Clones of the project: made once and kept between stories, with copies of the ignored files that work needs.

use std::path::{Path, PathBuf};

use events::LoopEvent;
use project::Layout;
use tasks::Sha256Digest;
use vcs::{CommitId, WorkTree};

use crate::RunError;
use crate::event_sink::EventSink;
use crate::run_files::{self, deadline};
use crate::run_id::random;

/// Patterns of ignored files that are copied into a clone, in the syntax of `.gitignore`.
const INCLUDED: &str = ".worktreeinclude";

/// Files that say which dependencies a project needs: setup commands run again when one of them changes.
const LOCK_FILES: &str = "
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock uv.lock poetry.lock
    pdm.lock Pipfile.lock requirements.txt Gemfile.lock composer.lock Cargo.lock go.sum mix.lock pubspec.lock
    packages.lock.json gradle.lockfile
";

const LARGEST_LOCK_FILE: u64 = 64 * 1024 * 1024;

/// In the names of clones that are not complete.
const INCOMPLETE: &str = "new-";

pub(crate) struct LaneClone {
    pub(crate) tree: WorkTree,
    pub(crate) is_new: bool,
}

/// A new clone in `folder`. What another program may have left there is not used.
pub(crate) fn make(
    project: &WorkTree,
    folder: &Path,
    layout: &Layout,
    sink: &EventSink<'_>,
) -> Result<WorkTree, RunError> {
    project::remove_any(folder).map_err(RunError::disk(folder.display()))?;
    let tree = open(project, folder, layout, sink)?.tree;
    run_files::hide_from_git(&tree, layout)?;
    // A sandbox makes them read-only, so it would create them.
    tree.make_control_files()?;
    Ok(tree)
}

/// The clone in `folder`, which is made if it is not there.
pub(crate) fn open(
    project: &WorkTree,
    folder: &Path,
    layout: &Layout,
    sink: &EventSink<'_>,
) -> Result<LaneClone, RunError> {
    let existing = WorkTree::open(&folder.join(project.project_folder())).ok();
    let own = folder.canonicalize().ok();
    if let Some(tree) = existing.filter(|tree| Some(tree.top()) == own.as_deref()) {
        return Ok(LaneClone { tree, is_new: false });
    }
    // Under another name until it is complete: a runner that is killed meanwhile leaves no half of a clone. The name is
    // used once, because the git of a killed runner may still run, and removes its clone when it fails.
    project::remove_any(folder).map_err(RunError::disk(folder.display()))?;
    remove_incomplete(folder);
    let incomplete = folder.with_extension(format!("{INCOMPLETE}{}", random(8)));
    let clone = project.clone_to(&incomplete, deadline())?;
    let root = clone.top().join(project.project_folder());
    std::fs::create_dir_all(&root).map_err(RunError::disk(root.display()))?;
    let copied = copy_included(project, layout, &root)?;
    std::fs::rename(&incomplete, folder).map_err(RunError::disk(folder.display()))?;
    let root = folder.join(project.project_folder());
    let tree = WorkTree::open(&root).map_err(|_| no_clone(folder))?;
    let folder = folder.display().to_string();
    sink.emit(LoopEvent::LanePrepared { folder, is_new: true, copied });
    Ok(LaneClone { tree, is_new: true })
}

/// Those of killed runners. What cannot be removed now, because git still writes there, is removed the next time.
fn remove_incomplete(folder: &Path) {
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else { return };
    let start = format!("{}.{INCOMPLETE}", name.to_string_lossy());
    for entry in parent.read_dir().into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&start) {
            let _ = project::remove_any(&entry.path());
        }
    }
}

fn no_clone(folder: &Path) -> RunError {
    RunError::precondition(
        format!("git cannot use the new clone in {}", folder.display()),
        "check that lanes.dir is on a file system where you can create repositories",
    )
}

/// The number of files. The file system shares their content with the originals if it can.
fn copy_included(project: &WorkTree, layout: &Layout, clone: &Path) -> Result<u64, RunError> {
    let list = layout.project_root().join(INCLUDED);
    if !list.is_file() {
        return Ok(0);
    }
    let names = project.ignored_and_listed(&list, deadline())?;
    let own = layout.runtime_patterns();
    let is_own = |name: &String| own.iter().any(|own| name.starts_with(own.trim_end_matches('*')));
    let mut copied = 0;
    for name in names.iter().filter(|name| !is_own(name)) {
        let (from, to) = (layout.project_root().join(name), clone.join(name));
        if !from.symlink_metadata().is_ok_and(|found| found.is_file()) {
            continue;
        }
        let folder = to.parent().unwrap_or(clone);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::copy(&from, &to))
            .map_err(RunError::disk(to.display()))?;
        copied += 1;
    }
    Ok(copied)
}

/// Folders of the project that sessions and checks in a clone read: objects of git, and files that prompts name.
pub(crate) fn borrowed_folders(tree: &WorkTree, layout: &Layout) -> Vec<PathBuf> {
    let [_, git] = tree.git_dirs();
    let all = [git.join("objects"), git.join("lfs"), layout.runs()];
    all.into_iter().filter(|folder| folder.is_dir()).collect()
}

/// Clones contain what `.worktreeinclude` names, such as keys.
pub(crate) fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// A digest of the project's lock files at `commit`.
pub(crate) fn lock_files(tree: &WorkTree, commit: &CommitId) -> Result<Sha256Digest, RunError> {
    let mut found = Vec::new();
    for name in LOCK_FILES.split_whitespace() {
        if let Some(bytes) = tree.file_at(commit, name, LARGEST_LOCK_FILE, deadline())? {
            found.extend(
                [name.as_bytes(), b"\0", Sha256Digest::of(&bytes).to_string().as_bytes()].concat(),
            );
        }
    }
    Ok(Sha256Digest::of(&found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_clones_of_this_lane_are_removed() {
        let dir = assert_fs::TempDir::new().unwrap();
        for name in ["1", "1.new-ab/.git", "11.new-cd", "other"] {
            std::fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        remove_incomplete(&dir.path().join("1"));
        let mut left: Vec<_> =
            dir.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["1", "11.new-cd", "other"]);
    }
}
