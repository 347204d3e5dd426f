//! Checks that fail without the run's work.

use serde::Serialize;
use tasks::StoryId;

use crate::{KnownFailure, LoopEvent};

/// A check that failed without the run's work, and the story that made it pass.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownFailureView {
    #[serde(flatten)]
    pub failure: KnownFailure,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed_by: Option<StoryId>,
}

pub(super) fn apply(all: &mut Vec<KnownFailureView>, event: &LoopEvent) {
    match event {
        LoopEvent::BaseChecked { failures, .. } => {
            all.retain(|known| known.fixed_by.is_some());
            let found = failures
                .iter()
                .map(|failure| KnownFailureView { failure: failure.clone(), fixed_by: None });
            all.extend(found);
        }
        LoopEvent::KnownFailureFixed { story, command } => {
            let mut open = all.iter_mut().filter(|it| it.fixed_by.is_none());
            if let Some(known) = open.find(|known| known.failure.command == *command) {
                known.fixed_by = Some(story.clone());
            }
        }
        _ => {}
    }
}
