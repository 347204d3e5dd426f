//! The text of a new settings.json.

use run_options::{Guardrail, ProofUse, ValidationStrategy};
use serde::Serialize;

use crate::agent::Agent;
use crate::scm::Scm;

/// The schema beside the settings, where editors find it without a network. The caller must write
/// [`crate::SCHEMA`] there too.
pub const SCHEMA_REFERENCE: &str = "./settings.schema.json";

/// The values of a new project; all others keep their defaults and are not written.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    pub maximum_iterations: Option<u64>,
    pub completion_response: Option<String>,
    pub output_truncate_chars: Option<u64>,
    pub stream_agent_output: Option<bool>,
    pub agent: Option<Agent>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guardrails: Vec<Guardrail>,
    pub scm: Option<Scm>,
    pub proof: Option<ProofUse>,
    pub attempts: Option<DraftAttempts>,
    pub validation: Option<ValidationStrategy>,
    pub lanes: Option<DraftLanes>,
}

/// The attempt limit that a new project may set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DraftAttempts {
    pub most: u64,
}

/// The commands that prepare a clone of a new project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DraftLanes {
    pub setup: Vec<String>,
}

/// A settings.json with `$schema` first, then the given values.
pub fn render(draft: &Draft) -> String {
    #[derive(Serialize)]
    struct SettingsFile<'d> {
        #[serde(rename = "$schema")]
        schema: &'static str,
        #[serde(flatten)]
        draft: &'d Draft,
    }
    // Strings, numbers and lists of them always serialize.
    let file = SettingsFile { schema: SCHEMA_REFERENCE, draft };
    serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use run_options::{FailAction, GuardrailKind, ScmTask};

    use super::*;
    use crate::{Flags, load};

    #[test]
    fn only_given_values_are_written_in_the_order_of_the_docs() {
        let draft = Draft {
            maximum_iterations: Some(20),
            scm: Some(Scm { command: "git".into(), tasks: vec![ScmTask::Commit] }),
            agent: Some(Agent { command: "codex".into(), ..Agent::default() }),
            ..Draft::default()
        };
        let expected = r#"{
  "$schema": "./settings.schema.json",
  "maximumIterations": 20,
  "agent": {
    "command": "codex",
    "flags": []
  },
  "scm": {
    "command": "git",
    "tasks": [
      "commit"
    ]
  }
}
"#;
        assert_eq!(render(&draft), expected);
        assert_eq!(render(&Draft::default()), "{\n  \"$schema\": \"./settings.schema.json\"\n}\n");
    }

    #[test]
    fn what_is_written_is_read_back() {
        let guardrail = Guardrail {
            command: "make test".into(),
            kind: GuardrailKind::Lint,
            paths: vec!["web/**".into()],
            fail_action: FailAction::Prepend,
            hint: Some("one at a time".into()),
            time_limit: None,
        };
        let draft = Draft {
            completion_response: Some("FIN".into()),
            output_truncate_chars: Some(5000),
            stream_agent_output: Some(false),
            guardrails: vec![guardrail.clone()],
            attempts: Some(DraftAttempts { most: 9 }),
            validation: Some(ValidationStrategy::TestsOnly),
            lanes: Some(DraftLanes { setup: vec!["npm ci".into()] }),
            ..Draft::default()
        };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        std::fs::write(&path, render(&draft)).unwrap();
        let settings = load(&path, &dir.path().join("none"), &Flags::new()).unwrap().settings;
        assert_eq!(settings.guardrails, [guardrail]);
        assert_eq!(settings.attempts.most, 9);
        assert_eq!(settings.validation, ValidationStrategy::TestsOnly);
        assert_eq!(settings.lanes.setup, ["npm ci"]);
        assert_eq!(settings.completion_response, "FIN");
        assert!(!settings.stream_agent_output);
    }
}
