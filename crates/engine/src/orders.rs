//! What a person tells the run while it goes on: read from the mailbox, told, obeyed or handed on.
//!
//! An agent could write there too. All it can do is to end, pause or skip, and to say something to the
//! next session that codes: nothing here makes a story pass or reaches a review. What a loop keeps of
//! it is the loop's to say.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use project::Layout;
use project::orders::{Letter, Mailbox, Order};
use supervise::Seen;
use tasks::StoryId;

use crate::stage::Stage;
use crate::teller::Teller;
use crate::{LoopEvent, RunError, StopSignal, StopSwitch};

/// Files that are no orders which a warning names.
const NAMED: usize = 3;

#[derive(Debug)]
pub(crate) struct Orders {
    /// None in a dry run.
    mailbox: Option<Mailbox>,
    /// When this process took the run up.
    since: SystemTime,
    /// Told, and not kept anywhere but in their files.
    taken: Vec<Letter>,
    /// Done with, but their files could not be removed.
    left: Vec<PathBuf>,
    pub(crate) course: Course,
    stop: StopTold,
    /// The story that is worked on.
    pub(crate) story: Option<StoryId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Course {
    Works,
    /// Nothing new is begun.
    Pauses,
}

/// Whether it was told that the run is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopTold {
    NotYet,
    Told,
}

/// What a letter is to this run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Taken,
    OfAnotherRun,
    /// Meant for a process that is gone: a run that is started again goes on.
    TooLate,
}

impl Orders {
    pub(crate) fn none() -> Self {
        let since = SystemTime::now();
        let (course, taken, left) = (Course::Works, Vec::new(), Vec::new());
        Self { mailbox: None, since, taken, left, course, stop: StopTold::NotYet, story: None }
    }

    pub(crate) fn open(layout: &Layout) -> Result<Self, RunError> {
        let failed = |error| RunError::Disk { path: layout.name_of(&layout.orders()), error };
        Ok(Self { mailbox: Some(Mailbox::open(layout).map_err(failed)?), ..Self::none() })
    }

    pub(crate) fn heed(&mut self, run_id: &str, switch: &StopSwitch, teller: &mut Teller<'_>) {
        let Some(mailbox) = &self.mailbox else { return };
        let known: Vec<&Path> = self
            .taken
            .iter()
            .map(Letter::path)
            .chain(self.left.iter().map(PathBuf::as_path))
            .collect();
        let mail = mailbox.look(&known);
        if !mail.nonsense.is_empty() {
            let (count, more) = (mail.nonsense.len(), mail.nonsense.len().saturating_sub(NAMED));
            let named = mail.nonsense[..count - more].join("; ");
            let more = if more == 0 { String::new() } else { format!("; and {more} more") };
            teller.warn(format!("what is no order was removed from .ralph/orders: {named}{more}"));
        }
        for letter in mail.letters {
            match fate(&letter, run_id, self.since) {
                Fate::Taken => self.take(letter, switch, teller),
                Fate::OfAnotherRun => {
                    let (order, run) = (in_words(&letter.order), &letter.run);
                    teller.found(format!("an order for run {run}, not obeyed: {order}"));
                    self.remove(&letter, teller);
                }
                Fate::TooLate => {
                    let order = in_words(&letter.order);
                    teller.found(format!("an order from before the run was taken up: {order}"));
                    self.remove(&letter, teller);
                }
            }
        }
        self.tell_stop(switch, teller);
    }

    /// Once, as soon as it is heard.
    pub(crate) fn tell_stop(&mut self, switch: &StopSwitch, teller: &mut Teller<'_>) {
        let Some(signal) = switch.heard() else { return };
        if std::mem::replace(&mut self.stop, StopTold::Told) == StopTold::NotYet {
            teller.tell(LoopEvent::StopRequested {
                signal: signal.name().into(),
                text: "the run ends and can be taken up again".into(),
            });
        }
    }

    fn take(&mut self, mut letter: Letter, switch: &StopSwitch, teller: &mut Teller<'_>) {
        // Whoever comes after a kill could not know any more which story it was.
        if let (Order::Skip { story: None }, Some(story)) = (&letter.order, &self.story)
            && let Err(error) = letter.replace(Order::Skip { story: Some(story.clone()) })
        {
            teller.warn(format!("an order cannot be kept: {error}"));
        }
        teller.tell(LoopEvent::OrderTaken { order: letter.order.clone() });
        match letter.order {
            Order::Pause => self.course = Course::Pauses,
            Order::GoOn => self.course = Course::Works,
            Order::Stop => {
                switch.hear(StopSignal::Order);
            }
            Order::Skip { .. } | Order::Steer { .. } => {
                self.taken.push(letter);
                return;
            }
        }
        self.remove(&letter, teller);
    }

    fn remove(&mut self, letter: &Letter, teller: &mut Teller<'_>) {
        if let Err(error) = letter.remove() {
            teller.warn(format!("the file of an order cannot be removed: {error}"));
            self.left.push(letter.path().to_path_buf());
        }
    }

    /// What a loop has to keep before it is done with.
    pub(crate) fn taken(&self) -> Vec<Order> {
        self.taken.iter().map(|letter| letter.order.clone()).collect()
    }

    /// What was taken is kept elsewhere now.
    pub(crate) fn forget_taken(&mut self, teller: &mut Teller<'_>) {
        for letter in std::mem::take(&mut self.taken) {
            self.remove(&letter, teller);
        }
    }

    /// Whether this story is to be skipped, as far as nobody else knows it yet.
    pub(crate) fn skips(&self, wanted: &StoryId) -> bool {
        self.taken.iter().any(
            |letter| matches!(&letter.order, Order::Skip { story: Some(story) } if story == wanted),
        )
    }

    /// What this means for a child that runs.
    pub(crate) fn seen(&self) -> Seen {
        match &self.story {
            Some(story) if self.skips(story) => Seen::Enough,
            _ => Seen::Nothing,
        }
    }
}

impl Stage<'_, '_> {
    pub(crate) fn heed_orders(&mut self) {
        self.orders.heed(self.run_id, self.switch, self.teller);
    }
}

fn fate(letter: &Letter, run_id: &str, since: SystemTime) -> Fate {
    if letter.run != run_id {
        return Fate::OfAnotherRun;
    }
    match letter.order {
        Order::Pause | Order::GoOn | Order::Stop if letter.at < since => Fate::TooLate,
        _ => Fate::Taken,
    }
}

fn in_words(order: &Order) -> String {
    match order {
        Order::Pause => "pause".to_owned(),
        Order::GoOn => "go on".to_owned(),
        Order::Stop => "stop".to_owned(),
        Order::Skip { story: None } => "skip a story".to_owned(),
        Order::Skip { story: Some(story) } => format!("skip {story}"),
        Order::Steer { text } => format!("steer: {text}"),
    }
}

#[cfg(test)]
mod tests;
