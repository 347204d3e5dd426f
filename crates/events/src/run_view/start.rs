//! The options that a run started with, and when.

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::RunStart;

#[derive(Debug, Clone, PartialEq, Serialize, derive_more::Deref)]
pub struct StartView {
    pub at: DateTime<Utc>,
    #[deref]
    #[serde(flatten)]
    pub options: RunStart,
}
