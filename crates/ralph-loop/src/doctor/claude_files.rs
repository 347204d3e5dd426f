//! Reads the files of Claude Code without starting it: a start would write to the home folder and look for updates.

use std::path::{Path, PathBuf};

use serde_json::Value;

const LARGEST: u64 = 1024 * 1024;

/// The user's configuration folder.
pub(crate) fn folder() -> Option<PathBuf> {
    let set = std::env::var_os("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty());
    set.map(PathBuf::from).or_else(|| std::env::home_dir().map(|home| home.join(".claude")))
}

/// `None` if the file is missing or invalid.
pub(crate) fn read(file: &Path) -> Option<Value> {
    serde_json::from_slice(&bounded_read::read_file(file, LARGEST).ok()?).ok()
}
