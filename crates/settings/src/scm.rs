//! What becomes of an iteration's work once its guardrails have passed.

use serde::Serialize;

use crate::leaf::WORDING;
use crate::object_reader::{FromKeys, ObjectReader};
use crate::words::words;

/// What becomes of an iteration's work in a prompt loop once its guardrails have passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Scm {
    /// The version control program: git, or one that takes its arguments.
    #[cfg_attr(test, schemars(regex(pattern = r"\S")))]
    pub command: String,
    /// What is done, in this order. The message of a commit is asked from the agent.
    pub tasks: Vec<ScmTask>,
}

words! {
    /// A task of version control.
    pub enum ScmTask {
        /// Commit everything that changed.
        Commit = "commit",
        /// Push the branch.
        Push = "push",
    }
    expected "\"commit\" or \"push\""
}

impl Default for Scm {
    fn default() -> Self {
        Self { command: "git".into(), tasks: vec![ScmTask::Commit, ScmTask::Push] }
    }
}

impl FromKeys for Scm {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        let default = Self::default();
        Some(Self {
            command: keys.leaf("command", WORDING).unwrap_or(default.command),
            tasks: keys.leaves("tasks", ScmTask::LEAF).unwrap_or(default.tasks),
        })
    }
}
