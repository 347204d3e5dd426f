//! What the runner knows about the repository between two sessions.

use std::collections::{BTreeMap, BTreeSet};

use vcs::Proofs;
use verify::RepositoryChange;

use crate::workspace::fingerprints::Fingerprints;

/// What the runner knows about the repository, in memory.
#[derive(Default)]
pub(crate) struct KnownRepository {
    pub(crate) proofs: Proofs,
    /// Branches, tags, notes and stashes after the last session.
    pub(crate) refs: Option<BTreeMap<String, String>>,
    /// Paths that git ignored before the session.
    pub(crate) ignored: BTreeSet<String>,
    /// `None` while the run only judges work of a killed runner.
    pub(crate) instructions_outside: Option<Fingerprints>,
    /// Uncommitted attributes and changed files of submodules from before the run.
    pub(super) users: BTreeSet<String>,
    /// Fingerprints of the user's uncommitted files after the last session.
    pub(crate) uncommitted: Fingerprints,
    /// Changes by a session whose runner was killed, or that ran on another machine.
    pub(crate) found_earlier: Vec<RepositoryChange>,
}
