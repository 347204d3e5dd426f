//! The files that Claude Code keeps, read without starting it: a start would write into the home and
//! look for updates.

use std::path::{Path, PathBuf};

use serde_json::Value;

const LARGEST: u64 = 1024 * 1024;

/// Where it keeps what is the user's.
pub(crate) fn folder() -> Option<PathBuf> {
    let told = std::env::var_os("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty());
    told.map(PathBuf::from).or_else(|| std::env::home_dir().map(|home| home.join(".claude")))
}

/// Nothing if there is no such file, or if it makes no sense.
pub(crate) fn read(file: &Path) -> Option<Value> {
    serde_json::from_slice(&bounded_read::read_file(file, LARGEST).ok()?).ok()
}
