//! The guard that reads commands before an agent runs them.

use serde::Serialize;

use crate::leaf::WORDING;
use crate::object_reader::{FromKeys, ObjectReader};

/// What command-guard lets pass and refuses, beyond its own rules.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CommandGuard {
    /// Commands that pass, with `*` for anything: `docker push registry.example.com/*`. The name of a
    /// category, such as `package-publishing`, switches that category off.
    #[cfg_attr(test, schemars(inner(regex(pattern = r"\S"))))]
    pub allow: Vec<String>,
    /// Commands that are refused whatever else allows them, with `*` for anything: `terraform apply*`.
    #[cfg_attr(test, schemars(inner(regex(pattern = r"\S"))))]
    pub deny: Vec<String>,
}

impl FromKeys for CommandGuard {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        Some(Self {
            allow: keys.leaves("allow", WORDING).unwrap_or_default(),
            deny: keys.leaves("deny", WORDING).unwrap_or_default(),
        })
    }
}
