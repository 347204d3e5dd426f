//! What files say, in a short form that is compared later.

use std::collections::BTreeMap;
use std::path::Path;

use tasks::Sha256Digest;

/// Of larger ones size and time are compared.
const LARGEST: u64 = 1024 * 1024;

/// By the names of the files.
pub(crate) type Fingerprints = BTreeMap<String, String>;

/// Of those that are there.
pub(crate) fn of_files(root: &Path, paths: &[String]) -> Fingerprints {
    let print = |path: &String| Some((path.clone(), fingerprint(&vcs::on_disk(root, path))?));
    paths.iter().filter_map(print).collect()
}

/// None if nothing is there.
pub(crate) fn fingerprint(path: &Path) -> Option<String> {
    let metadata = path.symlink_metadata().ok()?;
    let target = std::fs::read_link(path).unwrap_or_default();
    let contents = match bounded_read::read_file(path, LARGEST) {
        Ok(bytes) => Sha256Digest::of(bytes).to_string(),
        Err(_) => format!("{} {:?}", metadata.len(), metadata.modified().ok()),
    };
    Some(format!("{contents} {}", target.display()))
}

/// Files that are not what they were, or gone.
pub(crate) fn changed(before: &Fingerprints, now: &Fingerprints) -> Vec<String> {
    let changed = before.iter().filter(|(path, print)| now.get(*path) != Some(print));
    changed.map(|(path, _)| path.clone()).collect()
}

pub(crate) fn added(before: &Fingerprints, now: &Fingerprints) -> Vec<String> {
    now.keys().filter(|path| !before.contains_key(*path)).cloned().collect()
}
