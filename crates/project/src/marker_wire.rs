//! The marker's JSON format, which other programs rely on, and the part of it that is read after a tool call.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use tasks::{
    DEFAULT_REVIEW_CAP, FieldDigests, Mode, ReviewPolicy, Sha256Digest, Snapshot, StoryId,
    StoryState,
};

use crate::Layout;
use crate::marker::{ControlFiles, Marker, MarkerMode, VerdictIn, layout};
use crate::unix_time::{self, if_sensible};

#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MarkerWire {
    version: Option<u64>,
    // Read after every tool call, so they must be among the first bytes.
    #[serde(default, with = "unix_time")]
    soft_limit_at: Option<SystemTime>,
    #[serde(default, with = "unix_time")]
    hard_limit_at: Option<SystemTime>,
    timestamp: Option<String>,
    #[serde(default, deserialize_with = "if_sensible")]
    pid: Option<u32>,
    #[serde(rename = "max_iterations")]
    max_iterations: Option<u64>,
    #[serde(default, deserialize_with = "if_sensible")]
    mode: Option<MarkerMode>,
    skip_review: Option<bool>,
    // `null` if reviews are skipped.
    #[serialize_always]
    review_cap: Option<u64>,
    iteration_mode: Option<Mode>,
    run_id: Option<String>,
    iteration: Option<u64>,
    session_id: Option<String>,
    story_id: Option<StoryId>,
    ralph_dir: Option<PathBuf>,
    checkpoint: Option<String>,
    // Before the long parts, because it is read separately.
    control_files: Option<ControlFiles>,
    protected_files: Option<BTreeMap<String, Option<Sha256Digest>>>,
    dirty_before: Option<Vec<String>>,
    max_blocks: Option<u64>,
    verdict_in: Option<VerdictIn>,
    context_window: Option<u64>,
    verify_commands: Option<Vec<String>>,
    pre_iteration_snapshot: Option<BTreeMap<StoryId, StoryState>>,
    acceptance_criteria: Option<BTreeMap<StoryId, Vec<Sha256Digest>>>,
    story_fields: Option<BTreeMap<StoryId, FieldDigests>>,
    list_fields: Option<FieldDigests>,
}

impl From<MarkerWire> for Marker {
    fn from(wire: MarkerWire) -> Self {
        let snapshot = wire.pre_iteration_snapshot.map(|stories| Snapshot {
            stories,
            criteria: wire.acceptance_criteria.unwrap_or_default(),
            fields: wire.story_fields.unwrap_or_default(),
            verify_commands: wire.verify_commands,
            list_fields: wire.list_fields,
        });
        let review = match wire.skip_review {
            Some(true) => ReviewPolicy::Skipped,
            _ => ReviewPolicy::Required { cap: wire.review_cap.unwrap_or(DEFAULT_REVIEW_CAP) },
        };
        Self {
            version: wire.version.unwrap_or(Self::VERSION),
            timestamp: wire.timestamp,
            pid: wire.pid,
            run_id: wire.run_id,
            session_id: wire.session_id.filter(|id| !id.is_empty()),
            iteration: wire.iteration,
            max_iterations: wire.max_iterations,
            isolation: wire.mode,
            review,
            iteration_mode: wire.iteration_mode,
            story_id: wire.story_id,
            ralph_dir: wire.ralph_dir,
            snapshot,
            protected_files: wire.protected_files.unwrap_or_default(),
            checkpoint: wire.checkpoint,
            dirty_before: wire.dirty_before.unwrap_or_default(),
            control_files: wire.control_files,
            max_blocks: wire.max_blocks,
            verdict_in: wire.verdict_in,
            context_window: wire.context_window,
            soft_limit_at: wire.soft_limit_at,
            hard_limit_at: wire.hard_limit_at,
        }
    }
}

impl From<&Marker> for MarkerWire {
    fn from(marker: &Marker) -> Self {
        let marker = marker.clone();
        let (skip_review, review_cap) = match marker.review {
            ReviewPolicy::Required { cap } => (false, Some(cap)),
            ReviewPolicy::Skipped => (true, None),
        };
        let snapshot = marker.snapshot;
        Self {
            version: Some(marker.version),
            timestamp: marker.timestamp,
            pid: marker.pid,
            max_iterations: marker.max_iterations,
            mode: marker.isolation,
            skip_review: Some(skip_review),
            review_cap,
            iteration_mode: marker.iteration_mode,
            run_id: marker.run_id,
            iteration: marker.iteration,
            session_id: marker.session_id,
            story_id: marker.story_id,
            ralph_dir: marker.ralph_dir,
            checkpoint: marker.checkpoint,
            control_files: marker.control_files,
            protected_files: Some(marker.protected_files),
            dirty_before: Some(marker.dirty_before),
            max_blocks: marker.max_blocks,
            verdict_in: marker.verdict_in,
            context_window: marker.context_window,
            soft_limit_at: marker.soft_limit_at,
            hard_limit_at: marker.hard_limit_at,
            verify_commands: snapshot.as_ref().and_then(|it| it.verify_commands.clone()),
            pre_iteration_snapshot: snapshot.as_ref().map(|it| it.stories.clone()),
            acceptance_criteria: snapshot.as_ref().map(|it| it.criteria.clone()),
            list_fields: snapshot.as_ref().and_then(|it| it.list_fields.clone()),
            story_fields: snapshot.map(|it| it.fields),
        }
    }
}

/// The session, the paths and the time limits of a marker.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MarkerBrief {
    pub(crate) run_id: Option<String>,
    pub(crate) session_id: Option<String>,
    #[serde(default, deserialize_with = "if_sensible")]
    pub(crate) pid: Option<u32>,
    ralph_dir: Option<PathBuf>,
    pub(crate) context_window: Option<u64>,
    #[serde(default, deserialize_with = "if_sensible")]
    pub iteration_mode: Option<Mode>,
    #[serde(default, deserialize_with = "unix_time::deserialize")]
    pub soft_limit_at: Option<SystemTime>,
    #[serde(default, deserialize_with = "unix_time::deserialize")]
    pub hard_limit_at: Option<SystemTime>,
}

impl MarkerBrief {
    pub fn layout(&self, root: impl Into<PathBuf>) -> Layout {
        layout(root, self.ralph_dir.as_deref())
    }
}
