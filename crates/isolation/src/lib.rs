//! The available kinds of isolation: their requirements, the choice between them, and Docker command lines.
//!
//! Pure functions. `engine::isolation` searches and runs programs; the rules of the guard are in `command-guard`.

mod choose;
pub mod docker;
pub mod probe;

pub use choose::{Availability, Choice, Isolation, Obstacle, Survey, Unavailable, choose};
pub use run_options::{IsolationRequest, NetworkKind};
