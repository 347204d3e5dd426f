//! Which walls could stand around an agent here, which one would, and how to have the others. Data;
//! nothing is put up.

use serde::Serialize;
use walls::{Availability, Choice, LADDER, Survey, Unavailable, WallKind};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentWalls {
    pub(crate) agent: String,
    /// What a run would put up.
    pub(crate) wall: Option<WallKind>,
    /// Why a run would not begin.
    pub(crate) problem: Option<String>,
    /// From the strongest to the weakest.
    pub(crate) walls: Vec<WallState>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WallState {
    pub(crate) wall: WallKind,
    pub(crate) state: WallReadiness,
    /// What it is made of.
    pub(crate) by: Option<String>,
    pub(crate) why: Option<String>,
    pub(crate) fix: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WallReadiness {
    Ready,
    /// Only when it is asked for by name.
    OnRequest,
    Missing,
}

impl AgentWalls {
    pub(crate) fn of(agent: &str, choice: Result<Choice, Unavailable>, survey: &Survey) -> Self {
        let walls =
            LADDER.into_iter().filter_map(|kind| Some(WallState::of(kind, survey.of(kind)?)));
        Self {
            agent: agent.to_owned(),
            problem: choice.as_ref().err().map(ToString::to_string),
            wall: choice.ok().map(|choice| choice.kind),
            walls: walls.collect(),
        }
    }
}

impl WallState {
    fn of(wall: WallKind, availability: &Availability) -> Self {
        let (state, by, obstacle) = match availability {
            Availability::Ready { by } => (WallReadiness::Ready, Some(by), None),
            Availability::OnRequest { by, why } => (WallReadiness::OnRequest, Some(by), Some(why)),
            Availability::Missing(why) => (WallReadiness::Missing, None, Some(why)),
        };
        Self {
            wall,
            state,
            by: by.cloned(),
            why: obstacle.map(|obstacle| obstacle.why.clone()),
            fix: obstacle.and_then(|obstacle| obstacle.fix.clone()),
        }
    }
}
