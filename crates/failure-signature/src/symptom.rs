//! What one failed check's output came down to.

use serde::{Deserialize, Serialize};

use crate::{ErrorHash, Missing};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Symptom {
    pub hash: ErrorHash,
    /// One line for people: plain, short, never empty.
    pub error: String,
    /// What the output says could not be found, in the order it says so.
    pub missing: Vec<Missing>,
    /// Source files the output names, in order, each once. Relative as printed; of an absolute path its
    /// last folders, so the first of them may be the project's own folder.
    pub files: Vec<String>,
}
