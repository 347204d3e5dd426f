//! Fingerprints of files, to detect changes later.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::Path;

use tasks::Sha256Digest;

/// For larger files only the size and the time of the last change are compared.
const LARGEST: u64 = 1024 * 1024;

/// By file name.
pub(crate) type Fingerprints = BTreeMap<String, String>;

/// Missing files are left out.
pub(crate) fn of_files(root: &Path, paths: &[String]) -> Fingerprints {
    let print = |path: &String| Some((path.clone(), fingerprint(&vcs::on_disk(root, path))?));
    paths.iter().filter_map(print).collect()
}

/// `None` if the path does not exist.
pub(crate) fn fingerprint(path: &Path) -> Option<String> {
    let metadata = path.symlink_metadata().ok()?;
    let target = std::fs::read_link(path).unwrap_or_default();
    let contents = match bounded_read::read_file(path, LARGEST) {
        Ok(bytes) => Sha256Digest::of(bytes).to_string(),
        Err(_) => format!("{} {}", metadata.len(), last_change(&metadata)),
    };
    Some(format!("{contents} {}", target.display()))
}

/// The change time, which unlike the modification time no program can set.
#[cfg(unix)]
fn last_change(metadata: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    format!("{} {}", metadata.ctime(), metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn last_change(metadata: &Metadata) -> String {
    format!("{:?}", metadata.modified().ok())
}

/// Files that were changed or removed.
pub(crate) fn changed(before: &Fingerprints, now: &Fingerprints) -> Vec<String> {
    let changed = before.iter().filter(|(path, print)| now.get(*path) != Some(print));
    changed.map(|(path, _)| path.clone()).collect()
}

pub(crate) fn added(before: &Fingerprints, now: &Fingerprints) -> Vec<String> {
    now.keys().filter(|path| !before.contains_key(*path)).cloned().collect()
}
