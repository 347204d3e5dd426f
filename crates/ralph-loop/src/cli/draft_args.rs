//! The options of `draft`.

use clap::Args;
use settings::Flags;

use super::LoopArgs;

const AFTER_HELP: &str = "\
The agent gets the instructions of the skill /ralph-plan. Claude Code asks you on the terminal; other agents work \
without questions and record their assumptions. ralph-loop validates the plan and lets the agent repair it up to three \
times. If errors remain, ralph-loop restores the old files. Stories with progress and a PRD of yours never change.

Examples:
  ralph-loop draft 'a filter for the task list'
  ralph-loop draft --agent codex --yes 'a filter for the task list'
  ralph-loop draft --json - <idea.txt

Exit codes: 0 the plan is valid, 1 the agent wrote no plan or was stopped, 2 the plan has errors or usage error; \
others as for `run`.";

#[derive(Debug, Clone, Args)]
#[command(after_help = AFTER_HELP)]
#[command(mut_arg("resume", |arg| arg.hide(true)), mut_arg("fresh", |arg| arg.hide(true)))]
#[command(mut_arg("output", |arg| arg.hide(true)), mut_arg("tui", |arg| arg.hide(true)))]
pub(crate) struct DraftArgs {
    /// What to build, in your words; `-` reads it from stdin
    #[arg(value_name = "DESCRIPTION", required = true)]
    pub(crate) description: Vec<String>,
    /// Commit the plan without asking
    #[arg(short = 'y', long, conflicts_with = "no_commit")]
    pub(crate) yes: bool,
    /// Leave the plan uncommitted without asking
    #[arg(long)]
    pub(crate) no_commit: bool,
    /// Let the agent work without questions; implied by --json and --sandbox
    #[arg(long)]
    pub(crate) headless: bool,
    /// Print the result as JSON; progress goes to stderr
    #[arg(long)]
    pub(crate) json: bool,
    /// Model of the agent
    #[arg(long, value_name = "MODEL", help_heading = "Agent")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) common: LoopArgs,
}

impl DraftArgs {
    /// The given options as settings.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = self.common.flags();
        flags.set_if("--model", &["agent", "model"], self.model.as_ref());
        flags
    }
}
