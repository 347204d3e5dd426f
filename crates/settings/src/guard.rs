//! The guard that keeps an agent's session from ending with broken rules.

use serde::Serialize;

use crate::leaf::POSITIVE;
use crate::object_reader::{FromKeys, ObjectReader};

/// The guard that keeps a session from ending while it has broken a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Guard {
    /// How often the guard may keep one session from ending. Without it, the guard's own number
    /// holds, which is 6; more than 8 has no effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub max_blocks: Option<u64>,
}

impl Guard {
    /// What holds without `maxBlocks`: the guard's own number.
    pub const USUAL_MAX_BLOCKS: u64 = 6;

    /// Whether nothing is set.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl FromKeys for Guard {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        Some(Self { max_blocks: keys.leaf("maxBlocks", POSITIVE) })
    }
}
