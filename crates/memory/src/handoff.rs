//! The handoff of one iteration to the next, in the format that agents write and the runner saves.
//! Parsing an agent's text is in `read_handoff`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The JSON schema of a [`Handoff`], for agents that support schemas.
pub const HANDOFF_SCHEMA: &str = include_str!("../../../schemas/handoff.schema.json");

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Handoff {
    pub task_completed: TaskCompleted,
    /// Of a review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// A question to the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    pub deviations: Vec<Deviation>,
    pub bugs_encountered: Vec<Bug>,
    pub architectural_notes: Vec<String>,
    #[serde(default)]
    pub unfinished_business: Vec<UnfinishedItem>,
    #[serde(default)]
    pub recommendations: Vec<String>,
    pub files_touched: Vec<FileTouched>,
    /// As the agent wrote them; they are validated against the task list.
    pub plan_amendments: Vec<Value>,
    pub tests_added: Vec<TestsAdded>,
    pub constraints_discovered: Vec<Constraint>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskCompleted {
    /// Empty if the agent gave none.
    pub task_id: String,
    pub summary: String,
    /// The iteration's own claim. It does not decide whether the story is done.
    pub fully_complete: bool,
}

/// The reviewer's verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Approved,
    ChangesRequested,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deviation {
    pub planned: String,
    pub actual: String,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bug {
    pub description: String,
    pub resolution: String,
    pub resolved: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnfinishedItem {
    pub item: String,
    pub reason: String,
    pub priority: Priority,
}

/// Sorts by falling urgency.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::Display,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Priority {
    High,
    Medium,
    Low,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileTouched {
    pub path: String,
    pub action: FileAction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileAction {
    Created,
    Modified,
    Deleted,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestsAdded {
    pub file: String,
    pub test_names: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constraint {
    pub constraint: String,
    pub impact: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workaround: Option<String>,
}
