//! The options of `run`.

use clap::Args;
use run_options::{
    AtReviewCap, BaseChecks, FinalReviewUse, ProofUse, PullRequestUse, TimeSpan, ValidationStrategy,
};
use settings::Flags;
use tasks::StoryId;

use super::count_arg::count;
use super::{LaneArgs, LoopArgs};

const RUN_HELP: &str = "\
Examples:
  ralph-loop run           work through the task list
  ralph-loop run 5         at most 5 iterations; the same as `ralph-loop 5`
  ralph-loop run US-001    only story US-001
  ralph-loop run US-001 3  only US-001, given up after 3 failed attempts";

/// Arguments and options of `run`.
#[derive(Debug, Clone, Args)]
#[command(after_help = RUN_HELP)]
pub(crate) struct RunCommandArgs {
    /// Maximum iterations (digits only), or the id of the only story to work on
    #[arg(value_name = "N|STORY", value_parser = bound)]
    pub(crate) bound: Option<Bound>,
    /// Maximum failed attempts at STORY
    #[arg(value_name = "ATTEMPTS", value_parser = count("attempt"), conflicts_with = "max_attempts")]
    pub(crate) attempts: Option<u64>,
    #[command(flatten)]
    pub(crate) args: RunArgs,
}

/// The limit of a run that one argument gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Bound {
    Iterations(u64),
    Story(StoryId),
}

fn bound(text: &str) -> Result<Bound, String> {
    match text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() {
        true => count("iteration")(text).map(Bound::Iterations),
        false => story(text).map(Bound::Story),
    }
}

fn story(text: &str) -> Result<StoryId, String> {
    StoryId::new(text).map_err(|error| error.to_string())
}

impl RunCommandArgs {
    /// Turns the arguments into options, or returns the contradiction.
    pub(crate) fn into_options(self) -> Result<RunArgs, &'static str> {
        let Self { bound, attempts, mut args } = self;
        match bound {
            Some(Bound::Iterations(_)) if args.max_iterations.is_some() => {
                return Err(
                    "the number of iterations is given twice: as N and with --max-iterations",
                );
            }
            Some(Bound::Story(_)) if args.story.is_some() => {
                return Err("the story is given twice: as STORY and with --story");
            }
            Some(Bound::Iterations(_)) if attempts.is_some() => {
                return Err("a number of attempts follows a story, not a number of iterations");
            }
            Some(Bound::Iterations(number)) => args.max_iterations = Some(number),
            Some(Bound::Story(id)) => args.story = Some(id),
            None => {}
        }
        args.max_attempts = args.max_attempts.or(attempts);
        Ok(args)
    }
}

#[derive(Debug, Clone, Args)]
pub(crate) struct RunArgs {
    /// Maximum iterations [default: 15, or 5 per story if that is more]
    #[arg(short = 'n', long, alias = "maximum-iterations", value_name = "N")]
    #[arg(value_parser = count("iteration"))]
    pub(crate) max_iterations: Option<u64>,
    /// Maximum failed attempts at a story; then it is given up [default: 5]
    #[arg(long, value_name = "N", value_parser = count("attempt"))]
    pub(crate) max_attempts: Option<u64>,
    /// Work on this story only; end when it is done, failed or blocked
    #[arg(long, value_name = "ID", value_parser = story)]
    pub(crate) story: Option<StoryId>,
    /// Model of the agent, for stories that name none
    #[arg(short = 'm', long, value_name = "MODEL", help_heading = "Agent")]
    pub(crate) model: Option<String>,

    /// Accept implementations without a review; checks still have to pass
    #[arg(long, help_heading = "Review")]
    pub(crate) skip_review: bool,
    /// Maximum reviews per story [default: 5]
    #[arg(long, value_name = "N", help_heading = "Review")]
    #[arg(value_parser = count("review"), conflicts_with = "skip_review")]
    pub(crate) review_cap: Option<u64>,
    /// Agent for reviews [default: the agent that implements]
    #[arg(long, value_name = "AGENT", help_heading = "Review", conflicts_with = "skip_review")]
    pub(crate) review_agent: Option<String>,
    /// Model for reviews
    #[arg(long, value_name = "MODEL", help_heading = "Review", conflicts_with = "skip_review")]
    pub(crate) review_model: Option<String>,
    /// At the last review: require approval with concerns recorded, or give the story up [default: approve]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Review")]
    #[arg(conflicts_with = "skip_review")]
    pub(crate) at_review_cap: Option<AtReviewCap>,
    /// Reviewers that must approve a story; the further ones are in review.panel [default: all of them]
    #[arg(long, value_name = "N", help_heading = "Review")]
    #[arg(value_parser = count("reviewer"), conflicts_with = "skip_review")]
    pub(crate) reviewers: Option<u64>,
    /// Review all work once every story is done; findings become stories, or are only reported [default: off]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Review")]
    pub(crate) final_review: Option<FinalReviewUse>,

