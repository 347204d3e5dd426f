//! What a process tree may write of a project: its files and its git history, but not the files that decide
//! whether work counts.

use std::path::PathBuf;

use os_sandbox::Workplace;
use project::Layout;
use vcs::{AllowedChanges, WorkTree};

/// Before the additions of settings and environment.
pub(super) fn workplace(layout: &Layout, allowed: &AllowedChanges) -> Workplace {
    let root = layout.root().canonicalize().unwrap_or_else(|_| layout.root().to_path_buf());
    let own = [layout.data_dir(), layout.marker()].map(|path| layout.name_of(&path));
    let names = own.into_iter().chain(layout.protected_names());
    let mut place = Workplace {
        unwritable: names.map(|name| root.join(name)).collect(),
        root,
        ..Workplace::default()
    };
    let Ok(tree) = WorkTree::open(layout.root()) else { return place };
    // They must exist to be made read-only. Git works with the empty ones too.
    let _ = tree.make_control_files();
    place.unwritable.extend(tree.unwritable_control_files(allowed));
    // For a project in a subfolder of its repository, builds read the other folders.
    place.readable.push(tree.top().to_path_buf());
    let dot_git = tree.top().join(".git");
    // The git folder of a regular repository is inside it, whatever a file says that a check could have written.
    place.folders = match dot_git.symlink_metadata() {
        Ok(found) if found.is_dir() => vec![dot_git],
        _ => tree.git_dirs().map(PathBuf::from).to_vec(),
    };
    // Parent folders of read-only files: they could be renamed with the file inside.
    let objects = place.folders.iter().map(|folder| folder.join("objects"));
    let around: Vec<PathBuf> = objects.flat_map(|it| [it.join("info"), it]).collect();
    place.folders.extend(around);
    place
}
