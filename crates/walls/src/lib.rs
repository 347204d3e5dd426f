//! Which walls can stand around an agent, what each needs, and how it is put up.
//!
//! Pure: what was found on the machine in, choices and command lines out. Not here: looking for
//! programs and running them (`engine::walls`), and what the guard refuses (`command-guard`).

pub mod docker;
mod kind;
mod ladder;
pub mod probe;
mod survey;

pub use kind::WallKind;
pub use ladder::{Choice, LADDER, Unavailable, Wanted, choose};
pub use survey::{Availability, Obstacle, Survey};
