//! The packaged plugin in the real Claude Code: what `scripts/package.sh` makes, in a folder with
//! spaces in its name, for a user who has no cargo.
//!
//! Needs what the test `plugin` needs, and `zip`. The programs are those of the same build, so that
//! nothing is built for it; without their debug information, where `strip` can take it.

#![cfg(unix)]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod package;
mod sessions;

use simulator::{CLAUDE_PATH_VARIABLE, ClaudeCode};

fn claude() -> ClaudeCode {
    ClaudeCode::from_env().unwrap_or_else(|| {
        panic!(
            "{CLAUDE_PATH_VARIABLE} is not set: {CLAUDE_PATH_VARIABLE}=$(scripts/fetch-agent.sh claude)"
        )
    })
}
