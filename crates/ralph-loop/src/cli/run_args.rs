//! The options of `run`.

use std::time::Duration;

use clap::{Args, ValueEnum};
use settings::Flags;
use tasks::StoryId;

use super::LoopArgs;
use super::count_arg::{attempts, iterations, reviews};
use super::loop_args::{in_words, time, word};

const RUN_HELP: &str = "\
Examples:
  ralph-loop run           the whole task list
  ralph-loop run 5         with 5 iterations at most, as `ralph-loop 5`
  ralph-loop run US-001    story US-001 alone
  ralph-loop run US-001 3  the same; it has failed after 3 failed attempts";

/// What `run` takes besides its options.
#[derive(Debug, Clone, Args)]
#[command(after_help = RUN_HELP)]
pub(crate) struct RunCommandArgs {
    /// Iterations at most, or the id of the story to work on alone. Only digits are a number of iterations
    #[arg(value_name = "N|STORY", value_parser = bound)]
    pub(crate) bound: Option<Bound>,
    /// Attempts at STORY that may fail
    #[arg(value_name = "ATTEMPTS", value_parser = attempts, conflicts_with = "max_attempts")]
    pub(crate) attempts: Option<u64>,
    #[command(flatten)]
    pub(crate) args: RunArgs,
}

/// What bounds a run, as one word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Bound {
    Iterations(u64),
    Story(StoryId),
}

fn bound(text: &str) -> Result<Bound, String> {
    match text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty() {
        true => iterations(text).map(Bound::Iterations),
        false => story(text).map(Bound::Story),
    }
}

fn story(text: &str) -> Result<StoryId, String> {
    StoryId::new(text).map_err(|error| error.to_string())
}

impl RunCommandArgs {
    /// The same by options alone; otherwise what contradicts itself.
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
    /// Iterations at most [default: 15, or 5 for each story if that is more]
    #[arg(short = 'n', long, alias = "maximum-iterations", value_name = "N")]
    #[arg(value_parser = iterations)]
    pub(crate) max_iterations: Option<u64>,
    /// Attempts at one story that may fail; then it is set aside and the others go on [default: 5]
    #[arg(long, value_name = "N", value_parser = attempts)]
    pub(crate) max_attempts: Option<u64>,
    /// Work on this story alone; the run ends when it is done, has failed or is blocked
    #[arg(long, value_name = "ID", value_parser = story)]
    pub(crate) story: Option<StoryId>,
    /// The agent's model, for stories that name none themselves
    #[arg(short = 'm', long, value_name = "MODEL", help_heading = "Agent")]
    pub(crate) model: Option<String>,

    /// Let implementations pass without a review (your checks still have to)
    #[arg(long, help_heading = "Review")]
    pub(crate) skip_review: bool,
    /// Reviews a story may take [default: 5]
    #[arg(long, value_name = "N", help_heading = "Review")]
    #[arg(value_parser = reviews, conflicts_with = "skip_review")]
    pub(crate) review_cap: Option<u64>,
    /// Who reviews, if not the agent that implements: a second opinion
    #[arg(long, value_name = "AGENT", help_heading = "Review", conflicts_with = "skip_review")]
    pub(crate) review_agent: Option<String>,
    /// The model that reviews
    #[arg(long, value_name = "MODEL", help_heading = "Review", conflicts_with = "skip_review")]
    pub(crate) review_model: Option<String>,
    /// The last review has to approve, with its concerns on record; or the story has failed unless it
    /// does [default: approve]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Review")]
    #[arg(conflicts_with = "skip_review")]
    pub(crate) at_review_cap: Option<AtReviewCapArg>,

    /// Which checks have to pass: all of them, all but guardrails of kind lint, or only tests
    /// [default: strict]
    #[arg(long, value_enum, value_name = "STRATEGY", help_heading = "Quality")]
    pub(crate) validation: Option<ValidationArg>,
    /// Have an agent look at the quality of every story that passes; its warnings are reported and
    /// block nothing
    #[arg(long, help_heading = "Quality", overrides_with = "no_quality")]
    pub(crate) quality: bool,
    /// Let nobody look at the quality [default]
    #[arg(long, help_heading = "Quality")]
    pub(crate) no_quality: bool,
    /// The model that looks at the quality
    #[arg(long, value_name = "MODEL", help_heading = "Quality")]
    pub(crate) quality_model: Option<String>,

