//! The state of a run that works in clones.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use project::orders::Order;
use serde::{Deserialize, Serialize};
use tasks::{Scope, Sha256Digest, StoryId};

use crate::control::UserInstructions;
use crate::coordinator::state::lane_state::LaneState;
use crate::memory::MemoryState;
use crate::workspace::Baseline;

/// A run that works in clones.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SeparateState {
    /// The folder of the run's clones.
    pub(crate) folder: PathBuf,
    /// The run's branch, in the project's repository.
    pub(crate) branch: String,
    /// The commit to which the runner moved that branch. Any other commit comes from another program.
    pub(crate) tip: String,
    /// A verified commit to which the runner is about to move the branch.
    pub(crate) merging: Option<String>,
    /// The highest number of an iteration that a lane has claimed.
    pub(crate) claimed: u64,
    /// Claimed numbers that no lane uses.
    pub(crate) unused: BTreeSet<u64>,
    /// Instructions for stories that no lane works on.
    pub(crate) instructions: BTreeMap<StoryId, Vec<String>>,
    /// Instructions for any story, oldest first.
    #[serde(default)]
    pub(crate) general: Vec<GeneralInstruction>,
    pub(crate) lanes: Vec<SavedLane>,
    /// Stories that left their lane with a question, where their work goes on.
    #[serde(default)]
    pub(crate) parked: BTreeMap<StoryId, ParkedStory>,
}

/// A story that waits for an answer, without a lane. Its work has a ref in the project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ParkedStory {
    /// The commit of the run's branch from which the work began.
    pub(crate) start: String,
    /// The stories that belong to it.
    pub(crate) scope: Scope,
}

/// An instruction of the user that is not for a certain story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GeneralInstruction {
    pub(crate) text: String,
    /// An iteration that had it is used up. Until then each story that begins gets it.
    pub(crate) is_received: bool,
}

/// A lane: a clone, and the story that is in work there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SavedLane {
    pub(crate) story: Option<StoryId>,
    /// The commit of the run's branch from which the work began.
    pub(crate) start: String,
    /// The stories that belong to it: it may have been split.
    pub(crate) scope: Scope,
    /// The number of its iteration, until that counts.
    pub(crate) claim: Option<u64>,
    pub(crate) failed_last: Option<StoryId>,
    pub(crate) memory: MemoryState,
    pub(crate) instructions: UserInstructions,
    /// Its story is approved and waits to be merged.
    #[serde(default)]
    pub(crate) is_approved: bool,
    /// Orders of the run that it has not saved.
    pub(crate) orders: Vec<Order>,
    /// Digest of the lock files that its setup commands ran for; `None` before they ran.
    pub(crate) set_up_for: Option<Sha256Digest>,
    pub(crate) state: LaneState,
    pub(crate) baseline: Baseline,
}
