//! Version control after the guardrails of an iteration have passed.

use run_options::{ScmTask, Word};
use serde::Serialize;

use crate::leaf::NON_BLANK;
use crate::object_reader::{FromKeys, ObjectReader};
use crate::words::WordLeaf;

/// Version control in a prompt loop, after the guardrails of an iteration have passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Scm {
    /// The version control program: git, or one that takes its arguments.
    #[cfg_attr(test, schemars(regex(pattern = r"\S")))]
    pub command: String,
    /// The tasks, in this order. The agent writes the commit message.
    pub tasks: Vec<ScmTask>,
}

impl Default for Scm {
    fn default() -> Self {
        Self { command: "git".into(), tasks: ScmTask::ALL.to_vec() }
    }
}

impl FromKeys for Scm {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        let default = Self::default();
        Some(Self {
            command: keys.leaf("command", NON_BLANK).unwrap_or(default.command),
            tasks: keys.leaves("tasks", ScmTask::LEAF).unwrap_or(default.tasks),
        })
    }
}
