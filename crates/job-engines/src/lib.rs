//! Jobs on other machines, through the programs of a batch engine.
//!
//! The engine queues, places, limits and restarts jobs. This crate submits them, asks for their status and cancels
//! them.

mod job;
mod placement;
mod slurm;

pub use job::{
    Cancel, EngineError, Job, JobEnd, JobEngine, JobId, JobName, JobState, JobStatus, Printed,
};
pub use placement::Placement;
pub use slurm::{Slurm, SlurmOptions};
