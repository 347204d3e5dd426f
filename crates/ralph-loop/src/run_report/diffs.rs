//! What each story changed, asked of git: from where its iterations began to what they left.
//!
//! Bounded in time and in lines: what is left out says so, with the command that shows it.

use std::time::{Duration, Instant};

use engine::LoopKind;
use events::{History, IterationRecord};
use html_report::{Diffs, FileDiff, FileText, StoryDiff, Stretch, read_diff};
use project::Layout;
use tasks::StoryId;
use vcs::{CommitId, DiffText, VcsError, WorkTree};

use super::kept_work::KeptWork;
use super::shell::{left_out, quoted};

/// For all of them together.
const PATIENCE: Duration = Duration::from_secs(20);

/// Lines that are shown.
const PER_FILE: usize = 500;
const PER_STORY: usize = 2_000;
const IN_ALL: usize = 20_000;

/// Of one patch; the names of the files are told of a larger one too.
const LARGEST_PATCH: usize = 8 * 1024 * 1024;

/// What every story of a run changed, as far as its commits are still there.
pub(crate) fn diffs(layout: &Layout, history: &History) -> Diffs {
    let note = |text: String| Diffs { notes: vec![text], ..Diffs::default() };
    if history.iterations.iter().all(|record| record.checkpoint.is_empty()) {
        return match history.iterations.is_empty() {
            true => Diffs::default(),
            false => {
                note("The run was not in a git repository, so nobody kept what changed.".into())
            }
        };
    }
    let tree = match WorkTree::open(layout.root()) {
        Ok(tree) => tree,
        Err(error) => return note(format!("What changed cannot be shown: {error}.")),
    };
    let git = Git {
        tree: &tree,
        without: layout.list_paths(),
        branch: history.view.start.as_ref().map_or("", |start| &start.branch),
        deadline: Instant::now() + PATIENCE,
    };
    let mut room = IN_ALL;
    let stories = subjects(history).into_iter().filter_map(|story| {
        let diff = git.of_story(history, story, &mut room);
        (!diff.stretches.is_empty() || !diff.notes.is_empty()).then_some(diff)
    });
    Diffs { stories: stories.collect(), notes: Vec::new() }
}

/// Every story that was worked on; `None` stands for a run without them.
fn subjects(history: &History) -> Vec<Option<&StoryId>> {
    let kind = history.view.start.as_ref().map_or(LoopKind::default(), |start| start.kind);
    if kind != LoopKind::Stories {
        return vec![None];
    }
    history.view.stories.iter().map(|story| Some(&story.id)).collect()
}

/// Iterations of which each began where the one before it ended.
#[derive(Debug, PartialEq, Eq)]
struct Range<'h> {
    iterations: Vec<u64>,
    from: &'h str,
    to: &'h str,
}

fn ranges<'h>(iterations: impl Iterator<Item = &'h IterationRecord>) -> Vec<Range<'h>> {
    let mut ranges: Vec<Range<'h>> = Vec::new();
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
            None => ranges.push(Range { iterations: vec![record.number], from, to }),
        }
    }
    // What was taken back again is no change.
    ranges.retain(|range| range.from != range.to);
    ranges
}

struct Git<'g> {
    tree: &'g WorkTree,
    /// What the runner keeps beside the task list is no part of the work.
    without: Vec<String>,
    /// Of the run.
    branch: &'g str,
    deadline: Instant,
}

impl Git<'_> {
    fn of_story(&self, history: &History, story: Option<&StoryId>, room: &mut usize) -> StoryDiff {
        let records: Vec<&IterationRecord> =
            history.iterations.iter().filter(|record| record.story.as_ref() == story).collect();
        let mut diff = StoryDiff {
            story: story.cloned(),
            stretches: Vec::new(),
            notes: records.iter().filter_map(|record| rolled_back(record)).collect(),
        };
        let given_up = story.and_then(|story| history.view.story(story)?.given_up.as_ref());
        if let Some(kept) = given_up.and_then(|given_up| KeptWork::of(given_up, self.branch)) {
            diff.notes.push(kept.told());
        }
        let mut of_story = PER_STORY.min(*room);
        let before = of_story;
        for range in ranges(records.into_iter()) {
            match self.of_range(&range, &mut of_story) {
                Ok(files) if files.is_empty() => {}
                Ok(files) => diff.stretches.push(Stretch {
                    command: self.command(&range),
                    iterations: range.iterations,
                    files,
                }),
                Err(error) => diff.notes.push(self.unknown(&range, &error)),
            }
        }
        *room -= before - of_story;
        diff
    }

    fn of_range(&self, range: &Range<'_>, room: &mut usize) -> Result<Vec<FileDiff>, VcsError> {
        let commit =
            |id: &str| CommitId::new(id).map_err(|_| VcsError::Unreadable { command: "diff" });
        let (from, to) = (commit(range.from)?, commit(range.to)?);
        let text =
            self.tree.diff_between((&from, &to), &self.without, LARGEST_PATCH, self.deadline)?;
        let (DiffText::Whole(text) | DiffText::CountsOnly(text)) = text;
        let files = read_diff(&text, vcs::path_from_bytes, PER_FILE, room);
        let says_something = |file: &FileDiff| match &file.text {
            FileText::Binary => true,
            FileText::Lines { added, removed, .. } => file.was.is_some() || added + removed > 0,
        };
        Ok(files.into_iter().filter(says_something).collect())
    }

    fn command(&self, range: &Range<'_>) -> String {
        let without: String =
            self.without.iter().map(|path| format!(" {}", quoted(&left_out(path)))).collect();
        format!("git diff {} {} -- .{without}", quoted(range.from), quoted(range.to))
    }

    fn unknown(&self, range: &Range<'_>, error: &VcsError) -> String {
        let is_gone = [range.from, range.to].into_iter().any(|id| {
            let commit = CommitId::new(id).ok();
            commit.is_none_or(|id| matches!(self.tree.has_commit(&id, self.deadline), Ok(false)))
        });
        let which = events::words::listed(
            &range.iterations.iter().map(ToString::to_string).collect::<Vec<_>>(),
        );
        let why = match (is_gone, error) {
            (true, _) => "the commits are not in this repository any more".to_owned(),
            (false, VcsError::NoAnswer { .. }) => {
                format!("git took too long; `{}` shows it", self.command(range))
            }
            (false, error) => error.to_string(),
        };
        format!("What iteration {which} changed cannot be shown: {why}.")
    }
}

fn rolled_back(record: &IterationRecord) -> Option<String> {
    let back = record.rolled_back.as_ref()?;
    let number = record.number;
    Some(match back.backup.as_str() {
        "" => format!("Iteration {number} was rolled back; it left nothing."),
        backup => format!(
            "Iteration {number} was rolled back; `git diff {} {}` shows what it left.",
            quoted(&back.to),
            quoted(backup)
        ),
    })
}

#[cfg(test)]
mod tests;
