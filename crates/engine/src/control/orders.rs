//! Orders of the user to a running loop: read from the queue, emitted, executed or handed on.
//!
//! An agent could write orders too. They can only stop, pause or skip, and add an instruction for the next
//! implementing session: none makes a story pass or reaches a review. Each loop decides what it saves.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use events::{LoopEvent, StopSignal};
use project::Layout;
use project::orders::{Order, OrderQueue, QueuedOrder};
use supervise::Reaction;
use tasks::StoryId;

use crate::control::run_control::RunControl;
use crate::event_sink::EventSink;
use crate::{RunError, StopSwitch};

/// Invalid files that a warning names.
const NAMED: usize = 3;

/// Orders of the run to one of its lanes, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct LaneOrders(Arc<Mutex<SentOrders>>);

#[derive(Debug, Default)]
struct SentOrders {
    /// Not saved by the lane yet.
    orders: Vec<Order>,
    /// How many of them the lane has read.
    read: usize,
}

impl LaneOrders {
    pub(crate) fn new(orders: Vec<Order>) -> Self {
        Self(Arc::new(Mutex::new(SentOrders { orders, read: 0 })))
    }

    fn sent(&self) -> MutexGuard<'_, SentOrders> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, order: Order) {
        self.sent().orders.push(order);
    }

    /// Those that the lane has not saved.
    pub(crate) fn unsaved(&self) -> Vec<Order> {
        self.sent().orders.clone()
    }

    /// Takes the instructions that the lane has not read.
    pub(crate) fn take_instructions(&self) -> Vec<String> {
        let mut sent = self.sent();
        let read = sent.read;
        let mut texts = Vec::new();
        for order in sent.orders.split_off(read) {
            match order {
                Order::Steer { text, .. } => texts.push(text),
                other => sent.orders.push(other),
            }
        }
        texts
    }

    fn read_new(&self) -> Vec<Order> {
        let mut sent = self.sent();
        let new = sent.orders[sent.read..].to_vec();
        sent.read = sent.orders.len();
        new
    }

    fn saved(&self) {
        let mut sent = self.sent();
        let read = std::mem::take(&mut sent.read);
        sent.orders.drain(..read);
    }
}

/// An order for the loop, and when it was written into the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AcceptedOrder {
    pub(crate) order: Order,
    pub(crate) written_at: SystemTime,
}

#[derive(Debug)]
pub(crate) struct Orders {
    /// `None` in a dry run and in a lane.
    queue: Option<OrderQueue>,
    /// From the run, in a lane.
    of_lane: Option<LaneOrders>,
    /// Taken from there and not saved yet.
    taken: Vec<Order>,
    /// When this process started or resumed the run.
    since: SystemTime,
    /// Accepted, and saved only in their files.
    accepted: Vec<QueuedOrder>,
    /// Finished or for another loop, but still in the queue.
    unremoved: Vec<PathBuf>,
    /// No new work is started.
    pub(crate) paused: bool,
    stop_reported: bool,
    /// The current story.
    pub(crate) story: Option<StoryId>,
    /// Whether the loop has stories. Answers for stories of another run stay in the queue otherwise.
    takes_answers: bool,
}

impl Orders {
    pub(crate) fn none() -> Self {
        let since = SystemTime::now();
        let (accepted, unremoved) = (Vec::new(), Vec::new());
        Self {
            queue: None,
            of_lane: None,
            taken: Vec::new(),
            since,
            accepted,
            unremoved,
            paused: false,
            stop_reported: false,
            story: None,
            takes_answers: false,
        }
    }

    pub(crate) fn open(layout: &Layout) -> Result<Self, RunError> {
        let failed = |error| RunError::Disk { path: layout.name_of(&layout.orders()), error };
        Ok(Self { queue: Some(OrderQueue::open(layout).map_err(failed)?), ..Self::none() })
    }

    /// Of a story loop. It continues the questions of earlier runs, so it takes their answers.
    pub(crate) fn open_with_answers(layout: &Layout) -> Result<Self, RunError> {
        Ok(Self { takes_answers: true, ..Self::open(layout)? })
    }

    /// The run reads the queue, pauses, and reports a stop.
    pub(crate) fn of_lane(orders: LaneOrders) -> Self {
        Self { of_lane: Some(orders), stop_reported: true, ..Self::none() }
    }

