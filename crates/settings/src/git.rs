//! What sessions may change in the repository itself.

use serde::Serialize;

use crate::leaf::NON_BLANK;
use crate::object_reader::{FromKeys, ObjectReader};

/// What sessions may change in the repository itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Git {
    /// Guarded settings and files of git that sessions may change, with `*` as wildcard:
    /// `core.hooksPath`, `filter.lfs.*`, `.git/hooks/*`, `.gitattributes`, `skip-worktree`.
    #[cfg_attr(test, schemars(inner(regex(pattern = r"\S"))))]
    pub allow: Vec<String>,
}

impl FromKeys for Git {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        Some(Self { allow: keys.leaves("allow", NON_BLANK).unwrap_or_default() })
    }
}
