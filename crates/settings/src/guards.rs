//! The hooks that guard sessions, and what sessions may change in the repository.

use crate::leaf::{NON_BLANK, POSITIVE};
use crate::section::settings;

settings! {
    /// The Stop hook, which blocks the end of a session that broke a rule.
    pub struct Guard from keys {
        /// How often the Stop hook may block one session. Default: 6; more than 8 has no effect.
        #[cfg_attr(test, schemars(range(min = 1)))]
        pub max_blocks: Option<u64> = keys.optional("maxBlocks", POSITIVE),
    }
}

impl Guard {
    /// The Stop hook's default for `maxBlocks`.
    pub const DEFAULT_MAX_BLOCKS: u64 = 6;

    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

settings! {
    /// What command-guard allows and refuses in addition to its own rules.
    pub struct CommandGuard from keys {
        /// Allowed commands, with `*` as wildcard: `docker push registry.example.com/*`. The name of a category, such
        /// as `package-publishing`, turns that category off.
        pub allow: Vec<String> = keys.items("allow", NON_BLANK).unwrap_or_default(),
        /// Commands that are always refused, with `*` as wildcard: `terraform apply*`.
        pub deny: Vec<String> = keys.items("deny", NON_BLANK).unwrap_or_default(),
    }
}

settings! {
    /// What sessions may change in the repository itself.
    pub struct Git from keys {
        /// Guarded settings and files of git that sessions may change, with `*` as wildcard:
        /// `core.hooksPath`, `filter.lfs.*`, `.git/hooks/*`, `.gitattributes`, `skip-worktree`.
        pub allow: Vec<String> = keys.items("allow", NON_BLANK).unwrap_or_default(),
    }
}
