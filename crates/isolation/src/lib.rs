//! Which walls can stand around an agent, what each needs, and how it is put up.
//!
//! Pure: what was found on the machine in, choices and command lines out. Not here: looking for
//! programs and running them (`engine::isolation`), and what the guard refuses (`command-guard`).

mod choose;
pub mod docker;
mod kind;
pub mod probe;
mod survey;

pub use choose::{Choice, STRONGEST_FIRST, Unavailable, Wanted, choose};
pub use kind::Isolation;
pub use survey::{Availability, Obstacle, Survey};
