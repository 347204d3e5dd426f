//! Saves and loads the state of a run that must survive a kill at any moment. Written atomically, and validated
//! when read, because an agent could write it too.

use std::io;
use std::path::Path;

use bounded_read::FileError;
use project::{Layout, replace_whole};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

const LARGEST: u64 = 16 * 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum StateError {
    #[error("cannot write {path}: {error}")]
    Unwritable { path: String, error: io::Error },
    #[error("cannot read {path}: {error}")]
    Unreadable { path: String, error: FileError },
    #[error("{path} is invalid: {why}")]
    Invalid { path: String, why: String },
}

/// The format of the state of both kinds of loop.
pub(crate) const VERSION: u64 = 1;

/// What the states of both kinds of loop begin with.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StateHeader {
    version: u64,
    run_id: String,
}

/// `None` before the first run.
pub(crate) fn load<S: DeserializeOwned>(
    layout: &Layout,
    file: &Path,
) -> Result<Option<S>, StateError> {
    let path = layout.name_of(file);
    let bytes = match bounded_read::read_file(file, LARGEST) {
        Ok(bytes) => bytes,
        Err(FileError::Absent) => return Ok(None),
        Err(error) => return Err(StateError::Unreadable { path, error }),
    };
    let invalid = |why: String| StateError::Invalid { path: path.clone(), why };
    let unreadable = |error: serde_json::Error| invalid(error.to_string());
    let StateHeader { version, run_id } = serde_json::from_slice(&bytes).map_err(unreadable)?;
    if version > VERSION {
        return Err(invalid(format!("written by a newer version (format {version})")));
    }
    // It becomes a path, and an agent could have written it.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if run_id.is_empty() || !run_id.chars().all(is_plain) {
        return Err(invalid("invalid runId".into()));
    }
    serde_json::from_slice(&bytes).map(Some).map_err(unreadable)
}

/// A refused run leaves no state: its folder would be taken for a run.
pub(crate) fn forget_unless_begun(run_id: &str, layout: &Layout, file: &Path) {
    let known = load::<StateHeader>(layout, file).ok().flatten();
    if known.is_none_or(|known| known.run_id != run_id) {
        let _ = std::fs::remove_dir_all(layout.run_dir(run_id));
    }
}

pub(crate) fn save<S: Serialize>(
    state: &S,
    layout: &Layout,
    file: &Path,
) -> Result<(), StateError> {
    write(&text(state, layout, file)?, layout, file)
}

/// What `file` contains with this state.
pub(crate) fn text<S: Serialize>(
    state: &S,
    layout: &Layout,
    file: &Path,
) -> Result<Vec<u8>, StateError> {
    let failed = |error| StateError::Unwritable { path: layout.name_of(file), error };
    let text = serde_json::to_vec_pretty(state);
    let mut text = text.map_err(|error| failed(io::Error::from(error)))?;
    text.push(b'\n');
    Ok(text)
}

pub(crate) fn write(text: &[u8], layout: &Layout, file: &Path) -> Result<(), StateError> {
    let failed = |error| StateError::Unwritable { path: layout.name_of(file), error };
    // An agent may have removed the folder.
    std::fs::create_dir_all(layout.data_dir()).map_err(failed)?;
    replace_whole(file, text).map_err(failed)
}
