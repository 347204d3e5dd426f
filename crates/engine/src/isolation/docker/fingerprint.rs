//! A fingerprint of the project's files, to detect later changes on the host. Cheap: one `git status`
//! and the metadata of uncommitted files. Ignored files are not examined.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use project::Layout;
use vcs::WorkTree;

const TIMEOUT: Duration = Duration::from_secs(60);

/// Kept in memory only: the hash may differ in the next version of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fingerprint(u64);

impl Fingerprint {
    /// `None` without git.
    pub(super) fn take(layout: &Layout) -> Option<Self> {
        let tree = WorkTree::open(layout.root()).ok()?;
        let state = tree.state(Instant::now() + TIMEOUT).ok()?;
        let mut hasher = DefaultHasher::new();
        state.head.as_ref().map(vcs::CommitId::as_str).hash(&mut hasher);
        state.branch.hash(&mut hasher);
        for dirty in state.dirty.iter().filter(|dirty| !layout.is_runtime(&dirty.path)) {
            dirty.path.hash(&mut hasher);
            let found = vcs::on_disk(layout.root(), &dirty.path).symlink_metadata().ok();
            found.map(|found| (found.len(), found.modified().ok())).hash(&mut hasher);
        }
        Some(Self(hasher.finish()))
    }
}
