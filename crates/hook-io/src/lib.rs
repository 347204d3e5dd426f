//! What Claude Code sends a hook on standard input, and what it accepts back on standard output.
//!
//! Not here: what a hook decides.

mod hook;
mod input;
mod output;
mod person;

pub use hook::Hook;
pub use input::{HookEvent, HookInput, InputError, ToolInput};
pub use output::{HookOutput, Verdict};
pub use sanitize::plain;
