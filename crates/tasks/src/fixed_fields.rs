//! Which fields besides the review state an iteration may change. A session must not rewrite what
//! its reviewer reads.

use std::collections::BTreeSet;

use crate::field_digests::{DEPENDS_ON, MODEL, NOTES, PRIORITY, PROOF, REVIEW_FEEDBACK, SOURCE};
use crate::list::{Story, TaskList};
use crate::snapshot::Snapshot;
use crate::splits::Splits;
use crate::transitions::{is_move, missing_of};
use crate::violation::{Restore, Violation, allowed_fields, changed_criteria, fix};
use crate::{FieldDigest, Iteration, Mode, ReviewStatus, Sha256Digest, show};

/// The rules and the list to compare with.
pub(crate) struct FixedFields<'a> {
    pub(crate) before: &'a Snapshot,
    /// `None` if no session ran.
    pub(crate) session: Option<&'a Iteration>,
    pub(crate) splits: &'a Splits<'a>,
}

impl FixedFields<'_> {
    /// Violations in a story that existed before.
    pub(crate) fn of_story(&self, story: &Story) -> Vec<Violation> {
        let mut violations: Vec<Violation> = self.changed_criteria(story).into_iter().collect();
        if let Some(digests) = self.before.fields.get(&story.id) {
            let edits = digests.edits(&story.fields);
            let forbidden = edits.filter(|(field, _)| !self.may_change(field, story));
            violations.extend(forbidden.map(|(field, edit)| {
                let allowed = allowed_fields(self.session.map(|session| session.mode), field);
                let what = format!("{}: {edit}: {allowed}. {}", show::name(field), fix(edit));
                Violation::field(&story.id, field, what)
            }));
        }
        violations
    }

    /// Violations in a new story: only the user sets its model, its source and whether tests must prove it, and it has
    /// no review feedback. A part of a split story inherits them.
    pub(crate) fn of_new(&self, story: &Story) -> Vec<Violation> {
        let new = |field, what| Violation::field(&story.id, field, format!("{field}: {what}"));
        let origin = story.split_from.as_ref().and_then(|id| self.before.fields.get(id));
        let differs = |field| {
            let inherited = origin.and_then(|fields| fields.get(field));
            story.fields.get(field) != inherited
        };
        let mut violations = Vec::new();
        // A snapshot without fields cannot show what is inherited.
        if !self.before.fields.is_empty() {
            if story.model.is_some() && differs(MODEL) {
                violations.push(new(MODEL, "only the user sets it. Remove it from the new story."));
            }
            let what = "only the user sets it; a part of a split story repeats it. Restore it.";
            let inherited = [PROOF, SOURCE].into_iter().filter(|field| differs(field));
            violations.extend(inherited.map(|field| new(field, what)));
        }
        if !story.review_feedback.trim().is_empty() {
            let what = "a new story has had no review. Set it to \"\".";
            violations.push(new(REVIEW_FEEDBACK, what));
        }
        violations
    }

    pub(crate) fn of_list(&self, after: &TaskList) -> Vec<Violation> {
        let Some(digests) = &self.before.list_fields else { return Vec::new() };
        let edited = |(field, edit): (&str, _)| Violation {
            restore: Restore::Field(None, field.to_owned()),
            message: format!(
                "task list: {}: {edit}: only the user changes the fields of the list. {}",
                show::name(field),
                fix(edit)
            ),
        };
        digests.edits(&after.fields).map(edited).collect()
    }

    fn may_change(&self, field: &str, story: &Story) -> bool {
        match (self.session, field) {
            (_, DEPENDS_ON) => self.follows_split(story),
            (None, NOTES | PRIORITY) => true,
            (Some(iteration), NOTES) => iteration.is_about(&story.id),
            (Some(iteration), REVIEW_FEEDBACK) => self.goes_with_move(iteration.mode, story),
            _ => false,
        }
    }

    /// Whether ids of split stories were only replaced by the ids of their parts.
    fn follows_split(&self, story: &Story) -> bool {
        let origins: BTreeSet<_> =
            story.depends_on.iter().map(|id| self.splits.origin(id)).collect();
        let before = self.before.fields.get(&story.id).and_then(|fields| fields.get(DEPENDS_ON));
        FieldDigest::of_dependencies(origins) == before
    }

    /// Feedback may change with the status: a review writes it, a resubmission clears it. A
    /// forbidden status change is reported elsewhere, and restoring it restores the feedback.
    fn goes_with_move(&self, mode: Mode, story: &Story) -> bool {
        let planted = mode == Mode::Implement
            && story.review_status == ReviewStatus::NeedsReview
            && !story.review_feedback.trim().is_empty();
        self.before.stories.get(&story.id).is_some_and(|old| is_move(*old, story)) && !planted
    }

    /// Compares multisets; the order does not matter.
    fn changed_criteria(&self, story: &Story) -> Option<Violation> {
        let before = self.before.criteria.get(&story.id)?;
        let present: Vec<_> = story.acceptance_criteria.iter().map(Sha256Digest::of).collect();
        // A reworded criterion is reported as missing only.
        let added = present.len().saturating_sub(before.len());
        let missing = missing_of(before.clone(), present);
        (missing > 0 || added > 0).then(|| {
            let changed = changed_criteria(before.len(), missing, added);
            let what = format!(
                "acceptanceCriteria: {changed}. Restore their exact text. Add a new story for \
                 missing requirements."
            );
            Violation::of_story(&story.id, Restore::Criteria(story.id.clone(), changed), what)
        })
    }
}
