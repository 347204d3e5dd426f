//! The batch engines that can run sessions.

use crate::word::words;

words! {
    pub enum EngineKind {
        Slurm = "slurm",
        Kubernetes = "kubernetes",
    }
}
