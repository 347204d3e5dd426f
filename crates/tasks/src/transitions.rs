//! The transition rules: what an iteration of each mode may change since its snapshot.
//!
//! `invariants` checks the end state, such as an approval without `passes`.

use crate::fixed_fields::FixedFields;
use crate::list::{Story, TaskList};
use crate::snapshot::{Snapshot, StoryState};
use crate::splits::Splits;
use crate::violation::{ReviewChange, Violation};
use crate::{Mode, ReviewStatus, StoryId};

/// The iteration to judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Iteration {
    pub mode: Mode,
    /// The story of the iteration; if unknown, any one story may change.
    pub selected: Option<StoryId>,
    pub review_cap: u64,
}

impl Iteration {
    /// Whether the session may have worked on the story.
    pub(crate) fn is_about(&self, story: &StoryId) -> bool {
        self.selected.as_ref().is_none_or(|selected| selected == story)
    }
}

/// Who made the changes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Author<'a> {
    Session(&'a Iteration),
    /// The user, or a process that outlived its session.
    NoSession,
}

impl Author<'_> {
    pub(crate) fn mode(self) -> Option<Mode> {
        match self {
            Self::Session(iteration) => Some(iteration.mode),
            Self::NoSession => None,
        }
    }
}

/// All forbidden changes of `iteration` from `before` to `after`.
pub fn judge(before: &Snapshot, after: &TaskList, iteration: &Iteration) -> Vec<Violation> {
    judge_changes(before, after, Author::Session(iteration))
}

/// All forbidden changes of `author` from `before` to `after`.
pub(crate) fn judge_changes(
    before: &Snapshot,
    after: &TaskList,
    author: Author<'_>,
) -> Vec<Violation> {
    let mut violations = match author {
        Author::Session(iteration) => judge_moves(before, after, iteration),
        Author::NoSession => moved(before, after).flat_map(without_session).collect(),
    };
    let splits = Splits::of(before, after, author.mode());
    let fixed = FixedFields { before, author, splits: &splits };
    for story in &after.stories {
        if before.stories.contains_key(&story.id) {
            violations.extend(fixed.of_story(story));
        } else {
            violations.extend(progress_of_new(story));
            violations.extend(fixed.of_new(story));
        }
    }
    violations.extend(fixed.of_list(after));
    violations.extend(splits.violations);
    violations.extend(changed_checks(before, after));
    violations
}

pub(crate) fn changed_checks(before: &Snapshot, after: &TaskList) -> Option<Violation> {
    let (old, new) = (before.verify_commands.clone()?, after.verify_commands.clone());
    (old != new).then_some(Violation::VerifyCommandsChanged { old, new })
}

fn moved<'l>(
    before: &'l Snapshot,
    after: &'l TaskList,
) -> impl Iterator<Item = (&'l Story, StoryState)> {
    after
        .stories
        .iter()
        .filter_map(|story| Some((story, *before.stories.get(&story.id)?)))
        .filter(|(story, old)| is_move(*old, story))
}

/// Whether the review fields changed, other than by a repair.
pub(crate) fn is_move(old: StoryState, story: &Story) -> bool {
    story.state() != old && !is_repair(old, story.state())
}

fn without_session((story, old): (&Story, StoryState)) -> Vec<Violation> {
    let violation = |change| Violation::MovedWithoutSession { story: story.id.clone(), change };
    changes(old, story.state()).into_iter().map(violation).collect()
}

/// One story may change, as its mode allows.
fn judge_moves(before: &Snapshot, after: &TaskList, iteration: &Iteration) -> Vec<Violation> {
    let moved: Vec<(&Story, StoryState)> = moved(before, after).collect();
    let judged: Vec<Vec<Violation>> =
        moved.iter().map(|(story, old)| judge_move(*old, story, iteration)).collect();
    let first_legal = moved.iter().zip(&judged).find(|(_, found)| found.is_empty());
    let subject =
        iteration.selected.as_ref().or(first_legal.map(|((story, _), _)| &story.id)).cloned();

    let mut violations = Vec::new();
    for ((story, old), found) in moved.iter().zip(judged) {
        match &subject {
            Some(subject) if found.is_empty() && story.id != *subject => {
                violations.extend(changes(*old, story.state()).first().map(|change| {
                    Violation::OtherStory {
                        story: story.id.clone(),
                        mode: iteration.mode,
                        change: *change,
                        instead_of: subject.clone(),
                    }
                }));
            }
            _ => violations.extend(found),
        }
    }
    violations
}

/// Making `passes` and `reviewStatus` agree again is allowed.
fn is_repair(old: StoryState, new: StoryState) -> bool {
    let repaired = match old.review_status {
        ReviewStatus::Approved => ReviewStatus::NotSubmitted,
        status => status,
    };
    !old.in_sync() && new == StoryState { passes: false, review_status: repaired, ..old }
}

