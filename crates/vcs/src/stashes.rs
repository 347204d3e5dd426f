//! Lists the user's stashes. A ref names only the newest; the others are in its reflog.

use std::collections::BTreeMap;

use crate::WorkTree;

const STASH: &str = "refs/stash";

/// Enough for thousands of stashes.
const LARGEST_LOG: u64 = 16 * 1024 * 1024;

impl WorkTree {
    /// Replaces the ref of the newest stash by all stashes, so that a new stash does not look like
    /// a change.
    pub(crate) fn name_stashes(&self, refs: &mut BTreeMap<String, String>) {
        let Some(newest) = refs.remove(STASH) else { return };
        let log = self.common_dir.join("logs").join(STASH);
        let log = bounded_read::read_file(&log, LARGEST_LOG).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        // Parses `before after name …`.
        let logged = log.lines().filter_map(|line| line.split(' ').nth(1)).map(str::to_owned);
        refs.extend(logged.chain([newest]).map(|commit| (format!("{STASH} {commit}"), commit)));
    }
}
