//! The hook that checks commands before an agent runs them.

use serde::Serialize;

use crate::leaf::NON_BLANK;
use crate::section::{Keys, Section};

/// What command-guard allows and refuses in addition to its own rules.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CommandGuard {
    /// Allowed commands, with `*` as wildcard: `docker push registry.example.com/*`. The name of a category, such as
    /// `package-publishing`, turns that category off.
    #[cfg_attr(test, schemars(inner(regex(pattern = r"\S"))))]
    pub allow: Vec<String>,
    /// Commands that are always refused, with `*` as wildcard: `terraform apply*`.
    #[cfg_attr(test, schemars(inner(regex(pattern = r"\S"))))]
    pub deny: Vec<String>,
}

impl Section for CommandGuard {
    fn read(&mut self, keys: &mut Keys<'_, '_, '_>) {
        keys.set_items("allow", &mut self.allow, NON_BLANK);
        keys.set_items("deny", &mut self.deny, NON_BLANK);
    }
}
