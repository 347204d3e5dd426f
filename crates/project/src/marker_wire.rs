//! The marker's JSON format, which other programs rely on: the keys that are not fields of a marker, and the part of it
//! that is read after a tool call.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use tasks::{
    DEFAULT_REVIEW_CAP, FieldDigests, Mode, ReviewPolicy, Sha256Digest, Snapshot, StoryId,
    StoryState, VerifyCommand,
};

use crate::Layout;
use crate::marker::{Marker, layout};
use crate::unix_time::{self, if_sensible};

/// The version, the review policy and the snapshot of a marker.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RulesWire {
    version: Option<u64>,
    skip_review: Option<bool>,
    // `null` if reviews are skipped.
    #[serialize_always]
    review_cap: Option<u64>,
    verify_commands: Option<Vec<VerifyCommand>>,
    pre_iteration_snapshot: Option<BTreeMap<StoryId, StoryState>>,
    acceptance_criteria: Option<BTreeMap<StoryId, Vec<Sha256Digest>>>,
    story_fields: Option<BTreeMap<StoryId, FieldDigests>>,
    list_fields: Option<FieldDigests>,
}

impl RulesWire {
    pub(crate) fn of(marker: &Marker) -> Self {
        let (skip_review, review_cap) = match marker.review {
            ReviewPolicy::Required { cap } => (false, Some(cap)),
            ReviewPolicy::Skipped => (true, None),
        };
        let snapshot = marker.snapshot.clone();
        let (version, skip_review) = (Some(Marker::VERSION), Some(skip_review));
        let Some(Snapshot { stories, criteria, fields, verify_commands, list_fields }) = snapshot
        else {
            return Self { version, skip_review, review_cap, ..Self::default() };
        };
        Self {
            version,
            skip_review,
            review_cap,
            verify_commands,
            pre_iteration_snapshot: Some(stories),
            acceptance_criteria: Some(criteria),
            story_fields: Some(fields),
            list_fields,
        }
    }

    pub(crate) fn review(&self) -> ReviewPolicy {
        match self.skip_review {
            Some(true) => ReviewPolicy::Skipped,
            _ => ReviewPolicy::Required { cap: self.review_cap.unwrap_or(DEFAULT_REVIEW_CAP) },
        }
    }

    pub(crate) fn snapshot(self) -> Option<Snapshot> {
        Some(Snapshot {
            stories: self.pre_iteration_snapshot?,
            criteria: self.acceptance_criteria.unwrap_or_default(),
            fields: self.story_fields.unwrap_or_default(),
            verify_commands: self.verify_commands,
            list_fields: self.list_fields,
        })
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
