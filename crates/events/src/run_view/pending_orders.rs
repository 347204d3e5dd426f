//! Pending orders of the user.

use std::collections::BTreeMap;

use crate::{IterationMode, LoopEvent};
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
    /// Instructions for the next implementing session, oldest first.
    pub steers: Vec<String>,
    /// How many of them the running iteration of each lane received.
    #[serde(skip)]
    given: BTreeMap<Option<u64>, usize>,
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
            LoopEvent::IterationStarted(started) if started.mode != IterationMode::Review => {
                self.given.insert(lane, self.steers.len());
            }
            LoopEvent::IterationEnded(ended) if ended.mode != IterationMode::Review => {
                let given = self.given.remove(&lane).unwrap_or(0).min(self.steers.len());
                if ended.status.is_used_up() {
                    self.steers.drain(..given);
                    // Other lanes received the same instructions.
                    let others = self.given.values_mut();
                    others.for_each(|others| *others = others.saturating_sub(given));
                }
            }
            LoopEvent::RunEnded { .. } => (self.pause, self.skips) = (Pause::No, Vec::new()),
            _ => {}
        }
    }

    fn give_up(&mut self, order: &Order) {
        match order {
            Order::Skip { story: Some(story) } => self.skips.retain(|skip| skip != story),
            Order::Steer { text, .. } => {
                if let Some(last) = self.steers.iter().rposition(|steer| steer == text) {
                    self.steers.remove(last);
                }
            }
            Order::Skip { story: None } | Order::Pause | Order::GoOn | Order::Stop => {}
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
            Order::Steer { text, .. } => self.steers.push(text.clone()),
            Order::Pause | Order::GoOn | Order::Stop => {}
        }
    }
}
