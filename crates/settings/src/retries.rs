//! Reads the retries after a failure of the agent.

use run_options::Retries;

use crate::leaf::{COUNT, TIME};
use crate::object_reader::{FromKeys, ObjectReader};

impl FromKeys for Retries {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        let default = Self::default();
        Some(Self {
            most: keys.leaf("most", COUNT).unwrap_or(default.most),
            first_wait: keys.leaf("firstWait", TIME).unwrap_or(default.first_wait),
        })
    }
}
