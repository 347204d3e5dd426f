//! The packaged plugin in the real Claude Code: the output of `scripts/package.sh` in a folder with
//! spaces in its name, without cargo.
//!
//! Needs the same as the test `plugin`, and `zip`. Uses the programs of the same build, without
//! debug information if `strip` is available.

#![cfg(unix)]
#![expect(clippy::panic, clippy::unwrap_used, reason = "a panic fails the test")]

mod package;
mod sessions;

use real_agents::{CLAUDE_PATH_VARIABLE, ClaudeCode};

fn claude() -> ClaudeCode {
    ClaudeCode::from_env().unwrap_or_else(|| {
        panic!(
            "{CLAUDE_PATH_VARIABLE} is not set: {CLAUDE_PATH_VARIABLE}=$(scripts/fetch-agent.sh claude)"
        )
    })
}
