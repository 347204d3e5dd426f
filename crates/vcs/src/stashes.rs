//! The user's stashes one by one. git names only the newest by a reference, and keeps the others in its log.

use std::collections::BTreeMap;

use crate::WorkTree;

const STASH: &str = "refs/stash";

/// Of thousands of stashes.
const LARGEST_LOG: u64 = 16 * 1024 * 1024;

impl WorkTree {
    /// Puts each stash in the place of the reference to the newest, so that one more is no change of the others.
    pub(crate) fn name_stashes(&self, refs: &mut BTreeMap<String, String>) {
        let Some(newest) = refs.remove(STASH) else { return };
        let log = self.common_dir.join("logs").join(STASH);
        let log = bounded_read::read_file(&log, LARGEST_LOG).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        // From `before after name …`.
        let logged = log.lines().filter_map(|line| line.split(' ').nth(1)).map(str::to_owned);
        refs.extend(logged.chain([newest]).map(|commit| (format!("{STASH} {commit}"), commit)));
    }
}
