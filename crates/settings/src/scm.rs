//! Version control after the guardrails of an iteration have passed.

use json_reader::Leaf;
use run_options::{ScmTask, Word};
use serde::Serialize;

use crate::leaf::NON_BLANK;
use crate::section::{Keys, Section, defaults};

/// Version control in a prompt loop, after the guardrails of an iteration have passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Scm {
    /// The version control program: git, or one that takes its arguments.
    pub command: String,
    /// The tasks, in this order. The agent writes the commit message.
    pub tasks: Vec<ScmTask>,
}

impl Default for Scm {
    fn default() -> Self {
        defaults()
    }
}

impl Section for Scm {
    fn read(keys: &mut Keys<'_, '_, '_>) -> Self {
        Self {
            command: keys.or("command", NON_BLANK, "git".into()),
            tasks: keys.items("tasks", Leaf::word()).unwrap_or_else(|| ScmTask::ALL.to_vec()),
        }
    }
}
