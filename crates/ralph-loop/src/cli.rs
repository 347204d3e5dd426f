//! The command line as the user writes it. What it means is decided in `commands`.

mod run_args;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use run_args::{OnLimit, OutputFormat, RunArgs};

const AFTER_HELP: &str = "\
Start here:
  ralph-loop demo     see the whole cycle on a throw-away project, no account needed
  ralph-loop init     set up ralph/ in your project, then describe your stories
  ralph-loop          work through them

Exit codes: 0 complete, 1 stopped before completion, 2 wrong usage or preconditions, 3 a cost or
usage ceiling was reached, 4 the agent failed past its retries, 5 git failed, 128+n on a signal.";

/// Ralph: the loop that cannot cheat. Runs a coding agent over a list of stories, a fresh process an
/// iteration; a story counts only after your own checks passed here and a fresh review approved it.
#[derive(Debug, Parser)]
#[command(name = "ralph-loop", version, after_help = AFTER_HELP)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(args_override_self = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Work through ralph/tasks.json; what `ralph-loop` alone does
    Run(RunArgs),
    /// Set up ralph/ in a project: prompt, PRD, task list, progress log
    Init(InitArgs),
    /// Show where the task list and the running loop stand
    Status(StatusArgs),
    /// Put a finished loop away and start clean
    Archive(ArchiveArgs),
    /// See the whole cycle on a throw-away project with a simulated agent
    Demo(DemoArgs),
}

/// Where the project is.
#[derive(Debug, Clone, Args)]
pub(crate) struct ProjectArgs {
    /// The project's root
    #[arg(short = 'd', long, value_name = "PATH", default_value = ".")]
    pub(crate) project_dir: PathBuf,
    /// The folder with prompt, PRD and task list, from the project's root
    #[arg(long, value_name = "PATH", default_value = "ralph")]
    pub(crate) ralph_dir: PathBuf,
}

/// How things look.
#[derive(Debug, Clone, Args)]
pub(crate) struct LookArgs {
    /// Colours: NO_COLOR and CLICOLOR_FORCE are heeded with `auto`
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    pub(crate) color: ColorWhen,
    /// Plain ASCII marks
    #[arg(long)]
    pub(crate) no_emoji: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// What is being built; names the branch ralph/<name> (default: the folder's name)
    #[arg(long, value_name = "FEATURE")]
    pub(crate) name: Option<String>,
    /// A check that must pass, instead of those found in the project; may be given several times
    #[arg(long = "verify", value_name = "COMMAND")]
    pub(crate) verify: Vec<String>,
    /// Replace files that exist; the old ones are kept as .bak
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    /// For machines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ArchiveArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Names the folder ralph-archive/<date>-<label> (default: the branch)
    #[arg(long, value_name = "LABEL")]
    pub(crate) label: Option<String>,
    /// Archive a loop whose stories are not all done, or whose task list cannot be read
    #[arg(long)]
    pub(crate) unfinished: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Where to make the project (default: a new temporary folder)
    #[arg(long, value_name = "PATH")]
    pub(crate) dir: Option<PathBuf>,
    /// As fast as it goes, instead of at a pace that can be read
    #[arg(long)]
    pub(crate) fast: bool,
    #[command(flatten)]
    pub(crate) look: LookArgs,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn run_is_what_the_program_does_without_a_command() {
        let alone = Cli::parse_from(["ralph-loop", "-n", "3", "--skip-review"]);
        assert!(alone.command.is_none());
        assert_eq!((alone.run.max_iterations, alone.run.skip_review), (3, true));
        let Some(Command::Run(named)) = Cli::parse_from(["ralph-loop", "run", "-n", "3"]).command
        else {
            panic!("run is a command");
        };
        assert_eq!((named.max_iterations, named.skip_review), (3, false));
    }

    #[test]
    fn contradictions_are_refused() {
        for args in [
            &["ralph-loop", "--resume", "--fresh"][..],
            &["ralph-loop", "--skip-review", "--review-cap", "3"],
            &["ralph-loop", "-n", "0"],
            &["ralph-loop", "--review-cap", "0"],
            &["ralph-loop", "--max-cost-usd", "-1"],
            &["ralph-loop", "--max-quota", "120"],
            &["ralph-loop", "-n", "3", "status"],
        ] {
            assert!(Cli::try_parse_from(args).is_err(), "{args:?}");
        }
    }
}
