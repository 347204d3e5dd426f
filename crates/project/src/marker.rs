//! `.ralph-active`: informs the hooks about the running iteration.
//!
//! Not here: whether a session belongs to it (`membership`), and the JSON keys that are no fields (`marker_wire`).

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use bounded_read::FileError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tasks::{Mode, ReviewPolicy, Sha256Digest, Snapshot, StoryId};

use crate::atomic::replace_unsynced;
use crate::marker_wire::RulesWire;
use crate::unix_time::{self, if_sensible, null_as_default};
use crate::{Layout, LoopEnvironment, MarkerBrief, ProtectedFiles, process};

/// A marker contains the digests of every criterion, so it must fit those of the largest task list.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Written atomically before every iteration. Markers of other programs may contain only some fields.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Marker {
    // Read after every tool call, so they must be among the first bytes.
    /// When the session should finish; whole seconds.
    #[serde(with = "unix_time")]
    pub soft_limit_at: Option<SystemTime>,
    /// When the session is ended; whole seconds.
    #[serde(with = "unix_time")]
    pub hard_limit_at: Option<SystemTime>,
    pub timestamp: Option<String>,
    #[serde(deserialize_with = "if_sensible")]
    pub pid: Option<u32>,
    #[serde(rename = "max_iterations")]
    pub max_iterations: Option<u64>,
    #[serde(rename = "mode", deserialize_with = "if_sensible")]
    pub isolation: Option<MarkerMode>,
    #[serde(skip)]
    pub review: ReviewPolicy,
    pub iteration_mode: Option<Mode>,
    pub run_id: Option<String>,
    pub iteration: Option<u64>,
    pub session_id: Option<String>,
    pub story_id: Option<StoryId>,
    pub ralph_dir: Option<PathBuf>,
    /// The commit the iteration started from.
    pub checkpoint: Option<String>,
    /// In a specify iteration, the patterns of test files.
    pub test_paths: Option<Vec<String>>,
    // Before the long parts, because it is read separately.
    /// The control files of the repository when the run began.
    pub control_files: Option<ControlFiles>,
    /// Files that the agent must not change.
    #[serde(deserialize_with = "null_as_default")]
    pub protected_files: ProtectedFiles,
    /// Paths that were dirty when the run began.
    #[serde(deserialize_with = "null_as_default")]
    pub dirty_before: Vec<String>,
    /// How often the Stop hook may block a session before it allows the stop (`guard.maxBlocks`).
    pub max_blocks: Option<u64>,
    /// Where a review must give its verdict besides the task list; `None` if it need not.
    pub verdict_in: Option<VerdictIn>,
    /// The context window in tokens, as reported earlier in the run.
    pub context_window: Option<u64>,
    /// The task list at the start of the iteration.
    #[serde(skip)]
    pub snapshot: Option<Snapshot>,
}

/// A record of git's control files, in the format of the crate `vcs`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ControlFiles(Box<RawValue>);

impl ControlFiles {
    /// `None` if it is not JSON.
    pub fn new(json: String) -> Option<Self> {
        RawValue::from_string(json).ok().map(Self)
    }

    pub fn json(&self) -> &str {
        self.0.get()
    }
}

impl PartialEq for ControlFiles {
    fn eq(&self, other: &Self) -> bool {
        self.json() == other.json()
    }
}

impl Eq for ControlFiles {}

/// How the agent is isolated from the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkerMode {
    Sandbox,
    Direct,
}

/// Where a reviewer gives its verdict besides the task list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VerdictIn {
    /// As the last line of its final message.
    Message,
    /// As a field of its structured answer.
    Answer,
}

/// A marker on disk, valid or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMarker {
    bytes: Vec<u8>,
    written: Option<SystemTime>,
}

pub(crate) fn layout(root: impl Into<PathBuf>, ralph_dir: Option<&Path>) -> Layout {
    let layout = Layout::new(root);
    match ralph_dir {
        Some(dir) => layout.with_ralph_dir(dir),
        None => layout,
    }
}

impl StoredMarker {
    /// `None` if there is no marker; an invalid one is returned.
    pub fn load(layout: &Layout) -> Result<Option<Self>, MarkerError> {
        let path = layout.marker();
        let bytes = match bounded_read::read_file(&path, LARGEST) {
            Ok(bytes) => bytes,
            Err(FileError::Absent) => return Ok(None),
            Err(error) => return Err(MarkerError::Unreadable(error)),
        };
        let written =
            std::fs::metadata(&path).ok().and_then(|metadata| process::last_changed(&metadata));
        Ok(Some(Self { bytes, written }))
    }

