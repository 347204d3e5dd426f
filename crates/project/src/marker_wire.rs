//! The marker's JSON format, which other programs rely on.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use tasks::{
    DEFAULT_REVIEW_CAP, FieldDigests, Mode, ReviewPolicy, Sha256Digest, Snapshot, StoryId,
    StoryState,
};

use crate::marker::{ControlFiles, Marker, MarkerMode, VerdictIn};
use crate::unix_time;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MarkerWire {
    version: Option<u64>,
    // Read after every tool call, so they must be among the first bytes.
    #[serde(default, deserialize_with = "if_sensible", skip_serializing_if = "Option::is_none")]
    soft_limit_at: Option<u64>,
    #[serde(default, deserialize_with = "if_sensible", skip_serializing_if = "Option::is_none")]
    hard_limit_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<i64>,
    #[serde(rename = "max_iterations", skip_serializing_if = "Option::is_none")]
    max_iterations: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    skip_review: Option<bool>,
    review_cap: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iteration_mode: Option<Mode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iteration: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    story_id: Option<StoryId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ralph_dir: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint: Option<String>,
    // Before the long parts, because it is read separately.
    #[serde(skip_serializing_if = "Option::is_none")]
    control_files: Option<ControlFiles>,
    #[serde(skip_serializing_if = "Option::is_none")]
    protected_files: Option<BTreeMap<String, Option<Sha256Digest>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dirty_before: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_blocks: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict_in: Option<VerdictIn>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_window: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verify_commands: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pre_iteration_snapshot: Option<BTreeMap<StoryId, StoryState>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    acceptance_criteria: Option<BTreeMap<StoryId, Vec<Sha256Digest>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    story_fields: Option<BTreeMap<StoryId, FieldDigests>>,
    #[serde(skip_serializing_if = "Option::is_none")]
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
            pid: wire.pid.and_then(|pid| u32::try_from(pid).ok()),
            run_id: wire.run_id,
            session_id: wire.session_id.filter(|id| !id.is_empty()),
            iteration: wire.iteration,
            max_iterations: wire.max_iterations,
            isolation: wire.mode.as_deref().and_then(MarkerMode::from_name),
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
            soft_limit_at: wire.soft_limit_at.and_then(unix_time::from_seconds),
            hard_limit_at: wire.hard_limit_at.and_then(unix_time::from_seconds),
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
            pid: marker.pid.map(i64::from),
            max_iterations: marker.max_iterations,
            mode: marker.isolation.map(|isolation| isolation.name().to_owned()),
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
            soft_limit_at: marker.soft_limit_at.and_then(unix_time::to_seconds),
            hard_limit_at: marker.hard_limit_at.and_then(unix_time::to_seconds),
            verify_commands: snapshot.as_ref().and_then(|it| it.verify_commands.clone()),
            pre_iteration_snapshot: snapshot.as_ref().map(|it| it.stories.clone()),
            acceptance_criteria: snapshot.as_ref().map(|it| it.criteria.clone()),
            list_fields: snapshot.as_ref().and_then(|it| it.list_fields.clone()),
            story_fields: snapshot.map(|it| it.fields),
        }
    }
}

/// For informational fields: an invalid value counts as missing, and the marker stays valid.
pub(crate) fn if_sensible<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).ok())
}

impl MarkerMode {
    fn name(self) -> &'static str {
        match self {
            Self::Sandbox => "sandbox",
            Self::Direct => "direct",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Sandbox, Self::Direct].into_iter().find(|isolation| isolation.name() == name)
    }
}
