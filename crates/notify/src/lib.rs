//! A word when it matters: which events of a run are worth one, what it says, and the channels it takes.
//!
//! [`NotificationFilter`] turns events into notices, purely; [`NotificationSender`] carries them off without the run waiting.
//! What a notice says is made of our own words, numbers, and the names of project and story, which are
//! somebody else's text and go through [`Scrubber`]. Not here: which channels the user chose, and telling
//! that one of them failed.

mod channel;
mod kind;
mod notice;
mod notification_filter;
mod pace;
mod scrub;
mod sender;
mod terminal;
mod webhook;
mod words;

pub use channel::{Channel, ChannelName, Sending, Unsent};
pub use kind::{Class, Kind};
pub use notice::{NEXT, Notice, RunState};
pub use notification_filter::NotificationFilter;
pub use scrub::Scrubber;
pub use sender::{Failure, NotificationSender, PATIENCE};
pub use terminal::{Dialect, TerminalWord, Wrapping, terminal_bytes};
pub use webhook::{CURL_ARGS, Webhook};
