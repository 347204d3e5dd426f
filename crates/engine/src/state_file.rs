//! What must survive a run that is killed at any moment, on disk: written whole, read with doubt,
//! for an agent could write it too.

use std::io;
use std::path::Path;

use bounded_read::FileError;
use project::{Layout, replace_whole};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::LogHead;

const LARGEST: u64 = 16 * 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum StateError {
    #[error("cannot write {path}: {error}")]
    Unwritable { path: String, error: io::Error },
    #[error("cannot read {path}: {error}")]
    Unreadable { path: String, error: FileError },
    #[error("{path} makes no sense: {why}")]
    Nonsense { path: String, why: String },
}

/// What a loop remembers of its run.
pub(crate) trait State: Serialize + DeserializeOwned {
    const VERSION: u64;

    fn version(&self) -> u64;
    fn run_id(&self) -> &str;
}

/// `None` if there was no run yet.
pub(crate) fn load<S: State>(layout: &Layout, file: &Path) -> Result<Option<S>, StateError> {
    let path = layout.name_of(file);
    let bytes = match bounded_read::read_file(file, LARGEST) {
        Ok(bytes) => bytes,
        Err(FileError::Absent) => return Ok(None),
        Err(error) => return Err(StateError::Unreadable { path, error }),
    };
    let state: S = serde_json::from_slice(&bytes)
        .map_err(|error| StateError::Nonsense { path: path.clone(), why: error.to_string() })?;
    if state.version() > S::VERSION {
        let why = format!("it was written by a newer version (format {})", state.version());
        return Err(StateError::Nonsense { path, why });
    }
    // It names a folder, and an agent could have written it.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if state.run_id().is_empty() || !state.run_id().chars().all(is_plain) {
        return Err(StateError::Nonsense { path, why: "its runId is none".into() });
    }
    Ok(Some(state))
}

/// The end of the log of `run` when its state was saved last; `None` if no state names that run.
pub fn saved_log_head(layout: &Layout, run: &str) -> Option<LogHead> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Saved {
        run_id: String,
        log: Option<LogHead>,
    }
    let saved = [layout.state(), layout.prompt_state()].into_iter().filter_map(|file| {
        let bytes = bounded_read::read_file(&file, LARGEST).ok()?;
        serde_json::from_slice::<Saved>(&bytes).ok()
    });
    saved.filter(|saved| saved.run_id == run).find_map(|saved| saved.log)
}

/// A run that was refused is none, whatever was found on the way: its folder would be taken for one.
pub(crate) fn forget_unless_begun<S: State>(state: &S, layout: &Layout, file: &Path) {
    let known = load::<S>(layout, file).ok().flatten();
    if known.is_none_or(|known| known.run_id() != state.run_id()) {
        let _ = std::fs::remove_dir_all(layout.run_dir(state.run_id()));
    }
}

pub(crate) fn save<S: State>(state: &S, layout: &Layout, file: &Path) -> Result<(), StateError> {
    let failed = |error| StateError::Unwritable { path: layout.name_of(file), error };
    let mut bytes =
        serde_json::to_vec_pretty(state).map_err(|error| failed(io::Error::from(error)))?;
    bytes.push(b'\n');
    // An agent may have cleaned the folder away.
    std::fs::create_dir_all(layout.data_dir()).map_err(failed)?;
    replace_whole(file, &bytes).map_err(failed)
}
