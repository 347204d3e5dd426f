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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_that_a_story_fixed_stays_when_the_checks_run_again() {
        let checked = |command: &str| LoopEvent::BaseChecked {
            commit: "abc".into(),
            checks: 1,
            failures: vec![KnownFailure {
                command: command.into(),
                error: String::new(),
                is_unstable: false,
            }],
        };
        let story = StoryId::new("US-1").unwrap();
        let fixed = |command: &str| LoopEvent::KnownFailureFixed {
            story: story.clone(),
            command: command.into(),
        };
        let mut all = Vec::new();
        for event in [checked("a"), fixed("a"), checked("b"), checked("c")] {
            apply(&mut all, &event);
        }
        let found = all.iter().map(|known| (&known.failure.command[..], known.fixed_by.as_ref()));
        assert_eq!(found.collect::<Vec<_>>(), [("a", Some(&story)), ("c", None)]);
    }
}
