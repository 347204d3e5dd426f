//! The transition rules: what an iteration of each mode may change since its snapshot.
//!
//! `invariants` checks the end state, such as an approval without `passes`.

use crate::fixed_fields::FixedFields;
use crate::list::{Story, TaskList};
use crate::snapshot::{Snapshot, StoryState};
use crate::splits::Splits;
use crate::violation::{Restore, ReviewChange, Violation, commands};
use crate::{Mode, ReviewStatus, StoryId, show};

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

/// All forbidden changes of `iteration` from `before` to `after`.
pub fn judge(before: &Snapshot, after: &TaskList, iteration: &Iteration) -> Vec<Violation> {
    judge_changes(before, after, Some(iteration))
}

/// Without a `session`, the user made the changes, or a process that outlived its session.
pub(crate) fn judge_changes(
    before: &Snapshot,
    after: &TaskList,
    session: Option<&Iteration>,
) -> Vec<Violation> {
    let mut violations = match session {
        Some(iteration) => judge_moves(before, after, iteration),
        None => moved(before, after).flat_map(without_session).collect(),
    };
    let splits = Splits::of(before, after, session.map(|session| session.mode));
    let fixed = FixedFields { before, session, splits: &splits };
    for story in &after.stories {
        if before.stories.contains_key(&story.id) {
            violations.extend(fixed.of_story(story));
        } else {
            violations.extend(judge_new(story, &fixed));
        }
    }
    violations.extend(fixed.of_list(after));
    violations.extend(splits.violations);
    violations.extend(changed_checks(before, after));
    violations
}

pub(crate) fn changed_checks(before: &Snapshot, after: &TaskList) -> Option<Violation> {
    let (old, new) = (before.verify_commands.as_ref()?, &after.verify_commands);
    let message = || {
        format!(
            "verifyCommands {} → {}: only the user changes the checks of the project. Restore them.",
            commands(old),
            commands(new)
        )
    };
    (old != new).then(|| Violation { restore: Restore::VerifyCommands, message: message() })
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
    let what = |change| format!("{change}: no session was running. Restore it.");
    judge_changed(old, story, what)
}

/// A violation for each review field that differs.
fn judge_changed(
    old: StoryState,
    story: &Story,
    what: impl Fn(ReviewChange) -> String,
) -> Vec<Violation> {
    let changes = changes(old, story.state()).into_iter();
    changes.map(|change| Violation::review(&story.id, what(change))).collect()
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
                let what = |change| {
                    format!(
                        "{change}: {} iterations may only modify one story, and this one is about \
                         {subject}. Restore {}.",
                        iteration.mode, story.id
                    )
                };
                violations.extend(judge_changed(*old, story, what).into_iter().take(1));
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
    let mode = iteration.mode;
    if mode == Mode::Review {
        return judge_verdict(old, story, iteration.review_cap);
    }
    if mode == Mode::Specify {
        return judge_changed(old, story, |change| {
            format!("{change}: a specify iteration only writes tests. Restore it.")
        });
    }
    let submitted = ReviewChange::Status { old: mode.starts_at(), new: ReviewStatus::NeedsReview };
    let (submissions, others): (Vec<_>, Vec<_>) =
        changes(old, story.state()).into_iter().partition(|change| *change == submitted);
    let mut violations: Vec<Violation> =
        others.into_iter().map(|change| Violation::moved(&story.id, mode, change)).collect();
    let feedback = &story.review_feedback;
    if mode == Mode::ReviewFix && !submissions.is_empty() && !feedback.trim().is_empty() {
        let what = format!(
            "submitted again while reviewFeedback is still {}. Set reviewFeedback to \"\" once \
             every point of it is addressed.",
            show::quoted(feedback)
        );
        violations.push(Violation::review(&story.id, what));
    }
    violations
}

/// Review: a submitted story gets a verdict, and the review is counted.
fn judge_verdict(old: StoryState, story: &Story, cap: u64) -> Vec<Violation> {
    if old.review_status != ReviewStatus::NeedsReview {
        return judge_changed(old, story, |change| {
            format!(
                "{change}: a review may only judge a story whose reviewStatus is \
                 \"needs_review\"; this one had {}. Restore it.",
                old.review_status
            )
        });
    }
    let (verdict, count, old_count) = (story.review_status, story.review_count, old.review_count);
    let counted = old_count.checked_add(1) == Some(count);
    let moved = |change| Violation::moved(&story.id, Mode::Review, change);
    let mut violations = Vec::new();
    match verdict {
        ReviewStatus::NotSubmitted => {
            violations.push(moved(ReviewChange::Status { old: old.review_status, new: verdict }));
        }
        ReviewStatus::NeedsReview if counted => violations.push(Violation::review(
            &story.id,
            format!(
                "reviewCount {old_count} → {count} with reviewStatus still \"needs_review\": a \
                 review that counts needs a verdict. Set \"approved\" with passes true, or \
                 \"changes_requested\" with reviewFeedback, or set reviewCount back to \
                 {old_count}."
            ),
        )),
        ReviewStatus::ChangesRequested if counted && count >= cap => {
            violations.push(Violation::review(
                &story.id,
                format!(
                    "reviewStatus \"needs_review\" → \"changes_requested\" at review {count} of \
                     {cap}: the review cap is reached. Set \"approved\" with passes true, and \
                     write what remains to reviewFeedback after [AUTO-APPROVED AT CAP]."
                ),
            ));
        }
        _ => {}
    }
    let has_verdict = matches!(verdict, ReviewStatus::Approved | ReviewStatus::ChangesRequested);
    if count == old_count && has_verdict {
        let what = format!(
            "reviewStatus \"needs_review\" → {verdict} with reviewCount still {count}: a review \
             must increment reviewCount. Set it to {}.",
            count.saturating_add(1)
        );
        violations.push(Violation::review(&story.id, what));
    } else if count != old_count && !counted {
        violations.push(moved(ReviewChange::Count { old: old_count, new: count }));
    }
    if story.passes != old.passes && !has_verdict {
        violations.push(moved(ReviewChange::Passes { old: old.passes, new: story.passes }));
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

fn judge_new(story: &Story, fixed: &FixedFields<'_>) -> Vec<Violation> {
    if fixed.session.is_some_and(|session| session.mode == Mode::Specify) {
        let what = "added: a specify iteration only writes tests. Remove the story.";
        return vec![Violation::of_story(&story.id, Restore::Added(story.id.clone()), what)];
    }
    let mut violations = judge_changed(StoryState::FRESH, story, |change| {
        format!(
            "{change}: a new story starts with passes false, reviewStatus null and reviewCount 0. \
             Set these values; the story gets its own iterations."
        )
    });
    violations.extend(fixed.of_new(story));
    violations
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
