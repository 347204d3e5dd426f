//! Skip orders of the user. They are saved before the order is deleted, and the stories are given up when the run
//! selects its next work.

use project::orders::Order;
use tasks::{Selection, StoryId};

use crate::RunError;
use crate::coordinator::core::Coordinator;

impl Coordinator<'_> {
    pub(crate) fn skip_next(&mut self) -> Result<(), RunError> {
        let running =
            self.lane_state.running.as_ref().map(|running| running.assignment.story.clone());
        let story = match running {
            Some(story) => Some(story),
            None => match self.select_next()? {
                Selection::Work { story, .. } => Some(story),
                Selection::Complete | Selection::Blocked(_) => None,
            },
        };
        match story {
            Some(story) => {
                self.state.skips.insert(story);
            }
            None => {
                self.control.sink.refuse(Order::Skip { story: None }, "no story is left to skip");
            }
        }
        Ok(())
    }

    pub(crate) fn is_skipped(&self, story: &StoryId) -> bool {
        self.state.skips.contains(story) || self.control.orders.skips(story)
    }

    /// While the run waits, a story is given up at once.
    pub(crate) fn give_up_skipped(&mut self) -> Result<(), RunError> {
        if self.state.skips.is_empty() || self.lane_state.running.is_some() {
            return Ok(());
        }
        self.drop_idle_skips()?;
        self.give_up_failed()
    }

    /// Refuses skips of stories that are unknown, done or given up.
    pub(crate) fn drop_idle_skips(&mut self) -> Result<(), RunError> {
        if self.state.skips.is_empty() {
            return Ok(());
        }
        let expected = self.expected_tasks()?;
        for id in self.state.skips.clone() {
            let given_up =
                self.state.stories.get(&id).is_some_and(|record| record.given_up.is_some());
            let why = match expected.list.story(&id) {
                None => "the task list has no such story",
                Some(story) if story.passes => "it is done already",
                Some(_) if given_up => "it is given up already",
                Some(_) => continue,
            };
            self.state.skips.remove(&id);
            self.control.sink.refuse(Order::Skip { story: Some(id) }, why);
        }
        self.save()?;
        Ok(())
    }
}
