//! The task list: parse, check, select, snapshot, judge what an iteration changed, take back what it
//! may not have, and amend the plan as an agent proposes.
//!
//! Pure functions over text and values, so that the Stop hook and the runner apply the very same
//! rules. Not here: disk, clock, git, terminal.

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
mod json;
mod keep_progress;
mod known_keys;
mod list;
mod mode;
mod notes;
mod problem;
mod reader;
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
mod story_reader;
mod transitions;
mod undone;
mod verdict;
mod violation;

pub use amend::{
    Amended, AmendmentOutcome, AmendmentRules, AppliedAmendment, MOST_AMENDMENTS, RefusedAmendment,
    amend,
};
pub use correct::{Correction, correct, correct_without_session};
pub use dependency_change::{DependencyChange, dependency_changes};
pub use digest::Sha256Digest;
pub use document::EditError;
pub use field_digests::{FieldDigest, FieldDigests, FieldEdit};
pub use id::{InvalidStoryId, StoryId};
pub use invariants::{BrokenInvariant, check_invariants};
pub use keep_progress::keep_progress;
pub use list::{Story, TaskList};
pub use mode::Mode;
pub use notes::with_notes;
pub use problem::{FieldPath, Place, Problem};
pub use review::{DEFAULT_REVIEW_CAP, ReviewPolicy, ReviewStatus};
pub use review_fields::{ReviewFields, with_review_fields};
pub use schema::{Inspection, UnknownKey, inspect};
pub use scope::Scope;
pub use select::{BlockedStory, Selection, Waiting, select};
pub use skill_name::{InvalidSkillName, SkillName};
pub use snapshot::{Snapshot, StoryState};
pub use transitions::{Iteration, judge};
pub use undone::Undone;
pub use verdict::ReviewVerdict;
pub use violation::{Change, Violation};
