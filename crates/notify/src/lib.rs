//! A word when it matters: which events of a run are worth one, what it says, and the ways it takes.
//!
//! [`Watch`] turns events into notices, purely; [`Messenger`] carries them off without the run waiting.
//! What a notice says is made of our own words, numbers, and the names of project and story, which are
//! somebody else's text and go through [`Scrubber`]. Not here: which ways the user chose, and telling
//! that one of them failed.

mod kind;
mod messenger;
mod notice;
mod pace;
mod scrub;
mod terminal;
mod watch;
mod way;
mod webhook;
mod words;

pub use kind::{Class, Kind};
pub use messenger::{Failure, Messenger, PATIENCE};
pub use notice::{NEXT, Notice, RunState};
pub use scrub::Scrubber;
pub use terminal::{Dialect, TerminalWord, Wrapping, terminal_bytes};
pub use watch::Watch;
pub use way::{Sending, Unsent, Way, WayName};
pub use webhook::{CURL_ARGS, Webhook};
