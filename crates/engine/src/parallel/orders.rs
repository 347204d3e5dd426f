//! Passes the user's orders on to the lanes that they are for.

use project::orders::Order;
use tasks::StoryId;

use crate::parallel::run_state::RunState;

impl RunState {
    /// Passes an order on to the lanes that it is for, or keeps it until a lane begins a story. An error says why it
    /// cannot be executed.
    pub(crate) fn give(&mut self, order: &Order) -> Result<(), String> {
        let lanes: Vec<usize> =
            (0..self.lanes.len()).filter(|lane| self.lanes()[*lane].story.is_some()).collect();
        match order {
            Order::Pause | Order::GoOn | Order::Stop => {}
            Order::Skip { story: Some(story) } => {
                self.require_open(story)?;
                self.run.skips.insert(story.clone());
                if let Some(lane) = lanes.iter().find(|lane| self.is_in_work(**lane, story)) {
                    self.lanes[*lane].orders.add(order.clone());
                }
            }
            Order::Skip { story: None } => match *lanes {
                [lane] => self.lanes[lane].orders.add(order.clone()),
                _ => return Err(format!("{} stories are in work: name one", lanes.len())),
            },
            Order::Steer { text, story: Some(story) } => {
                let in_work = lanes.iter().find(|lane| self.is_in_work(**lane, story));
                match in_work {
                    Some(lane) => self.lanes[*lane].orders.add(order.clone()),
                    None => {
                        self.require_open(story)?;
                        let texts = self.separate().instructions.entry(story.clone()).or_default();
                        texts.push(text.clone());
                    }
                }
            }
            Order::Steer { .. } if lanes.is_empty() => {
                return Err("no story is in work".to_owned());
            }
            Order::Steer { .. } => {
                lanes.iter().for_each(|lane| self.lanes[*lane].orders.add(order.clone()));
            }
        }
        Ok(())
    }

    fn is_in_work(&self, lane: usize, story: &StoryId) -> bool {
        self.lanes()[lane].story.as_ref() == Some(story)
    }

    fn require_open(&self, story: &StoryId) -> Result<(), String> {
        let why = match self.list.list.story(story) {
            None => "the task list has no such story",
            Some(story) if story.passes => "it is done already",
            Some(story) if self.run.given_up().contains(&story.id) => "it is given up already",
            Some(_) => return Ok(()),
        };
        Err(why.to_owned())
    }
}
