//! Version control after the guardrails of an iteration have passed.

use json_reader::Leaf;
use run_options::{ScmTask, Word};
use serde::Serialize;

use crate::leaf::NON_BLANK;
use crate::section::{Keys, Section};

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

impl Section for Scm {
    fn read(&mut self, keys: &mut Keys<'_, '_, '_>) {
        keys.set("command", &mut self.command, NON_BLANK);
        keys.set_items("tasks", &mut self.tasks, Leaf::<ScmTask>::word());
    }
}