    /// Ask every iteration for a handoff, keep the next prompt within a budget, and compact what came
    /// before (docs/memory.md)
    #[arg(long, help_heading = "Memory", overrides_with = "no_handoffs")]
    pub(crate) handoffs: bool,
    /// Ask for none [default]
    #[arg(long, help_heading = "Memory")]
    pub(crate) no_handoffs: bool,
    /// Tokens that a prompt may have, with handoffs [default: 8000]
    #[arg(long, value_name = "N", help_heading = "Memory")]
    #[arg(value_parser = clap::value_parser!(u64).range(1000..))]
    pub(crate) context_tokens: Option<u64>,
    /// Make the tree exactly what it was before an iteration that failed (what it left is kept under
    /// refs/ralph/), and one commit of each that succeeds
    #[arg(long, help_heading = "Memory", overrides_with = "no_rollback")]
    pub(crate) rollback: bool,
    /// Leave what a failed iteration did for the next one to go on from [default]
    #[arg(long, help_heading = "Memory")]
    pub(crate) no_rollback: bool,

    /// Start with uncommitted changes; they stay uncommitted and nobody is blamed for them
    #[arg(long, help_heading = "Start")]
    pub(crate) allow_dirty: bool,

    #[command(flatten)]
    pub(crate) common: LoopArgs,

    /// One review, which is then ended and counts as a failed attempt; 0s for no limit [default: 3m
    /// warns, 5m ends]
    #[arg(long, value_name = "TIME", help_heading = "Time", value_parser = time)]
    pub(crate) review_timeout: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AtReviewCapArg {
    Approve,
    Fail,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ValidationArg {
    Strict,
    Lenient,
    TestsOnly,
}

impl ValidationArg {
    /// As the settings spell it.
    fn word(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Lenient => "lenient",
            Self::TestsOnly => "testsOnly",
        }
    }
}

impl RunArgs {
    /// What is given, as settings.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = self.common.flags();
        flags.set_if("--max-iterations", &["maximumIterations"], self.max_iterations);
        flags.set_if("--max-attempts", &["attempts", "most"], self.max_attempts);
        flags.set_if("--model", &["agent", "model"], self.model.clone());
        if self.skip_review {
            flags.set("--skip-review", &["review", "skip"], true);
        }
        flags.set_if("--review-cap", &["review", "cap"], self.review_cap);
        flags.set_if("--review-agent", &["review", "agent"], self.review_agent.clone());
        flags.set_if("--review-model", &["review", "model"], self.review_model.clone());
        flags.set_if("--at-review-cap", &["review", "atCap"], self.at_review_cap.map(word));
        let review_timeout = self.review_timeout.map(in_words);
        flags.set_if("--review-timeout", &["timeLimits", "review"], review_timeout);
        flags.set_if("--validation", &["validation"], self.validation.map(ValidationArg::word));
        if self.no_quality {
            flags.set("--no-quality", &["quality", "enabled"], false);
        } else if self.quality {
            flags.set("--quality", &["quality", "enabled"], true);
        }
        if self.no_handoffs {
            flags.set("--no-handoffs", &["memory", "handoffs"], false);
        } else if self.handoffs {
            flags.set("--handoffs", &["memory", "handoffs"], true);
        }
        flags.set_if("--context-tokens", &["memory", "contextTokens"], self.context_tokens);
        if self.no_rollback {
            flags.set("--no-rollback", &["rollback"], false);
        } else if self.rollback {
            flags.set("--rollback", &["rollback"], true);
        }
        flags.set_if("--quality-model", &["quality", "model"], self.quality_model.clone());
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
            let said = Cli::try_parse_from(["ralph-loop", flag]).unwrap_err();
            assert_eq!(said.kind(), clap::error::ErrorKind::DisplayVersion);
        }
    }
}
