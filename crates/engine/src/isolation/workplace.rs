//! What a process tree may write of a project: its files and its history, without the files that decide whether work
//! counts.

use std::path::PathBuf;

use os_sandbox::Workplace;
use project::Layout;
use vcs::{AllowedChanges, WorkTree};

/// Without what the settings and the environment add.
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
    // They have to exist to be made unwritable. Without them git works all the same.
    let _ = tree.make_control_files();
    place.unwritable.extend(tree.unwritable_control_files(allowed));
    // Of a project in a folder of its repository, the other folders are read by builds.
    place.readable.push(tree.top().to_path_buf());
    let dot_git = tree.top().join(".git");
    // A repository of its own has no history elsewhere, whatever a file in it says: a check could have made that file.
    place.folders = match dot_git.symlink_metadata() {
        Ok(found) if found.is_dir() => vec![dot_git],
        _ => tree.git_dirs().map(PathBuf::from).to_vec(),
    };
    // Around a file that may not be written: they could be renamed with it.
    let objects = place.folders.iter().map(|folder| folder.join("objects"));
    let around: Vec<PathBuf> = objects.flat_map(|it| [it.join("info"), it]).collect();
    place.folders.extend(around);
    place
}
