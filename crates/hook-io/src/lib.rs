//! Claude Code's hook protocol: the JSON on standard input and the answer on standard output. The
//! decisions are in the hook crates.

mod hook;
mod input;
mod output;

pub use hook::Hook;
pub use input::{HookEvent, HookInput, InputError, ToolInput};
pub use output::{HookDecision, HookOutput};
pub use sanitize::plain;
