//! The sessions of a run outside its iterations.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tasks::StoryId;

use super::RunView;
use crate::{LoopEvent, QualityOutcome, TokenCount};

#[derive(Debug, Clone, PartialEq)]
pub struct OtherSession {
    pub ended_at: DateTime<Utc>,
    pub kind: OtherKind,
    pub seconds: f64,
    pub cost_usd: f64,
    /// Total of the run up to here.
    pub total_cost_usd: f64,
    pub tokens: TokenCount,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OtherKind {
    Quality(QualityReport),
    Compaction,
}

/// A quality check of a story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QualityReport {
    pub story: StoryId,
    pub outcome: QualityOutcome,
    pub warnings: Vec<String>,
}

impl RunView {
    /// Before the event adds to the cost of the run.
    pub(super) fn apply_to_sessions(
        &mut self,
        at: DateTime<Utc>,
        lane: Option<u64>,
        event: &LoopEvent,
    ) {
        let (kind, seconds, cost_usd) = match event {
            LoopEvent::AgentEnded(ended) => {
                self.tokens.add(ended.tokens);
                if self.iteration_in(lane).is_none() {
                    self.track_mut(lane).other_tokens.add(ended.tokens);
                }
                return;
            }
            LoopEvent::QualityChecked { story, outcome, warnings, seconds, cost_usd } => {
                let (story, warnings) = (story.clone(), warnings.clone());
                let report = QualityReport { story, outcome: *outcome, warnings };
                (OtherKind::Quality(report), *seconds, *cost_usd)
            }
            LoopEvent::CompactionEnded { seconds, cost_usd, .. } => {
                (OtherKind::Compaction, *seconds, *cost_usd)
            }
            _ => return,
        };
        let tokens = std::mem::take(&mut self.track_mut(lane).other_tokens);
        self.others.push(OtherSession {
            ended_at: at,
            kind,
            seconds,
            cost_usd,
            total_cost_usd: self.spent_usd() + cost_usd,
            tokens,
        });
    }
}
