//! The Stop hook.

use serde::Serialize;

use crate::leaf::POSITIVE;
use crate::section::{Keys, Section};

/// The Stop hook, which blocks the end of a session that broke a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Guard {
    /// How often the Stop hook may block one session. Default: 6; more than 8 has no effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub max_blocks: Option<u64>,
}

impl Guard {
    /// The Stop hook's default for `maxBlocks`.
    pub const DEFAULT_MAX_BLOCKS: u64 = 6;

    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Section for Guard {
    fn read(&mut self, keys: &mut Keys<'_, '_, '_>) {
        keys.set("maxBlocks", &mut self.max_blocks, POSITIVE);
    }
}
