//! Attempts with stronger help: what they cost, and what they solved.

use serde::Serialize;
use tasks::StoryId;

use crate::LoopEvent;

/// What an attempt with a stronger model or another agent cost, and whether it completed the story.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StrongerHelpView {
    pub story: StoryId,
    pub help: String,
    pub cost_usd: f64,
    pub solved: bool,
}

pub(super) fn apply(helps: &mut Vec<StrongerHelpView>, event: &LoopEvent) {
    if let LoopEvent::EscalationEnded { story, help, cost_usd, solved } = event {
        let (story, help) = (story.clone(), help.clone());
        let (cost_usd, solved) = (*cost_usd, *solved);
        helps.push(StrongerHelpView { story, help, cost_usd, solved });
    }
}
