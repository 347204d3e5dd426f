//! `.ralph/sync.json`: which feedback stories got, so that it is neither handed over nor answered twice.
//!
//! An agent could write it. It decides only whether feedback is repeated, and where the search for commits begins.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result};
use bounded_read::FileError;
use chrono::{DateTime, Utc};
use project::Layout;
use serde::{Deserialize, Serialize};
use tasks::{Sha256Digest, StoryId};

use crate::command_error::precondition;

const LARGEST: u64 = 16 * 1024 * 1024;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Saved {
    /// By repository and number, such as `acme/shop#7`.
    pulls: BTreeMap<String, PullState>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PullState {
    /// By the key of the point.
    pub(super) handed_over: BTreeMap<String, HandedOver>,
    /// People whose threads were all answered since their review was requested last.
    #[serde(default)]
    pub(super) reviewers: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HandedOver {
    /// What was handed over. A new comment changes it.
    pub(super) digest: Sha256Digest,
    pub(super) story: StoryId,
    pub(super) at: DateTime<Utc>,
    /// The commit of the branch from which the story is fixed.
    pub(super) since: String,
    pub(super) is_answered: bool,
}

#[derive(Debug)]
pub(super) struct SyncState {
    file: PathBuf,
    key: String,
    saved: Saved,
}

impl SyncState {
    /// `key` names the pull request.
    pub(super) fn load(layout: &Layout, key: String) -> Result<Self> {
        let file = layout.sync_state();
        let invalid = |why: String| {
            let what = format!("{} is invalid: {why}", layout.name_of(&file));
            precondition(what, "remove it; open threads are then handed over again")
        };
        let saved = match bounded_read::read_file(&file, LARGEST) {
            Ok(bytes) => {
                serde_json::from_slice(&bytes).map_err(|error| invalid(error.to_string()))?
            }
            Err(FileError::Absent) => Saved::default(),
            Err(error) => return Err(invalid(error.to_string())),
        };
        Ok(Self { file, key, saved })
    }

    pub(super) fn pull(&self) -> PullState {
        self.saved.pulls.get(&self.key).cloned().unwrap_or_default()
    }

    pub(super) fn save(&mut self, pull: &PullState) -> Result<()> {
        self.saved.pulls.insert(self.key.clone(), pull.clone());
        let mut text = serde_json::to_string_pretty(&self.saved)?;
        text.push('\n');
        project::replace_whole(&self.file, text.as_bytes())
            .with_context(|| format!("cannot write {}", self.file.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_saved_is_loaded_and_damage_is_an_error() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir(layout.data_dir()).unwrap();
        let load = |key: &str| SyncState::load(&layout, key.to_owned());
        let mut state = load("o/r#7").unwrap();
        assert_eq!(state.pull(), PullState::default());
        let handed = HandedOver {
            digest: Sha256Digest::of("x"),
            story: StoryId::new("US-1").unwrap(),
            at: "2026-11-15T01:02:03Z".parse().unwrap(),
            since: "a".repeat(40),
            is_answered: false,
        };
        let pull = PullState {
            handed_over: [("thread:1".to_owned(), handed)].into(),
            reviewers: ["carl".to_owned()].into(),
        };
        state.save(&pull).unwrap();
        assert_eq!(load("o/r#7").unwrap().pull(), pull);
        assert_eq!(load("o/r#8").unwrap().pull(), PullState::default());
        std::fs::write(layout.sync_state(), "{").unwrap();
        let error = load("o/r#7").unwrap_err().to_string();
        assert!(error.starts_with(".ralph/sync.json is invalid: "), "{error}");
    }
}