    /// Checks that must pass: all, all but kind lint, or only tests [default: strict]
    #[arg(long, value_enum, value_name = "STRATEGY", help_heading = "Quality")]
    pub(crate) validation: Option<ValidationStrategy>,
    /// A check that fails before the first story: excuse it, or require that it passes [default: excuse]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Quality")]
    pub(crate) base_checks: Option<BaseChecks>,
    /// Start each story with tests of its criteria, which the session that implements it cannot change [default: off]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Quality")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "require")]
    pub(crate) proof: Option<ProofUse>,
    /// Do not start while a check fails: --base-checks require
    #[arg(long, help_heading = "Quality", conflicts_with = "base_checks")]
    pub(crate) require_green_base: bool,
    /// Let an agent review the quality of each finished story; its warnings block nothing
    #[arg(long, help_heading = "Quality", overrides_with = "no_quality")]
    pub(crate) quality: bool,
    /// No quality review [default]
    #[arg(long, help_heading = "Quality")]
    pub(crate) no_quality: bool,
    /// Model for the quality review
    #[arg(long, value_name = "MODEL", help_heading = "Quality")]
    pub(crate) quality_model: Option<String>,

    /// Pass notes from iteration to iteration within a token budget (docs/memory.md)
    #[arg(long, help_heading = "Memory", overrides_with = "no_handoffs")]
    pub(crate) handoffs: bool,
    /// No notes [default]
    #[arg(long, help_heading = "Memory")]
    pub(crate) no_handoffs: bool,
    /// Token budget of a prompt with --handoffs [default: 8000]
    #[arg(long, value_name = "N", help_heading = "Memory")]
    #[arg(value_parser = clap::value_parser!(u64).range(1000..))]
    pub(crate) context_tokens: Option<u64>,
    /// Restore the work tree after a failed iteration; squash a successful one into one commit
    #[arg(long, help_heading = "Memory", overrides_with = "no_rollback")]
    pub(crate) rollback: bool,
    /// Keep the work of a failed iteration for the next one [default]
    #[arg(long, help_heading = "Memory")]
    pub(crate) no_rollback: bool,

    #[command(flatten)]
    pub(crate) lanes: LaneArgs,

    /// Start with uncommitted changes; they stay uncommitted
    #[arg(long, help_heading = "Start")]
    pub(crate) allow_dirty: bool,

    /// Open or update a pull request when the run ends with finished stories (docs/forge.md) [default: off]
    #[arg(long, value_enum, value_name = "WHEN", help_heading = "Version control")]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "run")]
    pub(crate) pr: Option<PullRequestUse>,

    #[command(flatten)]
    pub(crate) common: LoopArgs,

    /// Time limit of a review; 0s for none [default: 5m, warning at 3m]
    #[arg(long, value_name = "TIME", help_heading = "Time")]
    pub(crate) review_timeout: Option<TimeSpan>,
}

impl RunArgs {
    /// The given options as settings.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = self.common.flags();
        flags.set_if("--max-iterations", &["maximumIterations"], self.max_iterations);
        flags.set_if("--max-attempts", &["attempts", "most"], self.max_attempts);
        flags.set_if("--model", &["agent", "model"], self.model.as_ref());
        if self.skip_review {
            flags.set("--skip-review", &["review", "skip"], true);
        }
        flags.set_if("--review-cap", &["review", "cap"], self.review_cap);
        flags.set_if("--review-agent", &["review", "agent"], self.review_agent.as_ref());
        flags.set_if("--review-model", &["review", "model"], self.review_model.as_ref());
        flags.set_if("--at-review-cap", &["review", "atCap"], self.at_review_cap);
        flags.set_if("--reviewers", &["review", "reviewers"], self.reviewers);
        flags.set_if("--final-review", &["review", "final"], self.final_review);
        flags.set_if("--review-timeout", &["timeLimits", "review"], self.review_timeout);
        flags.set_if("--validation", &["validation"], self.validation);
        flags.set_if("--base-checks", &["checks", "base"], self.base_checks);
        flags.set_if("--proof", &["proof", "stories"], self.proof);
        if self.require_green_base {
            flags.set("--require-green-base", &["checks", "base"], "require");
        }
        let quality = [self.quality, self.no_quality];
        flags.set_switch(["--quality", "--no-quality"], &["quality", "enabled"], quality);
        let handoffs = [self.handoffs, self.no_handoffs];
        flags.set_switch(["--handoffs", "--no-handoffs"], &["memory", "handoffs"], handoffs);
        flags.set_if("--context-tokens", &["memory", "contextTokens"], self.context_tokens);
        let rollback = [self.rollback, self.no_rollback];
        flags.set_switch(["--rollback", "--no-rollback"], &["rollback"], rollback);
        self.lanes.set(&mut flags);
        flags.set_if("--pr", &["forge", "pullRequest"], self.pr);
        flags.set_if("--quality-model", &["quality", "model"], self.quality_model.as_ref());
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
        assert!(matches!(run, Some(Command::Run(run)) if run.args.common.verbose));
        assert!(!Cli::try_parse_from(["ralph-loop"]).unwrap().run.common.verbose);
        for flag in ["-v", "--version"] {
            let error = Cli::try_parse_from(["ralph-loop", flag]).unwrap_err();
            assert_eq!(error.kind(), clap::error::ErrorKind::DisplayVersion);
        }
    }
}
