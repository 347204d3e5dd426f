//! Arguments of `ralph-loop sync`.

use clap::Args;

use super::ProjectArgs;

const SYNC_HELP: &str = "\
Unresolved review threads by people with write access, and failed checks of the forge, become feedback of their story. \
The next run fixes it; the next sync answers the threads and requests another review.

Examples:
  ralph-loop sync --dry-run   show what would be handed over and answered
  ralph-loop sync             do it; then run `ralph-loop`

docs/forge.md has the permissions of the access token and how a story is found.

Exit codes: 0 done or nothing to do, 2 usage error or failed precondition, 5 git failed.";

#[derive(Debug, Args)]
#[command(after_help = SYNC_HELP)]
pub(crate) struct SyncArgs {
    /// Number of the pull request [default: the open one of the branch in the task list]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) pr: Option<u64>,
    /// Write and send nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
}
