//! What files say, in a short form that is compared later.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::Path;

use tasks::Sha256Digest;

/// Of larger ones size and time of the last change are compared.
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
        Err(_) => format!("{} {}", metadata.len(), last_change(&metadata)),
    };
    Some(format!("{contents} {}", target.display()))
}

/// Unlike the time of the last write, no program can set it.
#[cfg(unix)]
fn last_change(metadata: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    format!("{} {}", metadata.ctime(), metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn last_change(metadata: &Metadata) -> String {
    format!("{:?}", metadata.modified().ok())
}

/// Files that are not what they were, or gone.
pub(crate) fn changed(before: &Fingerprints, now: &Fingerprints) -> Vec<String> {
    let changed = before.iter().filter(|(path, print)| now.get(*path) != Some(print));
    changed.map(|(path, _)| path.clone()).collect()
}

pub(crate) fn added(before: &Fingerprints, now: &Fingerprints) -> Vec<String> {
    now.keys().filter(|path| !before.contains_key(*path)).cloned().collect()
}
