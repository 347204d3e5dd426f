//! The options of `run`.

use clap::Args;
use settings::Flags;

use super::LoopArgs;

#[derive(Debug, Clone, Args)]
pub(crate) struct RunArgs {
    /// Iterations at most [default: 15]
    #[arg(short = 'n', long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_iterations: Option<u64>,
    /// The agent's model, for stories that name none themselves
    #[arg(short = 'm', long, value_name = "MODEL", help_heading = "Agent")]
    pub(crate) model: Option<String>,

    /// Let implementations pass without a review (your checks still have to)
    #[arg(long, help_heading = "Review")]
    pub(crate) skip_review: bool,
    /// Reviews a story may take; the last one has to approve, with its concerns on record
    /// [default: 5]
    #[arg(long, value_name = "N", help_heading = "Review")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "skip_review")]
    pub(crate) review_cap: Option<u64>,
    /// Who reviews, if not the agent that implements: a second opinion
    #[arg(long, value_name = "AGENT", help_heading = "Review", conflicts_with = "skip_review")]
    pub(crate) review_agent: Option<String>,
    /// The model that reviews
    #[arg(long, value_name = "MODEL", help_heading = "Review", conflicts_with = "skip_review")]
    pub(crate) review_model: Option<String>,
    /// Start with uncommitted changes; they stay uncommitted and nobody is blamed for them
    #[arg(long, help_heading = "Start")]
    pub(crate) allow_dirty: bool,

    #[command(flatten)]
    pub(crate) common: LoopArgs,
}

impl RunArgs {
    /// What is given, as settings.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = self.common.flags();
        flags.set_if("--max-iterations", &["maximumIterations"], self.max_iterations);
        flags.set_if("--model", &["agent", "model"], self.model.clone());
        if self.skip_review {
            flags.set("--skip-review", &["review", "skip"], true);
        }
        flags.set_if("--review-cap", &["review", "cap"], self.review_cap);
        flags.set_if("--review-agent", &["review", "agent"], self.review_agent.clone());
        flags.set_if("--review-model", &["review", "model"], self.review_model.clone());
        flags
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use crate::cli::{Cli, Command};

    #[test]
    fn verbose_has_the_capital_letter_and_the_version_the_small_one() {
        for flag in ["-V", "--verbose"] {
            assert!(Cli::try_parse_from(["ralph-loop", flag]).unwrap().run.common.verbose);
        }
        let run = Cli::try_parse_from(["ralph-loop", "run", "-V"]).unwrap().command;
        assert!(matches!(run, Some(Command::Run(args)) if args.common.verbose));
        assert!(!Cli::try_parse_from(["ralph-loop"]).unwrap().run.common.verbose);
        for flag in ["-v", "--version"] {
            let said = Cli::try_parse_from(["ralph-loop", flag]).unwrap_err();
            assert_eq!(said.kind(), clap::error::ErrorKind::DisplayVersion);
        }
    }
}