    pub fn sha256(&self) -> Sha256Digest {
        Sha256Digest::of(&self.bytes)
    }

    pub fn written(&self) -> Option<SystemTime> {
        self.written
    }

    /// Whether the runner wrote it, according to the environment, which no agent can change.
    pub fn is_confirmed_by(&self, env: &LoopEnvironment) -> bool {
        env.marker_sha256.is_some_and(|written| written == self.sha256())
    }

    /// Only the recorded control files, without parsing the rest.
    pub fn control_files(&self) -> Option<ControlFiles> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Recorded {
            control_files: Option<ControlFiles>,
        }
        serde_json::from_slice::<Recorded>(&self.bytes).ok()?.control_files
    }

    /// Only the files that the agent must not change, without parsing the rest.
    pub fn protected_files(&self) -> ProtectedFiles {
        #[derive(serde::Deserialize, Default)]
        #[serde(rename_all = "camelCase", default)]
        struct Protected {
            #[serde(deserialize_with = "null_as_default")]
            protected_files: ProtectedFiles,
        }
        serde_json::from_slice::<Protected>(&self.bytes).unwrap_or_default().protected_files
    }

    pub(crate) fn mentions(&self, text: &str) -> bool {
        memchr::memmem::find(&self.bytes, text.as_bytes()).is_some()
    }

    /// Several times faster than `parse`, for a hook that runs after every tool call.
    pub(crate) fn brief(&self) -> Result<MarkerBrief, String> {
        serde_json::from_slice(&self.bytes).map_err(|error| error.to_string())
    }

    pub fn parse(&self) -> Result<Marker, String> {
        Marker::parse(&self.bytes)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum MarkerError {
    #[error(transparent)]
    Unreadable(FileError),
    #[error("cannot write the marker: {0}")]
    Unwritable(#[from] io::Error),
}

impl Marker {
    pub const VERSION: u64 = 1;

    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let unreadable = |error: serde_json::Error| error.to_string();
        let marker: Self = serde_json::from_slice(bytes).map_err(unreadable)?;
        let rules: RulesWire = serde_json::from_slice(bytes).map_err(unreadable)?;
        let session_id = marker.session_id.filter(|id| !id.is_empty());
        Ok(Self { session_id, review: rules.review(), snapshot: rules.snapshot(), ..marker })
    }

    /// Writes the marker and returns its hash for the agent's environment.
    pub fn write(&self, layout: &Layout) -> Result<Sha256Digest, MarkerError> {
        #[derive(Serialize)]
        struct MarkerFile<'m> {
            #[serde(flatten)]
            marker: &'m Marker,
            #[serde(flatten)]
            rules: RulesWire,
        }
        let file = MarkerFile { marker: self, rules: RulesWire::of(self) };
        // On one line: indentation would be most of a long list, and hooks read all of it.
        let mut bytes = serde_json::to_vec(&file).map_err(io::Error::from)?;
        bytes.push(b'\n');
        replace_unsynced(&layout.marker(), &bytes)?;
        Ok(Sha256Digest::of(&bytes))
    }

    /// Removes the marker if it still belongs to `run_id`, not that of another run.
    pub fn remove_own(layout: &Layout, run_id: &str) -> Result<(), MarkerError> {
        let owner = StoredMarker::load(layout)?.and_then(|stored| stored.parse().ok()?.run_id);
        if owner.as_deref() == Some(run_id) {
            std::fs::remove_file(layout.marker())?;
        }
        Ok(())
    }

    pub fn layout(&self, root: impl Into<PathBuf>) -> Layout {
        layout(root, self.ralph_dir.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED_MARKER: &str = r#"{
        "timestamp": "2025-06-15T10:30:00Z", "pid": 12345, "max_iterations": 15, "mode": "sandbox",
        "skipReview": false, "reviewCap": 3, "iterationMode": "review-fix",
        "preIterationSnapshot": {
            "US-001": {"passes": false, "reviewStatus": null, "reviewCount": 0},
            "US-002": {"passes": true, "reviewStatus": "approved", "reviewCount": 1}
        }
    }"#;

    #[test]
    fn the_oldest_form_is_understood() {
        let marker = Marker::parse(SEED_MARKER.as_bytes()).unwrap();
        assert_eq!(marker.pid, Some(12345));
        assert_eq!(marker.isolation, Some(MarkerMode::Sandbox));
        assert_eq!(marker.review, ReviewPolicy::Required { cap: 3 });
        assert_eq!(marker.iteration_mode, Some(Mode::ReviewFix));
        let snapshot = marker.snapshot.unwrap();
        assert_eq!(snapshot.stories.len(), 2);
        assert_eq!(snapshot.verify_commands, None);
        assert!(snapshot.criteria.is_empty() && snapshot.fields.is_empty());
        assert_eq!(snapshot.list_fields, None);
    }

    #[test]
    fn an_empty_object_is_a_marker_with_defaults() {
        let marker = Marker::parse(b"{}").unwrap();
        assert_eq!(marker.review, ReviewPolicy::Required { cap: tasks::DEFAULT_REVIEW_CAP });
        assert_eq!(marker.snapshot, None);
    }

    #[test]
    fn null_counts_as_missing() {
        let fields = [
            "timestamp",
            "pid",
            "max_iterations",
            "mode",
            "skipReview",
            "reviewCap",
            "iterationMode",
            "preIterationSnapshot",
            "version",
            "runId",
            "iteration",
            "sessionId",
            "storyId",
            "ralphDir",
            "protectedFiles",
            "verifyCommands",
            "acceptanceCriteria",
            "storyFields",
            "listFields",
            "checkpoint",
            "testPaths",
            "dirtyBefore",
            "maxBlocks",
            "verdictIn",
            "contextWindow",
            "softLimitAt",
            "hardLimitAt",
        ];
        for field in fields {
            let marker = Marker::parse(format!("{{\"{field}\":null}}").as_bytes());
            assert_eq!(marker, Ok(Marker::default()), "{field}");
        }
    }

    #[test]
    fn a_written_marker_is_parsed_back_and_has_the_returned_hash() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let seed = Marker::parse(SEED_MARKER.as_bytes()).unwrap();
        let mut snapshot = seed.snapshot.clone().unwrap();
        let id = StoryId::new("US-001").unwrap();
        snapshot.criteria.insert(id.clone(), vec![Sha256Digest::of("works")]);
        let paths = vec!["web/**".into()];
        let scoped = tasks::VerifyCommand { paths, .."npm test".into() };
        snapshot.verify_commands = Some(vec!["cargo test".into(), scoped]);
        let fields = r#"{"title":"0123456789abcdef"}"#;
        snapshot.fields.insert(id.clone(), serde_json::from_str(fields).unwrap());
        snapshot.list_fields = serde_json::from_str(fields).ok();
        let marker = Marker {
            run_id: Some("run-1".into()),
            session_id: Some("session-1".into()),
            iteration: Some(3),
            story_id: Some(id),
            ralph_dir: Some("planning".into()),
            snapshot: Some(snapshot),
            protected_files: [
                ("ralph/prd.md".to_owned(), Some(Sha256Digest::of("prd"))),
                ("ralph/prompt.md".to_owned(), None),
            ]
            .into(),
            checkpoint: Some("0123abcd".into()),
            test_paths: Some(vec!["tests/**".into()]),
            dirty_before: vec!["notes.txt".into()],
            max_blocks: Some(2),
            verdict_in: Some(VerdictIn::Answer),
            context_window: Some(1_000_000),
            soft_limit_at: unix_time::from_seconds(1_800_000_000),
            hard_limit_at: unix_time::from_seconds(1_800_000_480),
            ..seed
        };
        let sha256 = marker.write(&layout).unwrap();
        let stored = StoredMarker::load(&layout).unwrap().unwrap();
        assert_eq!(stored.parse(), Ok(marker));
        assert_eq!(stored.sha256(), sha256);
    }

    #[test]
    fn only_its_owner_removes_it() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        Marker { run_id: Some("mine".into()), ..Marker::default() }.write(&layout).unwrap();
        Marker::remove_own(&layout, "other").unwrap();
        assert!(layout.marker().exists());
        Marker::remove_own(&layout, "mine").unwrap();
        assert!(!layout.marker().exists());
        Marker::remove_own(&layout, "mine").unwrap();
    }

    #[test]
    fn invalid_times_do_not_invalidate_a_marker() {
        for invalid in ["\"soon\"", "-1", "1.5", "[]", "18446744073709551615"] {
            let text = format!(r#"{{"softLimitAt":{invalid},"hardLimitAt":{invalid}}}"#);
            assert_eq!(Marker::parse(text.as_bytes()), Ok(Marker::default()), "{invalid}");
        }
    }

    #[test]
    fn invalid_json_is_not_a_marker() {
        for text in ["", "[]", "null", "{", r#"{"iterationMode":"sprint"}"#, r#"{"sessionId":5}"#] {
            assert!(Marker::parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
