//! What the runner tells command-guard, in the environment: the agent cannot change it there.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The hook's name. It begins each line that the hook logs, which is how a runner knows that it ran.
pub const COMMAND_GUARD: &str = "command-guard";

/// Absent fields are as strict as they can be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CommandRules {
    /// Commands with `*` for anything, or names of categories, that pass.
    pub allow: Vec<String>,
    /// Commands with `*` for anything that are refused whatever else allows them.
    pub deny: Vec<String>,
    /// Places outside the project that may be written, as whole paths.
    pub writable: Vec<PathBuf>,
    pub scope: GuardScope,
    /// From the project's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ralph_dir: Option<String>,
    /// When the session began, in milliseconds since 1970: scripts that were there before are the
    /// project's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// Programs and folders of the loop's own that nobody may touch, as whole paths.
    pub own: Vec<PathBuf>,
}

/// How much the guard looks after.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GuardScope {
    #[default]
    Everything,
    /// A wall holds the machine; what leaves it or breaks the loop is still refused.
    BeyondTheWall,
}

impl CommandRules {
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// What cannot be read loosens nothing.
    pub fn from_json(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_survive_the_environment_and_nonsense_loosens_nothing() {
        let rules = CommandRules {
            allow: vec!["docker run --privileged *".into()],
            deny: vec!["terraform apply*".into()],
            writable: vec!["/opt/cache".into()],
            scope: GuardScope::BeyondTheWall,
            ralph_dir: Some("ralph".into()),
            since: Some(1_763_233_200_000),
            own: vec!["/opt/ralph".into()],
        };
        assert_eq!(CommandRules::from_json(&rules.to_json()), rules);
        for nonsense in ["", "{", r#"{"scope": "none"}"#, r#"{"allow": "*"}"#] {
            assert_eq!(CommandRules::from_json(nonsense), CommandRules::default(), "{nonsense}");
        }
    }
}
