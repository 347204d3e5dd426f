//! Pending orders of the user.

use std::collections::BTreeSet;

use crate::LoopEvent;
use chrono::{DateTime, Utc};
use project::orders::Order;
use serde::Serialize;
use tasks::StoryId;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingOrders {
    pub pause: Pause,
    /// Stories to be skipped.
    pub skips: Vec<StoryId>,
    /// Oldest first.
    pub steers: Vec<WaitingInstruction>,
}

/// An instruction for the next implementing session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingInstruction {
    pub text: String,
    /// The session must be of this story.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub story: Option<StoryId>,
    /// The lanes whose running iteration received it.
    #[serde(skip)]
    given_to: BTreeSet<Option<u64>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum Pause {
    #[default]
    No,
    /// After the running iteration.
    #[serde(rename = "wished")]
    Requested,
    /// The run waits until it is resumed.
    Waiting { since: DateTime<Utc> },
}

impl PendingOrders {
    /// `running` is the story that a skip order without a story means.
    pub(super) fn apply(
        &mut self,
        at: DateTime<Utc>,
        lane: Option<u64>,
        event: &LoopEvent,
        running: Option<&StoryId>,
    ) {
        match event {
            LoopEvent::RunStarted { .. } => self.pause = Pause::No,
            LoopEvent::OrderAccepted { order } => self.accept(order, running),
            LoopEvent::OrderRefused { order, .. } => self.give_up(order),
            LoopEvent::Paused => self.pause = Pause::Waiting { since: at },
            LoopEvent::Resumed => self.pause = Pause::No,
            LoopEvent::StoryGivenUp { story, .. } => self.skips.retain(|skip| skip != story),
            LoopEvent::IterationStarted(started) if !started.mode.is_review() => {
                let is_for = |steer: &&mut WaitingInstruction| {
                    steer.story.is_none() || steer.story == started.story
                };
                for steer in self.steers.iter_mut().filter(is_for) {
                    steer.given_to.insert(lane);
                }
            }
            LoopEvent::IterationEnded(ended) if !ended.mode.is_review() => {
                let is_used_up = ended.status.is_used_up();
                self.steers.retain_mut(|steer| !(steer.given_to.remove(&lane) && is_used_up));
            }
            LoopEvent::RunEnded { .. } => (self.pause, self.skips) = (Pause::No, Vec::new()),
            _ => {}
        }
    }

    fn give_up(&mut self, order: &Order) {
        match order {
            Order::Skip { story: Some(story) } => self.skips.retain(|skip| skip != story),
            Order::Steer { text, story } => {
                let is_it =
                    |steer: &WaitingInstruction| steer.text == *text && steer.story == *story;
                if let Some(last) = self.steers.iter().rposition(is_it) {
                    self.steers.remove(last);
                }
            }
            Order::Skip { story: None }
            | Order::Answer { .. }
            | Order::Pause
            | Order::GoOn
            | Order::Stop => {}
        }
    }

    fn accept(&mut self, order: &Order, running: Option<&StoryId>) {
        match order {
            Order::Pause if self.pause == Pause::No => self.pause = Pause::Requested,
            Order::GoOn if self.pause == Pause::Requested => self.pause = Pause::No,
            Order::Skip { story } => {
                let story = story.as_ref().or(running);
                self.skips.extend(story.filter(|story| !self.skips.contains(story)).cloned());
            }
            Order::Steer { text, story } => {
                let (text, story) = (text.clone(), story.clone());
                self.steers.push(WaitingInstruction { text, story, given_to: BTreeSet::new() });
            }
            Order::Answer { .. } | Order::Pause | Order::GoOn | Order::Stop => {}
        }
    }
}
