//! The part of a marker that is read after a tool call.

use std::path::PathBuf;
use std::time::SystemTime;

use serde::Deserialize;
use tasks::Mode;

use crate::marker::layout;
use crate::marker_wire::if_sensible;
use crate::{Layout, unix_time};

/// The session, the paths and the time limits of a marker.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MarkerBrief {
    pub(crate) run_id: Option<String>,
    pub(crate) session_id: Option<String>,
    pub(crate) pid: Option<i64>,
    ralph_dir: Option<PathBuf>,
    pub(crate) context_window: Option<u64>,
    #[serde(default, deserialize_with = "if_sensible")]
    iteration_mode: Option<Mode>,
    #[serde(default, deserialize_with = "if_sensible")]
    soft_limit_at: Option<u64>,
    #[serde(default, deserialize_with = "if_sensible")]
    hard_limit_at: Option<u64>,
}

impl MarkerBrief {
    pub fn layout(&self, root: impl Into<PathBuf>) -> Layout {
        layout(root, self.ralph_dir.as_deref())
    }

    pub fn iteration_mode(&self) -> Option<Mode> {
        self.iteration_mode
    }

    pub fn soft_limit_at(&self) -> Option<SystemTime> {
        self.soft_limit_at.and_then(unix_time::from_seconds)
    }

    pub fn hard_limit_at(&self) -> Option<SystemTime> {
        self.hard_limit_at.and_then(unix_time::from_seconds)
    }
}
