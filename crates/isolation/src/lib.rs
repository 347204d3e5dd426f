//! The available kinds of isolation: their requirements, the choice between them, and Docker command lines.
//!
//! Pure functions. `engine::isolation` searches and runs programs; the rules of the guard are in `command-guard`.

mod choose;
pub mod docker;
mod kind;
pub mod probe;
mod survey;

pub use choose::{Choice, STRONGEST_FIRST, Unavailable, choose};
pub use kind::Isolation;
pub use run_options::{IsolationRequest, NetworkKind};
pub use survey::{Availability, Obstacle, Survey};
