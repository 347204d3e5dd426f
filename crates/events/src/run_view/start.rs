//! The options that a run started with.

use crate::{LoopEvent, LoopKind};
use chrono::{DateTime, Utc};
use serde::Serialize;
use tasks::StoryId;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StartView {
    pub at: DateTime<Utc>,
    #[serde(rename = "loop")]
    pub kind: LoopKind,
    pub version: String,
    pub pid: u32,
    pub project: String,
    pub name: String,
    pub branch: String,
    /// The branch to merge into, if known.
    pub base: Option<String>,
    pub agent: String,
    pub model: Option<String>,
    pub max_iterations: u64,
    pub review_cap: Option<u64>,
    pub ceiling_usd: Option<f64>,
    /// Failed attempts allowed per story.
    pub max_attempts: Option<u64>,
    /// The story that the run is limited to.
    pub only_story: Option<StoryId>,
    pub max_seconds: Option<f64>,
    /// Commands that must pass; unknown for older runs.
    pub checks: Option<u64>,
}

impl StartView {
    pub(crate) fn of(at: DateTime<Utc>, event: &LoopEvent) -> Option<Self> {
        let LoopEvent::RunStarted {
            kind,
            version,
            pid,
            project,
            name,
            branch,
            base,
            agent,
            model,
            max_iterations,
            review_cap,
            ceiling_usd,
            max_attempts,
            only_story,
            max_seconds,
            checks,
            ..
        } = event
        else {
            return None;
        };
        Some(Self {
            at,
            kind: *kind,
            version: version.clone(),
            pid: *pid,
            project: project.clone(),
            name: name.clone(),
            branch: branch.clone(),
            base: base.clone(),
            agent: agent.clone(),
            model: model.clone(),
            max_iterations: *max_iterations,
            review_cap: *review_cap,
            ceiling_usd: *ceiling_usd,
            max_attempts: *max_attempts,
            only_story: only_story.clone(),
            max_seconds: *max_seconds,
            checks: *checks,
        })
    }
}
