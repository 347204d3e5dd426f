//! The runner's rules for command-guard, passed in the environment, which the agent cannot change.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The hook's name. Each line that the hook logs begins with it, so that the runner knows that it ran.
pub const COMMAND_GUARD: &str = "command-guard";

/// Missing fields default to the strictest value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CommandRules {
    /// Allowed commands with `*` as wildcard, or names of categories.
    pub allow: Vec<String>,
    /// Commands with `*` as wildcard that are always refused.
    pub deny: Vec<String>,
    /// Writable places outside the project, as absolute paths.
    pub writable: Vec<PathBuf>,
    pub scope: GuardScope,
    /// Relative to the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ralph_dir: Option<String>,
    /// When the session began, in milliseconds since 1970: older scripts belong to the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// Programs and folders of the loop that agents must not touch, as absolute paths.
    pub own: Vec<PathBuf>,
}

/// What the guard checks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GuardScope {
    #[default]
    Everything,
    /// A sandbox protects the machine: only categories that it cannot prevent are checked.
    Sandboxed,
}

impl CommandRules {
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Unreadable rules allow nothing.
    pub fn from_json(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_parsed_back_and_invalid_ones_allow_nothing() {
        let rules = CommandRules {
            allow: vec!["docker run --privileged *".into()],
            deny: vec!["terraform apply*".into()],
            writable: vec!["/opt/cache".into()],
            scope: GuardScope::Sandboxed,
            ralph_dir: Some("ralph".into()),
            since: Some(1_763_233_200_000),
            own: vec!["/opt/ralph".into()],
        };
        assert_eq!(CommandRules::from_json(&rules.to_json()), rules);
        for invalid in ["", "{", r#"{"scope": "none"}"#, r#"{"allow": "*"}"#] {
            assert_eq!(CommandRules::from_json(invalid), CommandRules::default(), "{invalid}");
        }
    }
}
