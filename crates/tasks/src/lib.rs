//! The task list: parse, check, select, snapshot, and judge what an iteration changed.
//!
//! Pure functions over text and values, so that the Stop hook and the runner apply the very same
//! rules. Not here: disk, clock, git, terminal.

mod dependencies;
mod digest;
mod id;
mod invariants;
mod json;
mod list;
mod mode;
mod problem;
mod reader;
mod review;
mod schema;
mod select;
mod show;
mod snapshot;
mod story_reader;
mod transitions;
mod violation;

pub use digest::Sha256Digest;
pub use id::{InvalidStoryId, StoryId};
pub use invariants::{BrokenInvariant, check_invariants};
pub use list::{Story, TaskList};
pub use mode::Mode;
pub use problem::{FieldPath, Place, Problem};
pub use review::{DEFAULT_REVIEW_CAP, ReviewPolicy, ReviewStatus};
pub use schema::{Inspection, inspect};
pub use select::{BlockedStory, Selection, Waiting, select};
pub use snapshot::{Snapshot, StoryState};
pub use transitions::{Iteration, judge};
pub use violation::{Change, Violation};