    pub(crate) fn apply(&mut self, run_id: &str, switch: &StopSwitch, sink: &EventSink<'_>) {
        if let Some(orders) = &self.of_lane {
            self.taken.extend(orders.read_new());
        }
        let Some(queue) = &self.queue else { return };
        let known: Vec<&Path> = self
            .accepted
            .iter()
            .map(QueuedOrder::path)
            .chain(self.unremoved.iter().map(PathBuf::as_path))
            .collect();
        let orders_read = queue.read(&known);
        if !orders_read.invalid.is_empty() {
            let (count, more) =
                (orders_read.invalid.len(), orders_read.invalid.len().saturating_sub(NAMED));
            let named = orders_read.invalid[..count - more].join("; ");
            let more = if more == 0 { String::new() } else { format!("; and {more} more") };
            sink.warn(format!("removed invalid files from .ralph/orders: {named}{more}"));
        }
        for order_file in orders_read.order_files {
            let is_answer = matches!(order_file.order, Order::Answer { .. });
            if is_answer && !self.takes_answers && order_file.run != run_id {
                self.unremoved.push(order_file.path().to_path_buf());
                continue;
            }
            match not_for(&order_file, run_id, self.since) {
                _ if is_answer => self.accept(order_file, switch, sink),
                None => self.accept(order_file, switch, sink),
                Some(why) => {
                    let order = order_text(&order_file.order);
                    sink.leftover_found(format!("ignored an order {why}: {order}"));
                    self.remove(&order_file, sink);
                }
            }
        }
        self.report_stop(switch, sink);
    }

    /// Once, as soon as the stop is requested.
    pub(crate) fn report_stop(&mut self, switch: &StopSwitch, sink: &EventSink<'_>) {
        let Some(signal) = switch.requested() else { return };
        if !std::mem::replace(&mut self.stop_reported, true) {
            sink.emit(LoopEvent::StopRequested {
                signal: signal.name().into(),
                text: "the run ends; run the same command again to resume".into(),
            });
        }
    }

    fn accept(&mut self, mut order_file: QueuedOrder, switch: &StopSwitch, sink: &EventSink<'_>) {
        // After a kill, the next run could not know which story was meant.
        if let (Order::Skip { story: None }, Some(story)) = (&order_file.order, &self.story)
            && let Err(error) = order_file.replace(Order::Skip { story: Some(story.clone()) })
        {
            sink.warn(format!("cannot save an order: {error}"));
        }
        sink.emit(LoopEvent::OrderAccepted { order: order_file.order.clone() });
        match order_file.order {
            Order::Pause => self.paused = true,
            Order::GoOn => self.paused = false,
            Order::Stop => {
                switch.request(StopSignal::Order);
            }
            Order::Skip { .. } | Order::Steer { .. } | Order::Answer { .. } => {
                self.accepted.push(order_file);
                return;
            }
        }
        self.remove(&order_file, sink);
    }

    fn remove(&mut self, order_file: &QueuedOrder, sink: &EventSink<'_>) {
        if let Err(error) = order_file.remove() {
            sink.warn(format!("cannot remove the file of an order: {error}"));
            self.unremoved.push(order_file.path().to_path_buf());
        }
    }

    /// Orders that a loop must save before their files are removed.
    pub(crate) fn accepted(&self) -> Vec<AcceptedOrder> {
        let order = |order: &Order, written_at| AcceptedOrder { order: order.clone(), written_at };
        let queued = self.accepted.iter().map(|file| order(&file.order, file.written_at));
        queued.chain(self.taken.iter().map(|taken| order(taken, SystemTime::now()))).collect()
    }

    fn unsaved(&self) -> impl Iterator<Item = &Order> {
        self.accepted.iter().map(|order_file| &order_file.order).chain(&self.taken)
    }

    /// Removes the files of orders that are saved elsewhere.
    pub(crate) fn remove_accepted(&mut self, sink: &EventSink<'_>) {
        for order_file in std::mem::take(&mut self.accepted) {
            self.remove(&order_file, sink);
        }
        self.taken.clear();
        if let Some(orders) = &self.of_lane {
            orders.saved();
        }
    }

    /// Whether this story is to be skipped by an order that is not saved yet.
    pub(crate) fn skips(&self, wanted: &StoryId) -> bool {
        self.unsaved()
            .any(|order| matches!(order, Order::Skip { story: Some(story) } if story == wanted))
    }

    /// Ends the child process of a story that is to be skipped.
    pub(crate) fn reaction(&self) -> Reaction {
        match &self.story {
            Some(story) if self.skips(story) => Reaction::Enough,
            _ => Reaction::Nothing,
        }
    }
}

impl RunControl<'_> {
    pub(crate) fn apply_orders(&mut self) {
        self.orders.apply(&self.run_id, self.switch, &self.sink);
    }
}

/// Why the order is not for this process: it is for another run, or for a process of this run that has ended.
fn not_for(order_file: &QueuedOrder, run_id: &str, since: SystemTime) -> Option<String> {
    match order_file.order {
        _ if order_file.run != run_id => Some(format!("for run {}", order_file.run)),
        Order::Pause | Order::GoOn | Order::Stop if order_file.at < since => {
            Some("from before the run was resumed".to_owned())
        }
        _ => None,
    }
}

fn order_text(order: &Order) -> String {
    match order {
        Order::Pause => "pause".to_owned(),
        Order::GoOn => "resume".to_owned(),
        Order::Stop => "stop".to_owned(),
        Order::Skip { story: None } => "skip a story".to_owned(),
        Order::Skip { story: Some(story) } => format!("skip {story}"),
        Order::Steer { text, .. } => format!("steer: {text}"),
        Order::Answer { story, text, .. } => format!("answer for {story}: {text}"),
    }
}

#[cfg(test)]
mod tests;
