//! Tests that a change deletes, skips or loosens, told from the files before and after.
//!
//! Findings for a reviewer, never a verdict: what is told is what the text shows (a test is gone, has
//! fewer assertions, is skipped), and a reviewer knows whether that was right. Rust, Python,
//! JavaScript and TypeScript, Go. No parser: a scanner per language tells code from comments and
//! strings, a reader finds tests in it, and the rest is the same for all.
//!
//! Not here: disk, git, what to do about a finding.

mod always_true;
mod assertion;
mod body;
mod change;
mod compare;
mod config;
mod file;
mod go;
mod language;
mod ledger;
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
mod subject;
mod token;
mod unit;
mod weakening;

pub use change::FileChange;
pub use compare::{WeakenedFile, compare};
pub use language::concerns;
pub use mark::Mark;
pub use subject::Subject;
pub use weakening::Weakening;
