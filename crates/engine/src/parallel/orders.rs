//! Passes the user's orders on to the lanes that they are for, and keeps instructions until a session received them.

use events::LoopEvent;
use project::orders::{MOST_STEERS, Order};
use tasks::StoryId;

use crate::control::{AcceptedOrder, UserInstructions};
use crate::coordinator::GeneralInstruction;
use crate::parallel::run_state::RunState;

impl RunState {
    /// Passes an order on to the lanes that it is for, or keeps it until a lane begins a story. An error says why it
    /// cannot be executed.
    pub(crate) fn give(&mut self, given: &AcceptedOrder) -> Result<Option<LoopEvent>, String> {
        let order = &given.order;
        let lanes: Vec<usize> =
            (0..self.lanes.len()).filter(|lane| self.lanes()[*lane].story.is_some()).collect();
        match order {
            Order::Pause | Order::GoOn | Order::Stop => {}
            Order::Answer { story, question, text } => {
                return self.run.answer(story, *question, text, given.written_at).map(Some);
            }
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
            Order::Steer { text, story: None } => {
                let general = &mut self.separate().general;
                if general.iter().filter(|one| !one.is_received).count() >= MOST_STEERS {
                    return Err(format!("{MOST_STEERS} instructions already wait for a session"));
                }
                general.push(GeneralInstruction { text: text.clone(), is_received: false });
                lanes.iter().for_each(|lane| self.lanes[*lane].orders.add(order.clone()));
            }
        }
        Ok(None)
    }

    /// The instructions for a story that begins.
    pub(crate) fn instructions_for(&mut self, story: &StoryId) -> Vec<String> {
        let separate = self.separate();
        let general = separate.general.iter().filter(|one| !one.is_received);
        let mut texts: Vec<String> = general.map(|one| one.text.clone()).collect();
        texts.extend(separate.instructions.remove(story).unwrap_or_default());
        texts
    }

    /// The lane saves what still waits for its sessions: they received the others.
    pub(crate) fn record_received(&mut self, lane: usize, waiting: &UserInstructions) {
        let separate = self.separate();
        let before = separate.lanes[lane].instructions.waiting();
        for one in &mut separate.general {
            one.is_received |= before.contains(&one.text) && !waiting.waiting().contains(&one.text);
        }
        separate.lanes[lane].instructions.clone_from(waiting);
    }

    /// The lane leaves its story: instructions for the story wait until a lane works on it again.
    pub(crate) fn keep_instructions(&mut self, lane: usize) {
        let unread = self.lanes[lane].orders.take_instructions();
        let separate = self.separate();
        let saved = &separate.lanes[lane];
        let texts = saved.instructions.waiting().iter().cloned().chain(unread);
        let is_general = |text: &String| separate.general.iter().any(|one| one.text == *text);
        let texts: Vec<String> = texts.filter(|text| !is_general(text)).collect();
        if let (Some(story), false) = (saved.story.clone(), texts.is_empty()) {
            separate.instructions.entry(story).or_default().extend(texts);
        }
    }

    /// Instructions that no session received, each once.
    pub(crate) fn undelivered(&self) -> UserInstructions {
        let mut texts: Vec<String> = Vec::new();
        let Some(separate) = &self.run.separate else { return UserInstructions::default() };
        let of_lanes = separate.lanes.iter().zip(&self.lanes).flat_map(|(saved, lane)| {
            let unread = lane.orders.unsaved().into_iter().filter_map(|order| match order {
                Order::Steer { text, .. } => Some(text),
                _ => None,
            });
            saved.instructions.waiting().iter().cloned().chain(unread)
        });
        let is_general = |text: &String| separate.general.iter().any(|one| one.text == *text);
        let of_stories = separate.instructions.values().flatten().cloned().chain(of_lanes);
        let general = separate.general.iter().filter(|one| !one.is_received);
        let all =
            general.map(|one| one.text.clone()).chain(of_stories.filter(|text| !is_general(text)));
        for text in all {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        let mut undelivered = UserInstructions::default();
        undelivered.extend(texts);
        undelivered
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