fn judge_move(old: StoryState, story: &Story, iteration: &Iteration) -> Vec<Violation> {
    match iteration.mode {
        Mode::Implement => {
            let submitted = (ReviewStatus::NotSubmitted, ReviewStatus::NeedsReview);
            judge_submission(old, story, Mode::Implement, submitted)
        }
        Mode::ReviewFix => {
            let submitted = (ReviewStatus::ChangesRequested, ReviewStatus::NeedsReview);
            let mut violations = judge_submission(old, story, Mode::ReviewFix, submitted);
            let moved = (old.review_status, story.review_status);
            if moved == submitted && !story.review_feedback.trim().is_empty() {
                violations.push(Violation::FeedbackNotCleared {
                    story: story.id.clone(),
                    feedback: story.review_feedback.clone(),
                });
            }
            violations
        }
        Mode::Review => judge_verdict(old, story, iteration.review_cap),
    }
}

/// Implement and review-fix: only the status may take one step.
fn judge_submission(
    old: StoryState,
    story: &Story,
    mode: Mode,
    allowed: (ReviewStatus, ReviewStatus),
) -> Vec<Violation> {
    changes(old, story.state())
        .into_iter()
        .filter(|change| match change {
            ReviewChange::Status { old, new } => (*old, *new) != allowed,
            ReviewChange::Passes { .. } | ReviewChange::Count { .. } => true,
        })
        .map(|change| Violation::Moved { story: story.id.clone(), mode, change })
        .collect()
}

/// Review: a submitted story gets a verdict, and the review is counted.
fn judge_verdict(old: StoryState, story: &Story, cap: u64) -> Vec<Violation> {
    let id = || story.id.clone();
    if old.review_status != ReviewStatus::NeedsReview {
        let not_awaiting = |change| Violation::NotAwaitingReview {
            story: id(),
            change,
            status_before: old.review_status,
        };
        return changes(old, story.state()).into_iter().map(not_awaiting).collect();
    }

    let (verdict, count) = (story.review_status, story.review_count);
    let counted = old.review_count.checked_add(1) == Some(count);
    let mut violations = Vec::new();
    match verdict {
        ReviewStatus::NotSubmitted => violations.push(Violation::Moved {
            story: id(),
            mode: Mode::Review,
            change: ReviewChange::Status { old: old.review_status, new: verdict },
        }),
        ReviewStatus::NeedsReview if counted => violations.push(Violation::CountedWithoutVerdict {
            story: id(),
            old: old.review_count,
            new: count,
        }),
        ReviewStatus::ChangesRequested if counted && count >= cap => {
            violations.push(Violation::ChangesRequestedAtCap { story: id(), count, cap });
        }
        _ => {}
    }
    let has_verdict = matches!(verdict, ReviewStatus::Approved | ReviewStatus::ChangesRequested);
    if count == old.review_count && has_verdict {
        violations.push(Violation::VerdictNotCounted { story: id(), verdict, count });
    } else if count != old.review_count && !counted {
        violations.push(Violation::Moved {
            story: id(),
            mode: Mode::Review,
            change: ReviewChange::Count { old: old.review_count, new: count },
        });
    }
    if story.passes != old.passes && !has_verdict {
        violations.push(Violation::Moved {
            story: id(),
            mode: Mode::Review,
            change: ReviewChange::Passes { old: old.passes, new: story.passes },
        });
    }
    violations
}

/// The review fields that differ.
pub(crate) fn changes(old: StoryState, new: StoryState) -> Vec<ReviewChange> {
    let mut changes = Vec::new();
    if old.passes != new.passes {
        changes.push(ReviewChange::Passes { old: old.passes, new: new.passes });
    }
    if old.review_status != new.review_status {
        changes.push(ReviewChange::Status { old: old.review_status, new: new.review_status });
    }
    if old.review_count != new.review_count {
        changes.push(ReviewChange::Count { old: old.review_count, new: new.review_count });
    }
    changes
}

fn progress_of_new(story: &Story) -> impl Iterator<Item = Violation> + '_ {
    changes(StoryState::FRESH, story.state())
        .into_iter()
        .map(|change| Violation::NewStoryWithProgress { story: story.id.clone(), change })
}

/// How many of `wanted` are missing in `present`, as multisets.
pub(crate) fn missing_of<T: Ord>(mut wanted: Vec<T>, mut present: Vec<T>) -> usize {
    present.sort_unstable();
    wanted.sort_unstable();
    let mut present = present.into_iter().peekable();
    let missing = wanted.iter().filter(|item| {
        while present.next_if(|other| other < *item).is_some() {}
        present.next_if_eq(*item).is_none()
    });
    missing.count()
}
