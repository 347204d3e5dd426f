//! A run on a terminal: stories, the stream of the agent, what it costs and what was decided.
//!
//! `State` is folded from events and keys and drawn into a buffer, without a terminal, a file or a
//! clock of its own; `watch` and `Live` are the thin shells that bring those. Not here: what events come
//! to (`history`), and what becomes of an order (`engine`).

mod draw;
mod keyboard;
mod keys;
mod line_editor;
mod live;
mod log;
mod look;
mod replay;
mod search;
mod standstill;
mod state;
mod stream;
mod terminal_screen;
#[cfg(test)]
mod test_screens;
mod text;
mod watch;

pub use draw::draw;
pub use keys::{KEYS, KeyHelp, When};
pub use live::Live;
pub use look::{Colour, Look, Signs};
pub use replay::{Replay, Tape, read_speed};
pub use state::{Effect, Part, State};
pub use watch::{Left, Watch, WatchError, watch};
