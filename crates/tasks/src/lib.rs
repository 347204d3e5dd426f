//! The task list: parse, validate, select the next story, snapshot, judge and revert changes, apply
//! amendments.
//!
//! Pure functions without disk, clock, git or terminal, so that the Stop hook and the runner apply
//! the same rules.

mod amend;
mod correct;
mod dependencies;
mod dependency_change;
mod digest;
mod document;
mod editor;
mod field_digests;
mod fixed_fields;
mod id;
mod indentation;
mod invariants;
mod keep_progress;
mod known_keys;
mod leaves;
mod list;
mod mode;
mod problem;
mod pull_feedback;
mod review;
mod review_fields;
mod schema;
mod scope;
mod select;
mod show;
mod skill_name;
mod snapshot;
mod span;
mod splits;
mod story_draft;
mod story_reader;
mod transitions;
mod verdict;
mod verify_command;
mod violation;

pub use amend::{
    AmendedList, AmendmentOutcome, AmendmentRules, AppliedAmendment, MOST_AMENDMENTS, amend,
    with_new_stories, without_stories,
};
pub use correct::{Correction, correct, correct_without_session};
pub use dependency_change::dependency_changes;
pub use digest::Sha256Digest;
pub use document::EditError;
pub use field_digests::{FieldDigest, FieldDigests};
pub use id::{InvalidStoryId, StoryId};
pub use invariants::{BrokenInvariant, Invariant, check_invariants};
pub use json_reader::FieldPath;
pub use keep_progress::keep_progress;
pub use known_keys::UnknownKey;
pub use list::{Story, TaskList};
pub use mode::Mode;
pub use problem::{Problem, ProblemPlace};
pub use pull_feedback::pull_request_mark;
pub use review::{DEFAULT_REVIEW_CAP, ReviewPolicy, ReviewStatus};
pub use review_fields::{ReviewFields, with_notes, with_progress_of, with_review_fields};
pub use schema::{Inspection, inspect};
pub use scope::Scope;
pub use select::{BlockedReason, BlockedStory, Selection, select};
pub use skill_name::{InvalidSkillName, SkillName};
pub use snapshot::{Snapshot, StoryState};
pub use story_draft::StoryDraft;
pub use transitions::{Iteration, judge};
pub use verdict::ReviewVerdict;
pub use verify_command::VerifyCommand;
pub use violation::{Restore, Violation};
