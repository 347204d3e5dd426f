//! The task list of the last run, if that worked in clones: it is on the run's branch.

use std::time::{Duration, Instant};

use bounded_read::read_file;
use project::{LARGEST_TASK_LIST, Layout};
use vcs::{CommitId, WorkTree};

use crate::coordinator::state::SavedRun;

/// Timeout of git for a display.
const GIT_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchList {
    /// The user's work tree has the branch's commits or its list. The list in the work tree counts.
    Merged {
        /// Whether the work tree has another list.
        is_edited: bool,
    },
    Unmerged {
        branch: String,
        /// The contents of the list.
        list: Vec<u8>,
    },
}

/// `None` if the last run worked in the user's work tree, or the user's list is for another branch.
pub fn branch_list(layout: &Layout) -> Option<BranchList> {
    let run = SavedRun::load(layout).ok().flatten()?.run;
    let separate = run.separate?;
    let deadline = Instant::now() + GIT_TIMEOUT;
    let tree = WorkTree::open(layout.root()).ok()?;
    let branch = separate.branch;
    let tip = tree.branch_tip(&branch, deadline).ok()?;
    let is_removed = tip.is_none();
    // During the run, another program may have moved the branch.
    let own = CommitId::new(&separate.tip).ok()?;
    let tip = tip.filter(|_| run.ended.is_some()).unwrap_or(own);
    let list = tree.file_at(&tip, &layout.tasks_name(), LARGEST_TASK_LIST, deadline).ok()??;
    let on_disk = read_file(&layout.tasks(), LARGEST_TASK_LIST).ok();
    let named = on_disk.as_deref().and_then(|bytes| tasks::inspect(bytes).list);
    if named.is_some_and(|named| named.branch_name != branch) {
        return None;
    }
    let is_edited = on_disk.as_ref() != Some(&list);
    let head = tree.head(deadline).ok()?;
    let has_commits =
        || head.is_some_and(|head| tree.is_ancestor(&tip, &head, deadline).unwrap_or(false));
    if is_removed || !is_edited || has_commits() {
        return Some(BranchList::Merged { is_edited });
    }
    Some(BranchList::Unmerged { branch, list })
}
