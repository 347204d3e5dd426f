//! The hook programs and the plugin that registers them with Claude Code.

pub(crate) mod guard_plugin;
pub(crate) mod hook_check;
pub(crate) mod programs;

pub use guard_plugin::{HOOK_TIME, STOP_GUARD_TIME, write_plugin};
pub use hook_check::{UnfitHook, unfit_hooks};
pub use programs::HookPrograms;
