//! The hooks that guard sessions, and what sessions may change in the repository.

use serde::Serialize;

use crate::leaf::{NON_BLANK, POSITIVE};
use crate::section::{Keys, Section};

/// The Stop hook, which blocks the end of a session that broke a rule.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Guard {
    /// How often the Stop hook may block one session. Default: 6; more than 8 has no effect.
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
    fn read(keys: &mut Keys<'_, '_, '_>) -> Self {
        Self { max_blocks: keys.optional("maxBlocks", POSITIVE) }
    }
}

/// What command-guard allows and refuses in addition to its own rules.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CommandGuard {
    /// Allowed commands, with `*` as wildcard: `docker push registry.example.com/*`. The name of a category, such as
    /// `package-publishing`, turns that category off.
    pub allow: Vec<String>,
    /// Commands that are always refused, with `*` as wildcard: `terraform apply*`.
    pub deny: Vec<String>,
}

impl Section for CommandGuard {
    fn read(keys: &mut Keys<'_, '_, '_>) -> Self {
        Self {
            allow: keys.items("allow", NON_BLANK).unwrap_or_default(),
            deny: keys.items("deny", NON_BLANK).unwrap_or_default(),
        }
    }
}

/// What sessions may change in the repository itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Git {
    /// Guarded settings and files of git that sessions may change, with `*` as wildcard:
    /// `core.hooksPath`, `filter.lfs.*`, `.git/hooks/*`, `.gitattributes`, `skip-worktree`.
    pub allow: Vec<String>,
}

impl Section for Git {
    fn read(keys: &mut Keys<'_, '_, '_>) -> Self {
        Self { allow: keys.items("allow", NON_BLANK).unwrap_or_default() }
    }
}
