//! What a run in clones does not see: uncommitted changes of the user's work tree.

use std::time::{Duration, Instant};

use anyhow::Result;
use engine::StoryOptions;
use vcs::WorkTree;

use crate::cli::RunArgs;
use crate::command_error::{self, first_five, precondition};

const GIT_TIMEOUT: Duration = Duration::from_secs(30);

/// Refuses options without effect in clones.
pub(super) fn refuse_without_effect(args: &RunArgs, options: &StoryOptions) -> Result<()> {
    if options.lanes.is_none() || !args.allow_dirty {
        return Ok(());
    }
    Err(precondition(
        "--allow-dirty has no effect with --separate or several jobs: clones have only committed files",
        "omit --allow-dirty, and commit what the stories need; or work in your work tree with --no-separate",
    ))
}

/// Prints a warning if there are uncommitted changes.
pub(super) fn warn_of_uncommitted(options: &StoryOptions) {
    if options.lanes.is_none() {
        return;
    }
    let layout = &options.run.layout;
    // The run itself reports a repository that cannot be read.
    let Ok(tree) = WorkTree::open(layout.root()) else { return };
    let Ok(state) = tree.state(Instant::now() + GIT_TIMEOUT) else { return };
    let paths = state.dirty.iter().map(|dirty| dirty.path.as_str());
    let paths: Vec<&str> = paths.filter(|path| !layout.is_runtime(path)).collect();
    if let Some(warning) = warning(&paths) {
        command_error::say(&warning, &mut anstream::stderr());
    }
}

fn warning(paths: &[&str]) -> Option<String> {
    let number = match paths {
        [] => return None,
        [_] => "1 uncommitted file is".to_owned(),
        paths => format!("{} uncommitted files are", paths.len()),
    };
    let names = first_five(paths.iter().copied());
    Some(format!("warning: {number} not in the clones, which have only committed files: {names}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uncommitted_files_are_counted_and_named() {
        assert_eq!(warning(&[]), None);
        let one = warning(&["a.txt"]).unwrap();
        assert!(one.starts_with("warning: 1 uncommitted file is not in the clones"), "{one}");
        let many = warning(&["a", "b", "c", "d", "e", "f"]).unwrap();
        assert!(many.contains("6 uncommitted files are"), "{many}");
        assert!(many.ends_with(": a, b, c, d, e, …"), "{many}");
    }
}
