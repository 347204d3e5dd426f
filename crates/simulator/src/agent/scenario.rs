//! A scenario: which acts the agent performs for which assignment.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Act;
use super::assignment::Assignment;
use super::when::When;

/// Rules in order; the first that applies wins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    #[serde(default)]
    rules: Vec<Rule>,
    #[serde(default)]
    otherwise: Otherwise,
    /// The folder for visit counts, relative to the scenario; the default has its name with the
    /// extension `memory`.
    memory: Option<PathBuf>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    #[serde(default)]
    when: When,
    acts: Vec<Act>,
    /// Acts after the first blocked stop, the second, …; then it only tries again. A denied
    /// structured answer is a blocked stop.
    #[serde(default)]
    when_blocked: Vec<Vec<Act>>,
}

/// What to do if no rule applies.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Otherwise {
    #[default]
    Honest,
    Acts(Vec<Act>),
}

/// The acts of one session, and those after its blocked stops.
pub(super) type Plan<'a> = (&'a [Act], &'a [Vec<Act>]);

impl Otherwise {
    fn acts(&self) -> Option<&[Act]> {
        match self {
            Self::Honest => None,
            Self::Acts(acts) => Some(acts),
        }
    }
}

impl Scenario {
    /// A scenario of the honest agent without rules.
    pub fn new() -> Self {
        Self::default()
    }

    pub fn rule(mut self, when: When, acts: impl IntoIterator<Item = Act>) -> Self {
        let acts = acts.into_iter().collect();
        self.rules.push(Rule { when, acts, when_blocked: Vec::new() });
        self
    }

    /// Acts of the last rule after its next blocked stop.
    pub fn when_blocked(mut self, acts: impl IntoIterator<Item = Act>) -> Self {
        if let Some(rule) = self.rules.last_mut() {
            rule.when_blocked.push(acts.into_iter().collect());
        }
        self
    }

    /// Acts if no rule applies, instead of honest work.
    pub fn otherwise(self, acts: impl IntoIterator<Item = Act>) -> Self {
        Self { otherwise: Otherwise::Acts(acts.into_iter().collect()), ..self }
    }

    pub fn memory(self, folder: impl Into<PathBuf>) -> Self {
        Self { memory: Some(folder.into()), ..self }
    }

    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        std::fs::write(path, serde_json::to_vec_pretty(self)?)
    }

    pub fn load(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let text = std::fs::read(path)
            .map_err(|error| format!("cannot read the scenario {shown}: {error}"))?;
        serde_json::from_slice(&text)
            .map_err(|error| format!("cannot parse the scenario {shown}: {error}"))
    }

    /// The folder for visit counts of a scenario saved at `path`.
    pub(super) fn memory_folder(&self, path: &Path) -> PathBuf {
        match &self.memory {
            Some(folder) => path.parent().unwrap_or(Path::new("")).join(folder),
            None => path.with_extension("memory"),
        }
    }

    /// Whether any session must not read its prompt. The rule is chosen after reading, so it
    /// applies to all.
    pub(super) fn has_unread_prompts(&self) -> bool {
        let mut acts = self.rules.iter().map(|rule| &rule.acts[..]).chain(self.otherwise.acts());
        acts.any(|acts| acts.contains(&Act::NotReading))
    }

    /// `None` for the honest agent.
    pub(super) fn plan(
        &self,
        assignment: &Assignment,
        visit: u64,
        (prompt, arguments): (&str, &str),
    ) -> Option<Plan<'_>> {
        match self
            .rules
            .iter()
            .find(|rule| rule.when.applies(assignment, visit, (prompt, arguments)))
        {
            Some(rule) => Some((&rule.acts, &rule.when_blocked)),
            None => self.otherwise.acts().map(|acts| (acts, &[][..])),
        }
    }
}

#[cfg(test)]
mod tests {
    use tasks::{Mode, StoryId};

    use super::*;

    fn assignment() -> Assignment {
        Assignment {
            mode: Some(Mode::Implement),
            story: Some(StoryId::new("US-001").unwrap()),
            iteration: Some(3),
            ..Assignment::default()
        }
    }

    fn acts(scenario: &Scenario, visit: u64) -> &[Act] {
        let plan = scenario.plan(&assignment(), visit, ("Go on with the quality.", ""));
        plan.map_or(&[], |(acts, _)| acts)
    }

    #[test]
    fn the_first_rule_that_applies_wins() {
        let scenario = Scenario::new()
            .rule(When::mode(Mode::Review), [Act::say("another mode")])
            .rule(When::any().story("US-001").visit(2), [Act::say("the second visit")])
            .rule(When::any().iteration(3), [Act::say("the third iteration")])
            .rule(When::any(), [Act::say("never")]);
        assert_eq!(acts(&scenario, 1), [Act::say("the third iteration")]);
        assert_eq!(acts(&scenario, 2), [Act::say("the second visit")]);
    }

    #[test]
    fn a_rule_may_depend_on_the_prompt() {
        let scenario = Scenario::new()
            .rule(When::any().prompt_contains("the quantity"), [Act::say("not this")])
            .rule(When::any().prompt_contains("the quality"), [Act::say("this")]);
        assert_eq!(acts(&scenario, 1), [Act::say("this")]);
    }

    #[test]
    fn a_scenario_knows_whether_prompts_stay_unread() {
        let scenario = Scenario::new().rule(When::any(), [Act::say("x")]);
        assert!(!scenario.has_unread_prompts());
        assert!(scenario.clone().otherwise([Act::NotReading]).has_unread_prompts());
        assert!(scenario.rule(When::any(), [Act::NotReading]).has_unread_prompts());
    }

    #[test]
    fn without_a_rule_the_agent_is_honest() {
        let scenario = Scenario::new();
        assert_eq!(scenario.plan(&assignment(), 1, ("", "")), None);
        assert_eq!(acts(&scenario.otherwise([Act::Abort]), 1), [Act::Abort]);
    }

    #[test]
    fn a_saved_scenario_is_loaded() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("scenario.json");
        let scenario = Scenario::new()
            .rule(When::mode(Mode::ReviewFix).visit(1), [Act::Resubmit])
            .when_blocked([Act::commit("again")])
            .memory("visits");
        scenario.save(&path).unwrap();
        assert_eq!(Scenario::load(&path).unwrap(), scenario);
        assert_eq!(scenario.memory_folder(&path), dir.path().join("visits"));
    }

    #[test]
    fn an_unknown_field_is_an_error_that_names_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("scenario.json");
        std::fs::write(&path, r#"{"rules":[{"wen":{},"acts":[]}]}"#).unwrap();
        let error = Scenario::load(&path).unwrap_err().to_string();
        assert!(
            error.contains("scenario.json") && error.contains("unknown field `wen`"),
            "{error}"
        );
    }

    #[test]
    fn the_short_form_of_a_scenario_is_understood() {
        let json = r#"{"rules":[{"when":{"mode":"review-fix","story":"US-001","visit":1},
            "acts":["resubmit"],"when_blocked":[["abort"]]}],"otherwise":"honest"}"#;
        let expected = Scenario::new()
            .rule(When::mode(Mode::ReviewFix).story("US-001").visit(1), [Act::Resubmit])
            .when_blocked([Act::Abort]);
        assert_eq!(serde_json::from_str::<Scenario>(json).unwrap(), expected);
    }
}
