//! Retries after a failure of the agent.

use serde::Serialize;

use crate::leaf::COUNT;
use crate::object_reader::{FromKeys, ObjectReader};
use crate::time_span::TimeSpan;

/// Retries after the agent crashes or gives an empty answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Retries {
    /// The most retries in a row; then the run ends with exit code 4.
    pub most: u64,
    /// The wait before the first retry; doubled with each one.
    pub first_wait: TimeSpan,
}

impl Default for Retries {
    fn default() -> Self {
        Self { most: 3, first_wait: TimeSpan::from_secs(5) }
    }
}

impl FromKeys for Retries {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        let default = Self::default();
        Some(Self {
            most: keys.leaf("most", COUNT).unwrap_or(default.most),
            first_wait: keys.leaf("firstWait", TimeSpan::LEAF).unwrap_or(default.first_wait),
        })
    }
}
