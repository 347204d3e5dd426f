//! The log panel: decisions about the work, orders and warnings.

use chrono::{DateTime, Utc};
use events::{Decision, LoopEvent, Role, Stamped, StopSignal};
use project::orders::Order;

use crate::text::shown;

const MOST: usize = 10_000;

/// The longest untrusted text, in characters.
const LONGEST: usize = 300;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogEntry {
    pub(crate) at: DateTime<Utc>,
    pub(crate) iteration: Option<u64>,
    pub(crate) role: Role,
    pub(crate) name: &'static str,
    pub(crate) text: String,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    entries: Vec<LogEntry>,
}

impl Log {
    pub(crate) fn entries(&self) -> &[LogEntry] {
        &self.entries
    }

    /// `decisions` are those of the event.
    pub(crate) fn apply(&mut self, stamped: &Stamped, decisions: &[Decision]) {
        let decided = decisions.iter().map(|decision| LogEntry {
            at: decision.at,
            iteration: decision.iteration,
            role: decision.kind.role(),
            name: decision.kind.name(),
            text: shown(&decision.text),
        });
        // The order has its own entry.
        if !matches!(stamped.event, LoopEvent::Paused | LoopEvent::Resumed) {
            self.entries.extend(decided);
        }
        if let Some((role, name, text)) = entry_of(&stamped.event) {
            let text = shown(&text).chars().take(LONGEST).collect();
            self.entries.push(LogEntry { at: stamped.at, iteration: None, role, name, text });
        }
        let excess = self.entries.len().saturating_sub(MOST);
        self.entries.drain(..excess);
    }
}

fn entry_of(event: &LoopEvent) -> Option<(Role, &'static str, String)> {
    Some(match event {
        LoopEvent::Warning { text } => (Role::Warn, "warning", text.clone()),
        // The order has its own entry.
        LoopEvent::StopRequested { signal, .. } if signal == StopSignal::Order.name() => {
            return None;
        }
        LoopEvent::StopRequested { signal, text } => {
            (Role::Warn, "stopping", format!("{signal}: {text}"))
        }
        LoopEvent::Waiting { text, .. } => (Role::Accent, "waiting", text.clone()),
        LoopEvent::RunEnded { end, text, .. } => (Role::Strong, "ended", format!("{end}. {text}")),
        _ => return None,
    })
}

pub(crate) fn order_text(order: &Order) -> String {
    match order {
        Order::Pause => "pause after this iteration".into(),
        Order::GoOn => "resume".into(),
        Order::Skip { story: Some(story) } => format!("skip {story}"),
        Order::Skip { story: None } => "skip the next story".into(),
        Order::Stop => "stop".into(),
        Order::Steer { text } => format!("instruction for the next session: {text}"),
    }
}

#[cfg(test)]
mod tests {
    use events::History;
    use events::samples::{a_run, stamped};

    use super::*;

    #[test]
    fn each_order_has_one_entry() {
        let (mut log, mut history) = (Log::default(), History::default());
        let taken = |order| stamped(3, LoopEvent::OrderAccepted { order });
        let signal = StopSignal::Order.name().to_owned();
        let events = [
            taken(Order::Pause),
            stamped(4, LoopEvent::Paused),
            taken(Order::GoOn),
            stamped(5, LoopEvent::Resumed),
            taken(Order::Stop),
            stamped(6, LoopEvent::StopRequested { signal, text: String::new() }),
        ];
        for event in &events {
            let before = history.decisions.len();
            history.apply(event);
            log.apply(event, &history.decisions[before..]);
        }
        let texts: Vec<&str> = log.entries().iter().map(|entry| entry.text.as_str()).collect();
        assert_eq!(texts, ["pause after this iteration", "resume", "stop"]);
    }

    #[test]
    fn decisions_orders_and_warnings_are_in_order_of_time() {
        let (mut log, mut history) = (Log::default(), History::default());
        let mut events = a_run();
        let steer = Order::steer("use\ttabs\u{202e}").unwrap();
        events.insert(6, stamped(3, LoopEvent::OrderAccepted { order: steer }));
        for event in &events {
            let before = history.decisions.len();
            history.apply(event);
            log.apply(event, &history.decisions[before..]);
        }
        let names: Vec<&str> = log.entries().iter().map(|entry| entry.name).collect();
        assert_eq!(names[..3], ["warning", "instructed", "blocked"]);
        assert_eq!(names.iter().filter(|name| **name == "instructed").count(), 1);
        assert_eq!(names.last(), Some(&"ended"));
        assert!(names.contains(&"reverted") && names.contains(&"changes requested"));
        assert_eq!(log.entries()[1].text, "steer: use tabs\u{fffd}");
    }
}
