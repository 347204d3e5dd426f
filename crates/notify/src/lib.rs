//! Notifications: which events of a run cause one, its text, and the channels that send it.
//!
//! [`NotificationFilter`] turns events into notices, without I/O. [`NotificationSender`] sends them in
//! the background, through `background-sender`. The names of project and story are untrusted text and go through
//! [`Scrubber`].
//! The caller selects the channels and reports their failures.

mod channel;
mod kind;
mod notice;
mod notice_draft;
mod notification_filter;
mod rate_limit;
mod scrub;
mod terminal;

pub use channel::Channel;
pub use kind::NoticeKind;
pub use notice::{NEXT, Notice};
pub use notification_filter::NotificationFilter;
pub use run_options::NoticeClass;
pub use scrub::Scrubber;
pub use terminal::{EscapeSequence, TerminalSignal, terminal_bytes};

pub type NotificationSender = background_sender::BackgroundSender<Notice>;

/// At one notice a minute of each kind, only a channel that hangs fills its queue.
pub const QUEUE: usize = 8;
