//! What iterations leave for one another: handoffs and their levels, the compacted context, when to
//! compact, and how much of everything fits into a prompt.
//!
//! Everything here is a function of text and values. Where handoffs lie, who writes them and what a
//! prompt says around them are not here.

mod budget;
mod clean;
mod compacted;
mod compaction;
mod extract;
mod fallback;
mod handoff;
mod item;
mod levels;
mod part;
mod problem;
mod read_compacted;
mod read_handoff;
mod reader;
mod section;
mod tokens;

pub use budget::{Assembly, Fitted, Wanted, fit};
pub use compacted::{
    ActiveConstraint, COMPACTED_SCHEMA, CompactedContext, FileKnowledge, LibraryDocs,
};
pub use compaction::{CompactionLimits, Docs, Needed, Served, SinceCompaction, Trigger, trigger};
pub use extract::{closing_json, extract_json};
pub use fallback::{FallbackInput, fallback};
pub use handoff::{
    Bug, Completeness, Constraint, Deviation, FileAction, FileTouched, HANDOFF_SCHEMA, Handoff,
    Priority, TaskCompleted, TestsAdded, Unfinished, Verdict,
};
pub use item::Item;
pub use levels::{digest, document, line};
pub use part::Part;
pub use problem::{Fault, Problem};
pub use read_compacted::{ReadCompacted, read_compacted};
pub use read_handoff::{Read, read_handoff};
pub use tokens::tokens;
