//! Git for a draft: finds the files that sessions changed and commits the plan.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::Result;
use project::Layout;
use vcs::{CommitId, WorkTree};

use crate::command_error::git_failed;
use crate::scaffold::one_line;

const GIT_TIMEOUT: Duration = Duration::from_secs(60);
/// Characters of a commit subject after `plan: `.
const LONGEST_SUBJECT: usize = 66;
/// Other changed files that a warning lists.
const MOST_NAMED: usize = 10;

pub(super) struct Repository<'a> {
    tree: WorkTree,
    layout: &'a Layout,
    head: Option<CommitId>,
    dirty: BTreeSet<String>,
}

impl<'a> Repository<'a> {
    /// The state before the first session; `None` without git.
    pub(super) fn open(layout: &'a Layout) -> Result<Option<Self>> {
        let Ok(tree) = WorkTree::open(layout.root()) else { return Ok(None) };
        let (head, dirty) = head_and_dirty(&tree, layout)?;
        Ok(Some(Self { tree, layout, head, dirty }))
    }

    /// Warnings about changes outside the files of the plan.
    pub(super) fn other_changes(&self, plan: &[String]) -> Result<Vec<String>> {
        let (head, dirty) = head_and_dirty(&self.tree, self.layout)?;
        let mut warnings = Vec::new();
        if head != self.head {
            warnings.push("the session made commits; `git log` shows them".to_owned());
        }
        let new: Vec<&String> =
            dirty.difference(&self.dirty).filter(|path| !plan.contains(path)).collect();
        if !new.is_empty() {
            let named: Vec<&str> = new.iter().take(MOST_NAMED).map(|path| path.as_str()).collect();
            let more = match new.len().saturating_sub(MOST_NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let named = named.join(", ");
            warnings.push(format!("not part of the plan and not committed: {named}{more}"));
        }
        Ok(warnings)
    }

    /// `None` if there is nothing to commit.
    pub(super) fn commit(&self, plan: &[String], description: &str) -> Result<Option<String>> {
        let committed =
            self.tree.commit_paths(plan, &message(description), Instant::now() + GIT_TIMEOUT);
        let committed = committed.map_err(|error| {
            let what = format!("the plan is written, but git could not commit it: {error}");
            git_failed(what, "commit it yourself")
        })?;
        Ok(committed.map(|commit| commit.to_string()))
    }
}

fn head_and_dirty(
    tree: &WorkTree,
    layout: &Layout,
) -> Result<(Option<CommitId>, BTreeSet<String>)> {
    let state = tree.state(Instant::now() + GIT_TIMEOUT)?;
    let dirty = state.dirty.into_iter().map(|dirty| dirty.path);
    Ok((state.head, dirty.filter(|path| !layout.is_runtime(path)).collect()))
}

fn message(description: &str) -> String {
    let line = one_line(description).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST_SUBJECT) {
        Some((end, _)) => format!("plan: {}…", line[..end].trim_end()),
        None => format!("plan: {line}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_one_line_of_a_length_that_git_shows() {
        assert_eq!(message("a filter\n for\tthe list "), "plan: a filter for the list");
        let long = message(&"é ".repeat(100));
        assert_eq!(long.chars().count(), "plan: ".len() + LONGEST_SUBJECT);
        assert!(long.ends_with("é…"), "{long}");
    }
}
