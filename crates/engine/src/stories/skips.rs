//! Stories that the user wants to have skipped: known on disk before the order is forgotten, set aside
//! when the run looks for its next work.

use project::orders::Order;
use tasks::{Selection, StoryId};

use crate::RunError;
use crate::stories::run::Run;

impl Run<'_> {
    /// Heeds what the user told the run, and keeps what has to outlive this process.
    pub(crate) fn keep_orders(&mut self) -> Result<(), RunError> {
        self.session_context().apply_orders();
        let taken = self.orders.taken();
        if taken.is_empty() {
            return Ok(());
        }
        for order in taken {
            match order {
                Order::Steer { text } => {
                    self.state.user_instructions.add_or_refuse(text, &mut self.sink)
                }
                Order::Skip { story: Some(story) } => {
                    self.state.skips.insert(story);
                }
                Order::Skip { story: None } => self.skip_next()?,
                Order::Pause | Order::GoOn | Order::Stop => {}
            }
        }
        self.state.save(self.layout)?;
        self.orders.forget_taken(&mut self.sink);
        Ok(())
    }

    fn skip_next(&mut self) -> Result<(), RunError> {
        let running = self.state.running.as_ref().map(|running| running.assignment.story.clone());
        let story = match running {
            Some(story) => Some(story),
            None => match self.look_at_list()? {
                Selection::Work { story, .. } => Some(story),
                Selection::Complete | Selection::Blocked(_) => None,
            },
        };
        match story {
            Some(story) => {
                self.state.skips.insert(story);
            }
            None => {
                self.sink.refuse(Order::Skip { story: None }, "no story is left to be skipped");
            }
        }
        Ok(())
    }

    pub(crate) fn is_skipped(&self, story: &StoryId) -> bool {
        self.state.skips.contains(story) || self.orders.skips(story)
    }

    /// While the run waits: nobody has to wait for a story to be set aside.
    pub(crate) fn skip_now(&mut self) -> Result<(), RunError> {
        if self.state.skips.is_empty() || self.state.running.is_some() {
            return Ok(());
        }
        self.drop_idle_skips()?;
        self.give_up_failed()
    }

    /// Those that cannot be skipped, or need not be.
    pub(crate) fn drop_idle_skips(&mut self) -> Result<(), RunError> {
        if self.state.skips.is_empty() {
            return Ok(());
        }
        let standing = self.expected_tasks()?;
        for id in self.state.skips.clone() {
            let given_up =
                self.state.stories.get(&id).is_some_and(|record| record.given_up.is_some());
            let why = match standing.list.story(&id) {
                None => "there is no such story",
                Some(story) if story.passes => "it is done already",
                Some(_) if given_up => "it is set aside already",
                Some(_) => continue,
            };
            self.state.skips.remove(&id);
            self.sink.refuse(Order::Skip { story: Some(id) }, why);
        }
        self.state.save(self.layout)?;
        Ok(())
    }
}
