//! What sessions may change in the repository itself.

use serde::Serialize;

use crate::leaf::NON_BLANK;
use crate::section::{Keys, Section};

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

impl Section for Git {
    fn read(&mut self, keys: &mut Keys<'_, '_, '_>) {
        keys.set_items("allow", &mut self.allow, NON_BLANK);
    }
}
