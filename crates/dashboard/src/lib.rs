//! The full-screen dashboard of a run: stories, agent output, cost and decisions.
//!
//! `DashboardState` is built from events and keys, and drawn into a buffer without I/O and clock. `watch` and `Live`
//! connect it to a terminal and to a log or a run.

mod draw;
mod keyboard;
mod keys;
mod line_editor;
mod live;
mod log;
mod look;
mod order_text;
mod replay;
mod search;
mod state;
mod stream;
mod suspend;
mod terminal_screen;
#[cfg(test)]
mod tests;
mod text;
mod watch;

pub use live::Live;
pub use look::{Look, Signs};
pub use replay::read_speed;
pub use watch::{WatchError, WatchOptions, WatchResult, watch};
