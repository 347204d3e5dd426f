//! Memory between iterations: handoffs at several levels of detail, the compacted context, when to
//! compact, and how much fits into a prompt.
//!
//! Pure functions of text and values. Not here: where handoffs are stored, and the text
//! around them in a prompt.

mod budget;
mod clean;
mod compacted;
mod compaction;
mod extract;
mod fallback;
mod handoff;
mod item;
mod levels;
mod problem;
mod prompt_part;
mod read_compacted;
mod read_handoff;
mod reader;
mod section;
mod tokens;

pub use budget::{Assembly, FittedPart, PartContent, fit};
pub use compacted::{
    ActiveConstraint, COMPACTED_SCHEMA, CompactedContext, FileKnowledge, LibraryDocs,
};
pub use compaction::{CompactionLimits, Docs, SinceCompaction, Trigger, trigger};
pub use extract::{closing_json, extract_json};
pub use fallback::{FallbackInput, fallback};
pub use handoff::{
    Bug, Constraint, Deviation, FileAction, FileTouched, HANDOFF_SCHEMA, Handoff, Priority,
    TaskCompleted, TestsAdded, UnfinishedItem, Verdict,
};
pub use item::Item;
pub use levels::{digest, document, line};
pub use prompt_part::PromptPart;
pub use read_compacted::read_compacted;
pub use read_handoff::read_handoff;
pub use tokens::tokens;
