//! The commits that the user means: a range, a branch, or those of HEAD.

use std::path::Path;

use anyhow::Result;
use engine::ReviewRange;
use vcs::{CommitId, WorkTree};

use crate::command_error::precondition;
use crate::commands::outside::{commit, deadline, repository};

const HINT: &str = "name the commits, for example `ralph-loop review HEAD~3..HEAD`";

pub(super) fn range(root: &Path, wanted: Option<&str>) -> Result<ReviewRange> {
    let tree = repository(root)?;
    let ends = wanted.and_then(|wanted| {
        wanted
            .split_once("...")
            .map(|ends| (ends, true))
            .or_else(|| wanted.split_once("..").map(|ends| (ends, false)))
    });
    let (from, to) = match ends {
        Some(((from, to), is_symmetric)) => {
            let (from, to) = (commit(&tree, or_head(from))?, commit(&tree, or_head(to))?);
            (if is_symmetric { shared(&tree, &from, &to)? } else { from }, to)
        }
        None => {
            let to = commit(&tree, wanted.unwrap_or("HEAD"))?;
            (start_of(&tree, &to)?, to)
        }
    };
    let name = wanted.map_or_else(|| format!("{}..HEAD", short(&from)), str::to_owned);
    if from == to {
        let what = format!("there are no commits in {name}");
        return Err(precondition(sanitize::plain(&what), HINT));
    }
    Ok(ReviewRange { name, from, to })
}

pub(super) fn short(commit: &CommitId) -> &str {
    commit.as_str().get(..12).unwrap_or(commit.as_str())
}

fn or_head(name: &str) -> &str {
    if name.is_empty() { "HEAD" } else { name }
}

/// Where the branch of `to` left the default branch.
fn start_of(tree: &WorkTree, to: &CommitId) -> Result<CommitId> {
    let default = tree.default_branch(deadline()).ok().flatten();
    let Some(default) = default else {
        return Err(precondition("the repository has no branch main or master", HINT));
    };
    let tip = commit(tree, &format!("refs/heads/{default}"))?;
    shared(tree, &tip, to)
}

fn shared(tree: &WorkTree, one: &CommitId, other: &CommitId) -> Result<CommitId> {
    tree.merge_base(one, other, deadline()).ok().flatten().ok_or_else(|| {
        let what = format!("{} and {} share no commit", short(one), short(other));
        precondition(what, HINT)
    })
}
