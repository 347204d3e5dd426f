//! Runs the setup commands of a clone: once, and again after a lock file changed.

use std::path::Path;

use tasks::Sha256Digest;
use vcs::CommitId;

use crate::RunError;
use crate::checks::{GuardrailRound, GuardrailsVerdict, RoundInput, RoundProgress, RoundPurpose};
use crate::clones;
use crate::control::RunControl;
use crate::options::Guardrail;
use crate::run_files;
use crate::workspace::Workspace;

pub(crate) enum SetupResult {
    Unneeded,
    /// The commands may have changed tracked files.
    Done,
    /// The command that failed, and how.
    Failed(String),
    /// The user stopped the run.
    Interrupted,
}

/// The clone is at `commit`. Logs are written to `folder`.
pub(crate) fn set_up(
    commands: &[String],
    commit: &CommitId,
    workspace: &Workspace<'_>,
    control: &mut RunControl<'_>,
    done_for: &mut Option<Sha256Digest>,
    folder: &Path,
) -> Result<SetupResult, RunError> {
    if commands.is_empty() {
        return Ok(SetupResult::Unneeded);
    }
    let lock_files = clones::lock_files(&workspace.tree, commit)?;
    if *done_for == Some(lock_files) {
        return Ok(SetupResult::Unneeded);
    }
    run_files::make_folder(folder, &control.options.layout)?;
    let commands: Vec<Guardrail> = commands.iter().map(Guardrail::of_command).collect();
    let mut round = GuardrailRound::new(RoundInput {
        guardrails: &commands,
        folder,
        purpose: RoundPurpose::Setup,
    });
    while control.run_next_guardrail(&mut round)? == RoundProgress::Open {}
    match round.end().verdict {
        GuardrailsVerdict::Passed => {}
        GuardrailsVerdict::Interrupted => return Ok(SetupResult::Interrupted),
        GuardrailsVerdict::Failed(failed) => {
            let failed = failed.iter().map(|failed| {
                format!("setup command `{}` {} (see {})", failed.command, failed.how, failed.log)
            });
            return Ok(SetupResult::Failed(failed.collect()));
        }
    }
    *done_for = Some(lock_files);
    Ok(SetupResult::Done)
}
