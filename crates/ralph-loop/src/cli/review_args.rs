//! The options of `review`.

use clap::Args;
use run_options::{ReviewLens, TimeSpan};
use settings::Flags;

use super::LoopArgs;

const REVIEW_HELP: &str = "\
Each lens is a session of its own, in a clone outside of the project. RANGE is FROM..TO, or a branch: its commits since \
the default branch. Uncommitted changes are not reviewed.

Examples:
  ralph-loop review
  ralph-loop review --lens correctness,security,tests my-branch
  ralph-loop review --json HEAD~3..HEAD

Exit codes: 0 no findings, 1 findings, 2 usage error, 3 cost limit reached, 4 a lens gave no list of findings; 128+n \
ended by a signal.";

#[derive(Debug, Clone, Args)]
#[command(after_help = REVIEW_HELP)]
#[command(mut_arg("resume", |arg| arg.hide(true)), mut_arg("fresh", |arg| arg.hide(true)))]
#[command(mut_arg("output", |arg| arg.hide(true)), mut_arg("tui", |arg| arg.hide(true)))]
#[command(mut_arg("dry_run", |arg| arg.hide(true)), mut_arg("notify", |arg| arg.hide(true)))]
#[command(mut_arg("no_notify", |arg| arg.hide(true)), mut_arg("pause", |arg| arg.hide(true)))]
#[command(mut_arg("retries", |arg| arg.hide(true)), mut_arg("retry_wait", |arg| arg.hide(true)))]
pub(crate) struct ReviewArgs {
    /// Commits to review [default: those of HEAD since the default branch]
    #[arg(value_name = "RANGE")]
    pub(crate) range: Option<String>,
    /// What to look for; comma-separated, one session each [default: correctness]
    #[arg(long, value_enum, value_name = "LENS", value_delimiter = ',')]
    pub(crate) lens: Vec<ReviewLens>,
    /// Print the result as JSON; progress goes to stderr
    #[arg(long)]
    pub(crate) json: bool,
    /// Agent for reviews [default: the agent that implements]
    #[arg(long, value_name = "AGENT", help_heading = "Agent")]
    pub(crate) review_agent: Option<String>,
    /// Model for reviews
    #[arg(long, value_name = "MODEL", help_heading = "Agent")]
    pub(crate) review_model: Option<String>,
    /// Time limit of a session; 0s for none [default: 5m, warning at 3m]
    #[arg(long, value_name = "TIME", help_heading = "Time")]
    pub(crate) review_timeout: Option<TimeSpan>,
    #[command(flatten)]
    pub(crate) common: LoopArgs,
}

impl ReviewArgs {
    /// The given options as settings.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = self.common.flags();
        flags.set_if("--review-agent", &["review", "agent"], self.review_agent.as_ref());
        flags.set_if("--review-model", &["review", "model"], self.review_model.as_ref());
        flags.set_if("--review-timeout", &["timeLimits", "review"], self.review_timeout);
        flags
    }
}
