//! Version control after the guardrails of an iteration have passed.

use json_reader::Leaf;
use run_options::{ScmTask, Word};

use crate::leaf::NON_BLANK;
use crate::section::settings;

settings! {
    /// Version control in a prompt loop, after the guardrails of an iteration have passed.
    pub struct Scm from keys {
        /// The version control program: git, or one that takes its arguments.
        pub command: String = keys.or("command", NON_BLANK, "git".into()),
        /// The tasks, in this order. The agent writes the commit message.
        pub tasks: Vec<ScmTask> =
            keys.items("tasks", Leaf::word()).unwrap_or_else(|| ScmTask::ALL.to_vec()),
    }
}
