//! The changes of each story, from git: from the checkpoint of its iterations to their last commit.
//!
//! Limited in time and lines: omissions are noted, with the command that shows them.

use std::time::{Duration, Instant};

use events::{IterationRecord, LoopKind, RunView};
use html_report::{Diffs, FileDiff, FileText, IterationRange, StoryDiff, read_diff};
use project::Layout;
use tasks::StoryId;
use vcs::{CommitId, DiffText, VcsError, WorkTree};

use super::kept_work::KeptWork;
use super::shell::{diff, quoted, show_command};

/// For all diffs together.
const PATIENCE: Duration = Duration::from_secs(20);

/// Limits of lines.
const PER_FILE: usize = 500;
const PER_STORY: usize = 2_000;
const IN_ALL: usize = 20_000;

/// Of one patch; for a larger one only the file names are shown.
const LARGEST_PATCH: usize = 8 * 1024 * 1024;

/// The changes of every story whose commits still exist.
pub(crate) fn diffs(layout: &Layout, view: &RunView) -> Diffs {
    let note = |text: String| Diffs { notes: vec![text], ..Diffs::default() };
    if view.records.iter().all(|record| record.checkpoint.is_empty()) {
        return match view.records.is_empty() {
            true => Diffs::default(),
            false => note(
                "The run was not in a git repository, so its changes were not recorded.".into(),
            ),
        };
    }
    let tree = match WorkTree::open(layout.root()) {
        Ok(tree) => tree,
        Err(error) => return note(format!("Cannot show the changes: {error}.")),
    };
    let reader = DiffReader {
        tree: &tree,
        without: layout.list_paths(),
        branch: view.start.as_ref().map_or("", |start| &start.branch),
        deadline: Instant::now() + PATIENCE,
    };
    let mut lines_left = IN_ALL;
    let stories = stories(view).into_iter().filter_map(|story| {
        let diff = reader.story_diff(view, story, &mut lines_left);
        (!diff.ranges.is_empty() || !diff.notes.is_empty()).then_some(diff)
    });
    Diffs { stories: stories.collect(), notes: Vec::new() }
}

/// Every story of the run; `None` for a run without stories.
fn stories(view: &RunView) -> Vec<Option<&StoryId>> {
    let kind = view.start.as_ref().map_or(LoopKind::default(), |start| start.kind);
    if kind != LoopKind::Stories {
        return vec![None];
    }
    view.stories.iter().map(|story| Some(&story.id)).collect()
}

/// Consecutive iterations: each began at the end of the one before.
#[derive(Debug, PartialEq, Eq)]
struct CommitRange<'h> {
    iterations: Vec<u64>,
    from: &'h str,
    to: &'h str,
}

fn ranges<'h>(iterations: impl Iterator<Item = &'h IterationRecord>) -> Vec<CommitRange<'h>> {
    let mut ranges: Vec<CommitRange<'h>> = Vec::new();
    for record in iterations {
        let from = record.checkpoint.as_str();
        let Some(to) = record.end.as_ref().and_then(|end| end.commit.as_deref()) else { continue };
        if from.is_empty() || from == to {
            continue;
        }
        match ranges.last_mut().filter(|last| last.to == from) {
            Some(last) => {
                last.to = to;
                last.iterations.push(record.number);
            }
            None => ranges.push(CommitRange { iterations: vec![record.number], from, to }),
        }
    }
    // Changes that were reverted again.
    ranges.retain(|range| range.from != range.to);
    ranges
}

struct DiffReader<'g> {
    tree: &'g WorkTree,
    /// The runner's files beside the task list.
    without: Vec<String>,
    /// The branch of the run.
    branch: &'g str,
    deadline: Instant,
}

impl DiffReader<'_> {
    fn story_diff(
        &self,
        view: &RunView,
        story: Option<&StoryId>,
        lines_left: &mut usize,
    ) -> StoryDiff {
        let records: Vec<&IterationRecord> =
            view.records.iter().filter(|record| record.story.as_ref() == story).collect();
        let given_up = story.and_then(|story| view.story(story)?.given_up.as_ref());
        let kept = given_up.and_then(|given_up| KeptWork::of(given_up, self.branch));
        let notes = records.iter().filter_map(|record| rolled_back(record));
        let notes = notes.chain(kept.map(|kept| kept.summary())).collect();
        let mut diff = StoryDiff { story: story.cloned(), ranges: Vec::new(), notes };
        let mut lines_of_story = PER_STORY.min(*lines_left);
        let before = lines_of_story;
        for range in ranges(records.into_iter()) {
            match self.range_diff(&range, &mut lines_of_story) {
                Ok(files) if files.is_empty() => {}
                Ok(files) => diff.ranges.push(IterationRange {
                    command: self.command(&range),
                    iterations: range.iterations,
                    files,
                }),
                Err(error) => diff.notes.push(self.failure_note(&range, &error)),
            }
        }
        *lines_left -= before - lines_of_story;
        diff
    }

    fn range_diff(
        &self,
        range: &CommitRange<'_>,
        lines_left: &mut usize,
    ) -> Result<Vec<FileDiff>, VcsError> {
        let commit =
            |id: &str| CommitId::new(id).map_err(|_| VcsError::Unreadable { command: "diff" });
        let (from, to) = (commit(range.from)?, commit(range.to)?);
        let text =
            self.tree.diff_between((&from, &to), &self.without, LARGEST_PATCH, self.deadline)?;
        let (DiffText::Whole(text) | DiffText::CountsOnly(text)) = text;
        let files = read_diff(&text, vcs::path_from_bytes, PER_FILE, lines_left);
        let has_changes = |file: &FileDiff| match &file.text {
            FileText::Binary => true,
            FileText::Lines { added, removed, .. } => file.was.is_some() || added + removed > 0,
        };
        Ok(files.into_iter().filter(has_changes).collect())
    }

    fn command(&self, range: &CommitRange<'_>) -> String {
        diff(&format!("{} {}", quoted(range.from), quoted(range.to)), &self.without)
    }

    fn failure_note(&self, range: &CommitRange<'_>, error: &VcsError) -> String {
        let is_gone = [range.from, range.to].into_iter().any(|id| {
            let commit = CommitId::new(id).ok();
            commit.is_none_or(|id| matches!(self.tree.has_commit(&id, self.deadline), Ok(false)))
        });
        let which = events::format::listed(
            &range.iterations.iter().map(ToString::to_string).collect::<Vec<_>>(),
        );
        let why = match (is_gone, error) {
            (true, _) => "its commits no longer exist in this repository".to_owned(),
            (false, VcsError::NoAnswer { .. }) => {
                format!("git timed out; run `{}`", self.command(range))
            }
            (false, error) => error.to_string(),
        };
        format!("Cannot show the changes of iteration {which}: {why}.")
    }
}

fn rolled_back(record: &IterationRecord) -> Option<String> {
    let back = record.rolled_back.as_ref()?;
    let number = record.number;
    Some(match show_command(back) {
        None => format!("Iteration {number} was rolled back; it had no changes."),
        Some(command) => {
            format!("Iteration {number} was rolled back. Show its changes with `{command}`.")
        }
    })
}

#[cfg(test)]
mod tests;
