//! What `ralph-loop draft` is asked for.

use clap::Args;
use settings::Flags;

use super::LoopArgs;

const AFTER_HELP: &str = "\
The agent gets the text of the skill /ralph-plan. Claude Code on a terminal asks you what is unclear; any other agent \
works without questions and records its assumptions. ralph-loop then validates the plan and lets the agent repair it, \
three times at most. A plan that still has errors is not kept: the old files come back.

A story with progress never changes, and neither does a PRD that you wrote.

Examples:
  ralph-loop draft 'a filter for the task list'
  ralph-loop draft --agent codex --yes 'a filter for the task list'
  ralph-loop draft --json - <idea.txt

Exit codes: 0 the plan is valid, 1 the agent wrote no plan or the session was stopped, 2 the plan has errors or wrong \
usage; others as for a run.";

#[derive(Debug, Clone, Args)]
#[command(after_help = AFTER_HELP)]
#[command(mut_arg("resume", |arg| arg.hide(true)), mut_arg("fresh", |arg| arg.hide(true)))]
#[command(mut_arg("output", |arg| arg.hide(true)), mut_arg("tui", |arg| arg.hide(true)))]
pub(crate) struct DraftArgs {
    /// What to plan, in your words; - reads it from standard input
    #[arg(value_name = "DESCRIPTION", required = true)]
    pub(crate) description: Vec<String>,
    /// Commit the plan without asking
    #[arg(short = 'y', long, conflicts_with = "no_commit")]
    pub(crate) yes: bool,
    /// Leave the plan uncommitted, without asking
    #[arg(long)]
    pub(crate) no_commit: bool,
    /// No session on the terminal: the agent works without questions. --json and --sandbox imply it
    #[arg(long)]
    pub(crate) headless: bool,
    /// For machines: the result as JSON, progress on standard error
    #[arg(long)]
    pub(crate) json: bool,
    /// The agent's model
    #[arg(long, value_name = "MODEL", help_heading = "Agent")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) common: LoopArgs,
}

impl DraftArgs {
    /// What is given, as settings.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = self.common.flags();
        flags.set_if("--model", &["agent", "model"], self.model.clone());
        flags
    }
}
