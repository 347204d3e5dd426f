//! The analysis result of a failed check.

use serde::{Deserialize, Serialize};

use crate::{ErrorHash, Missing};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Symptom {
    pub hash: ErrorHash,
    /// One line for people: plain, short, never empty.
    pub error: String,
    /// What the output says is missing, in order.
    pub missing: Vec<Missing>,
    /// Source files named in the output, in order, without duplicates. Relative paths as printed;
    /// absolute paths shortened, possibly with the project folder first.
    pub files: Vec<String>,
}
