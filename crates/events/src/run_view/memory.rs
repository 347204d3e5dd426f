//! Handoffs and compactions, according to the events of a run.

use crate::{CompactionOutcome, HandoffSource, LoopEvent};
use chrono::{DateTime, Utc};
use serde::{Serialize, Serializer};
use tasks::StoryId;

use crate::format::count;

/// For a run with handoffs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryView {
    pub last_handoff: Option<HandoffView>,
    pub compactions: u64,
    /// The reasons of failed compactions.
    #[serde(rename = "failedCompactions", serialize_with = "number")]
    pub failures: Vec<String>,
    /// The last prompt.
    pub prompt: Option<PromptView>,
    /// The running compaction.
    pub compaction: Option<CompactionView>,
    #[serde(skip)]
    pub handoffs: Handoffs,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Handoffs {
    pub kept: u64,
    /// Iterations whose agent wrote no valid handoff.
    pub by_runner: Vec<u64>,
}

/// A plan change that a handoff requested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanChange {
    pub iteration: u64,
    pub outcome: PlanOutcome,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanOutcome {
    Applied,
    Refused,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HandoffView {
    pub iteration: u64,
    pub story: StoryId,
    pub source: HandoffSource,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptView {
    pub tokens: u64,
    pub budget: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactionView {
    pub handoffs: u64,
    pub started_at: DateTime<Utc>,
}

/// A session that only looks up documentation has no handoffs to compact.
pub fn compacting(handoffs: u64) -> String {
    match handoffs {
        0 => "looking up documentation".to_owned(),
        handoffs => format!("compacting {}", count(handoffs, "handoff", "handoffs")),
    }
}

/// Applies `event`; a run without handoffs stays `None`.
pub(super) fn apply(memory: &mut Option<MemoryView>, at: DateTime<Utc>, event: &LoopEvent) {
    match event {
        LoopEvent::ContextAssembled { tokens, budget, .. } => {
            let prompt = PromptView { tokens: *tokens, budget: *budget };
            memory.get_or_insert_default().prompt = Some(prompt);
        }
        LoopEvent::HandoffSaved { iteration, story, source, text, .. } => {
            let memory = memory.get_or_insert_default();
            memory.handoffs.kept += 1;
            if *source == HandoffSource::Runner {
                memory.handoffs.by_runner.push(*iteration);
            }
            memory.last_handoff = Some(HandoffView {
                iteration: *iteration,
                story: story.clone(),
                source: *source,
                text: text.clone(),
            });
        }
        LoopEvent::CompactionStarted { handoffs, .. } => {
            let compaction = CompactionView { handoffs: *handoffs, started_at: at };
            memory.get_or_insert_default().compaction = Some(compaction);
        }
        LoopEvent::CompactionEnded { outcome, text, .. } => {
            let memory = memory.get_or_insert_default();
            memory.compaction = None;
            match outcome {
                CompactionOutcome::Compacted => memory.compactions += 1,
                CompactionOutcome::Failed => memory.failures.push(text.clone()),
                CompactionOutcome::Stopped => {}
            }
        }
        // The compacting session has ended.
        LoopEvent::RunStarted { .. } | LoopEvent::RunEnded { .. } => {
            if let Some(memory) = memory {
                memory.compaction = None;
            }
        }
        _ => {}
    }
}

fn number<S: Serializer>(failures: &[String], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(failures.len() as u64)
}
