//! The task list: parse, check, select, snapshot, judge what an iteration changed, and take back what
//! it may not have.
//!
//! Pure functions over text and values, so that the Stop hook and the runner apply the very same
//! rules. Not here: disk, clock, git, terminal.

mod correct;
mod dependencies;
mod dependency_change;
mod digest;
mod document;
mod editor;
mod id;
mod invariants;
mod json;
mod list;
mod mode;
mod problem;
mod reader;
mod review;
mod review_fields;
mod schema;
mod select;
mod show;
mod snapshot;
mod span;
mod story_reader;
mod transitions;
mod undone;
mod violation;

pub use correct::{Correction, correct};
pub use dependency_change::{DependencyChange, dependency_changes};
pub use digest::Sha256Digest;
pub use document::EditError;
pub use id::{InvalidStoryId, StoryId};
pub use invariants::{BrokenInvariant, check_invariants};
pub use list::{Story, TaskList};
pub use mode::Mode;
pub use problem::{FieldPath, Place, Problem};
pub use review::{DEFAULT_REVIEW_CAP, ReviewPolicy, ReviewStatus};
pub use review_fields::{ReviewFields, with_review_fields};
pub use schema::{Inspection, inspect};
pub use select::{BlockedStory, Selection, Waiting, select};
pub use snapshot::{Snapshot, StoryState};
pub use transitions::{Iteration, judge};
pub use undone::Undone;
pub use violation::{Change, Violation};
