//! Which checks a step runs, and which of their failures do not count.

use run_options::Guardrail;
use vcs::CommitId;

use crate::checks::known_failures::KnownFailures;

#[derive(Debug, Clone)]
pub(crate) struct CheckPlan {
    /// Those of the list, then those of the settings.
    pub(crate) guardrails: Vec<Guardrail>,
    /// A check with paths runs if one of them changed since this commit; all checks run without it.
    pub(crate) since: Option<CommitId>,
    pub(crate) known: KnownFailures,
}
