//! The isolation kinds of this machine per agent: which one a run uses, and how to get the others.

use isolation::{Availability, Choice, Isolation, Survey, Unavailable};
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentIsolation {
    pub(crate) agent: String,
    /// The isolation that a run uses.
    pub(crate) isolation: Option<Isolation>,
    /// Why a run cannot start.
    pub(crate) problem: Option<String>,
    /// From the strongest to the weakest.
    pub(crate) kinds: Vec<KindState>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KindState {
    pub(crate) isolation: Isolation,
    pub(crate) state: Readiness,
    /// The program that provides it.
    pub(crate) by: Option<String>,
    pub(crate) why: Option<String>,
    pub(crate) fix: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Readiness {
    Ready,
    /// Only if requested by name.
    OnRequest,
    Missing,
}

impl AgentIsolation {
    pub(crate) fn of(agent: &str, choice: Result<Choice, Unavailable>, survey: &Survey) -> Self {
        let kinds = survey.iter().map(|(kind, availability)| {
            let (state, by, obstacle) = match availability {
                Availability::Ready { by } => (Readiness::Ready, Some(by), None),
                Availability::OnRequest { by, why } => (Readiness::OnRequest, Some(by), Some(why)),
                Availability::Missing(why) => (Readiness::Missing, None, Some(why)),
            };
            KindState {
                isolation: *kind,
                state,
                by: by.cloned(),
                why: obstacle.map(|obstacle| obstacle.why.clone()),
                fix: obstacle.and_then(|obstacle| obstacle.fix.clone()),
            }
        });
        Self {
            agent: agent.to_owned(),
            problem: choice.as_ref().err().map(ToString::to_string),
            isolation: choice.ok().map(|choice| choice.kind),
            kinds: kinds.collect(),
        }
    }
}
