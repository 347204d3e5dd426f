//! Records of sandboxes: one file each, in a folder beside the state folder. Not inside it, because a
//! sandbox can write there and could plant a link.

use std::io;
use std::path::{Path, PathBuf};

use isolation::docker::{Record, SandboxName};

use super::state_folder::make_private;
use crate::RunError;

const LARGEST: u64 = 1024 * 1024;

pub(super) fn folder(state: &Path) -> PathBuf {
    let mut name = state.file_name().unwrap_or_default().to_owned();
    name.push("-sandboxes");
    state.with_file_name(name)
}

/// `None` if it is missing or unreadable.
pub(super) fn read(state: &Path, name: &SandboxName) -> Option<Record> {
    let bytes = bounded_read::read_file(&file(state, name), LARGEST).ok()?;
    serde_json::from_slice(&bytes).ok()
}

pub(super) fn write(state: &Path, name: &SandboxName, record: &Record) -> Result<(), RunError> {
    let file = file(state, name);
    let written = make_private(&folder(state)).and_then(|()| {
        let text = serde_json::to_vec_pretty(record).map_err(io::Error::other)?;
        project::replace_whole(&file, &text)
    });
    written.map_err(RunError::disk(file.display()))
}

fn file(state: &Path, name: &SandboxName) -> PathBuf {
    folder(state).join(format!("{name}.json"))
}
