//! Detects tests that a change deletes, skips or loosens, by comparing files before and after.
//!
//! Findings are hints for a reviewer, who judges whether they are justified. Supports Rust, Python,
//! JavaScript, TypeScript and Go. There is no parser: a scanner per language separates code from
//! comments and strings, a reader finds tests, and the rest is shared.
//!
//! Pure text functions without disk and git.

mod always_true;
mod assertion_counts;
mod body;
mod compare;
mod config;
mod file;
mod go;
mod language;
mod mark;
mod orphans;
mod pair;
mod pairing;
mod python;
mod reading;
mod rust;
mod scan;
mod script;
mod sketch;
mod source;
mod token;
mod unit;

pub use compare::{WeakenedFile, compare};
pub use file::FileChange;
pub use language::concerns;
