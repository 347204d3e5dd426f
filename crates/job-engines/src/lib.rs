//! Jobs on other machines, through the programs of a batch engine.
//!
//! The engine queues, places, limits and restarts jobs. This crate submits them, asks for their status and cancels
//! them.

mod call;
mod job;
mod kubernetes;
mod placement;
mod slurm;
mod worker_command;

pub use job::{
    Cancel, Delivery, EngineError, Job, JobEnd, JobEngine, JobId, JobName, JobState, JobStatus,
    OutputId, Printed, Work,
};
pub use kubernetes::{Kubernetes, KubernetesOptions};
pub use placement::Placement;
pub use slurm::{Slurm, SlurmOptions};
pub use worker_command::WorkerProgram;
