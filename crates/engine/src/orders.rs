//! What a person tells the run while it goes on: read from the queue, told, obeyed or handed on.
//!
//! An agent could write there too. All it can do is to end, pause or skip, and to say something to the
//! next session that codes: nothing here makes a story pass or reaches a review. What a loop keeps of
//! it is the loop's to say.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use project::Layout;
use project::orders::{Order, OrderQueue, QueuedOrder};
use supervise::Seen;
use tasks::StoryId;

use crate::event_sink::EventSink;
use crate::session_context::SessionContext;
use crate::{LoopEvent, RunError, StopSignal, StopSwitch};

/// Files that are no orders which a warning names.
const NAMED: usize = 3;

#[derive(Debug)]
pub(crate) struct Orders {
    /// None in a dry run.
    queue: Option<OrderQueue>,
    /// When this process took the run up.
    since: SystemTime,
    /// Told, and not kept anywhere but in their files.
    taken: Vec<QueuedOrder>,
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

/// What a order_file is to this run.
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
        Self { queue: None, since, taken, left, course, stop: StopTold::NotYet, story: None }
    }

    pub(crate) fn open(layout: &Layout) -> Result<Self, RunError> {
        let failed = |error| RunError::Disk { path: layout.name_of(&layout.orders()), error };
        Ok(Self { queue: Some(OrderQueue::open(layout).map_err(failed)?), ..Self::none() })
    }

    pub(crate) fn apply(&mut self, run_id: &str, switch: &StopSwitch, sink: &mut EventSink<'_>) {
        let Some(queue) = &self.queue else { return };
        let known: Vec<&Path> = self
            .taken
            .iter()
            .map(QueuedOrder::path)
            .chain(self.left.iter().map(PathBuf::as_path))
            .collect();
        let mail = queue.look(&known);
        if !mail.nonsense.is_empty() {
            let (count, more) = (mail.nonsense.len(), mail.nonsense.len().saturating_sub(NAMED));
            let named = mail.nonsense[..count - more].join("; ");
            let more = if more == 0 { String::new() } else { format!("; and {more} more") };
            sink.warn(format!("what is no order was removed from .ralph/orders: {named}{more}"));
        }
        for order_file in mail.order_files {
            match fate(&order_file, run_id, self.since) {
                Fate::Taken => self.take(order_file, switch, sink),
                Fate::OfAnotherRun => {
                    let (order, run) = (in_words(&order_file.order), &order_file.run);
                    sink.found(format!("an order for run {run}, not obeyed: {order}"));
                    self.remove(&order_file, sink);
                }
                Fate::TooLate => {
                    let order = in_words(&order_file.order);
                    sink.found(format!("an order from before the run was taken up: {order}"));
                    self.remove(&order_file, sink);
                }
            }
        }
        self.report_stop(switch, sink);
    }

    /// Once, as soon as it is heard.
    pub(crate) fn report_stop(&mut self, switch: &StopSwitch, sink: &mut EventSink<'_>) {
        let Some(signal) = switch.heard() else { return };
        if std::mem::replace(&mut self.stop, StopTold::Told) == StopTold::NotYet {
            sink.emit(LoopEvent::StopRequested {
                signal: signal.name().into(),
                text: "the run ends and can be taken up again".into(),
            });
        }
    }

    fn take(&mut self, mut order_file: QueuedOrder, switch: &StopSwitch, sink: &mut EventSink<'_>) {
        // Whoever comes after a kill could not know any more which story it was.
        if let (Order::Skip { story: None }, Some(story)) = (&order_file.order, &self.story)
            && let Err(error) = order_file.replace(Order::Skip { story: Some(story.clone()) })
        {
            sink.warn(format!("an order cannot be kept: {error}"));
        }
        sink.emit(LoopEvent::OrderAccepted { order: order_file.order.clone() });
        match order_file.order {
            Order::Pause => self.course = Course::Pauses,
            Order::GoOn => self.course = Course::Works,
            Order::Stop => {
                switch.hear(StopSignal::Order);
            }
            Order::Skip { .. } | Order::Steer { .. } => {
                self.taken.push(order_file);
                return;
            }
        }
        self.remove(&order_file, sink);
    }

    fn remove(&mut self, order_file: &QueuedOrder, sink: &mut EventSink<'_>) {
        if let Err(error) = order_file.remove() {
            sink.warn(format!("the file of an order cannot be removed: {error}"));
            self.left.push(order_file.path().to_path_buf());
        }
    }

    /// What a loop has to keep before it is done with.
    pub(crate) fn taken(&self) -> Vec<Order> {
        self.taken.iter().map(|order_file| order_file.order.clone()).collect()
    }

    /// What was taken is kept elsewhere now.
    pub(crate) fn forget_taken(&mut self, sink: &mut EventSink<'_>) {
        for order_file in std::mem::take(&mut self.taken) {
            self.remove(&order_file, sink);
        }
    }

    /// Whether this story is to be skipped, as far as nobody else knows it yet.
    pub(crate) fn skips(&self, wanted: &StoryId) -> bool {
        self.taken.iter().any(
            |order_file| matches!(&order_file.order, Order::Skip { story: Some(story) } if story == wanted),
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

impl SessionContext<'_, '_> {
    pub(crate) fn apply_orders(&mut self) {
        self.orders.apply(self.run_id, self.switch, self.sink);
    }
}

fn fate(order_file: &QueuedOrder, run_id: &str, since: SystemTime) -> Fate {
    if order_file.run != run_id {
        return Fate::OfAnotherRun;
    }
    match order_file.order {
        Order::Pause | Order::GoOn | Order::Stop if order_file.at < since => Fate::TooLate,
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
