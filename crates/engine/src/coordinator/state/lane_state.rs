//! What was begun in a work tree, as a later runner needs it to judge or finish it.

use events::GivenUp;
use project::ProtectedFiles;
use serde::{Deserialize, Serialize};
use tasks::{Sha256Digest, StoryId};

use crate::lane::{RollingBack, RunningIteration};

/// What was begun in a work tree and is not finished.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LaneState {
    /// The task list that was judged last.
    #[serde(default)]
    pub(crate) judged: Option<Sha256Digest>,
    /// The iteration that is running or not judged yet.
    pub(crate) running: Option<RunningIteration>,
    /// The story that `state.md` describes.
    #[serde(default)]
    pub(crate) state_md_of: Option<StoryId>,
    /// The story that is being given up.
    #[serde(default, alias = "settingAside")]
    pub(crate) giving_up: Option<GivingUp>,
    /// The iteration that is being rolled back.
    #[serde(default)]
    pub(crate) rolling_back: Option<RollingBack>,
    /// A session outside the work on a story, until its changes are checked.
    #[serde(default, alias = "compacting")]
    pub(crate) side_session: Option<SideSessionState>,
    /// The user's settings, while an agent works after the iteration was accounted.
    #[serde(default)]
    pub(crate) settings_before: Option<ProtectedFiles>,
}

impl LaneState {
    /// Whether a session may have made changes that no runner has judged.
    pub(crate) fn has_unsettled_session(&self) -> bool {
        self.running.is_some() || self.side_session.is_some() || self.settings_before.is_some()
    }

    /// Whether the next run has nothing to judge or finish.
    pub(crate) fn is_settled(&self) -> bool {
        !self.has_unsettled_session() && self.giving_up.is_none() && self.rolling_back.is_none()
    }

    /// Whether the work tree of an ended run is not as the run leaves it.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.running.is_some() || self.giving_up.is_some() || self.rolling_back.is_some()
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SessionKind {
    #[default]
    Compaction,
    FinalReview,
}

/// Everything needed to restore changes of a session whose runner was killed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SideSessionState {
    #[serde(default)]
    pub(crate) kind: SessionKind,
    /// Relative to the project. It contains the task list and the user's files from before.
    pub(crate) folder: String,
    pub(crate) head: String,
    pub(crate) protected: ProtectedFiles,
}

/// Plan for giving up a story, as a later runner needs it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GivingUp {
    pub(crate) story: StoryId,
    /// Emitted with the event.
    pub(crate) outcome: GivenUp,
    /// `None` if the story left no commit.
    pub(crate) kept: Option<KeptWork>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeptWork {
    /// The tip of the run's branch before.
    pub(crate) tip: String,
    /// The commit of the failure branch.
    pub(crate) commit: String,
    /// The new tip of the run's branch; `None` if it does not change.
    pub(crate) adopted: Option<String>,
    pub(crate) at: String,
}
