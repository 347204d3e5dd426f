//! What Claude Code sends a hook on standard input, and what it accepts back on standard output.
//!
//! Not here: what a hook decides.

mod input;
mod output;
mod person;
mod plain;

pub use input::{HookEvent, HookInput, InputError, read_input};
pub use output::{HookOutput, Verdict};
pub use person::words_for_a_person;
pub use plain::plain;
