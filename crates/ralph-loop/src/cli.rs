//! The command line as users write it. `commands` decides what it means.

mod command_args;
mod count_arg;
mod guardrail_arg;
mod help;
mod init_args;
mod lanes_args;
mod look_args;
mod loop_args;
mod parse;
mod prompt_args;
mod review_args;
mod run_args;
mod sandbox_args;
mod show_args;
mod since;
mod sync_args;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand};

pub(crate) use command_args::{
    AnswerStoryArgs, ArchiveArgs, DemoArgs, DoctorArgs, NotifyArgs, OrderArgs, RelayArgs,
    RelayStep, SettingsArgs, SkipArgs, StatusArgs, SteerArgs, ValidateArgs, WorkArgs, WorkerArgs,
};
pub(crate) use init_args::{AnswerArgs, ImportArgs, InitArgs};
pub(crate) use lanes_args::{LaneArgs, LanesArgs};
pub(crate) use look_args::LookArgs;
pub(crate) use loop_args::{LoopArgs, OutputFormat};
pub(crate) use parse::parse;
pub(crate) use prompt_args::{DraftArgs, PlanArgs, PromptArgs, PromptLoopArgs};
pub(crate) use review_args::ReviewArgs;
pub(crate) use run_args::{RunArgs, RunCommandArgs};
pub(crate) use sandbox_args::SandboxArgs;
pub(crate) use show_args::{
    PrArgs, ProofArgs, ReportArgs, ReportFormat, ServeArgs, StatsArgs, WatchArgs,
};
pub(crate) use sync_args::SyncArgs;

// A paragraph is one line, which clap wraps to the width; lines that must stay whole fit into 80.
const AFTER_HELP: &str = "\
Examples:
  ralph-loop init --name filter                 set up the project
  ralph-loop draft 'a filter for the task list' let the agent write the stories
  ralph-loop -n 20 --max-cost-usd 5             work through them, within limits";

const AFTER_LONG_HELP: &str = "\
Examples:
  ralph-loop demo                               see the whole cycle
  ralph-loop init --name filter                 set up the project
  ralph-loop draft 'a filter for the task list' let the agent write the stories
  ralph-loop validate                           check them
  ralph-loop -n 20 --max-cost-usd 5             work through them, within limits

Exit codes: 0 complete, 1 stopped before completion, 2 usage error or failed precondition, 3 cost or usage limit \
reached, 4 agent failed after all retries, 5 git failed, 128+n ended by a signal (docs/exit-codes.md).";

/// Run a coding agent over a list of stories until each passes your checks and a fresh review
#[derive(Debug, Parser)]
#[command(name = "ralph-loop", version, disable_version_flag = true)]
#[command(after_help = AFTER_HELP, after_long_help = AFTER_LONG_HELP)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(args_override_self = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Print the version
    // -V is --verbose.
    #[arg(short = 'v', long = "version", action = ArgAction::Version)]
    _version: Option<bool>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the loop over ralph/tasks.json (the default command)
    Run(RunCommandArgs),
    /// Run a loop over any prompt until the agent reports completion
    Prompt(PromptArgs),
    /// Write implementation_plan.md from the specifications in specs/
    #[command(after_help = prompt_args::PLAN_HELP)]
    Plan(PlanArgs),
    /// Implement implementation_plan.md, one item per iteration
    #[command(after_help = prompt_args::BUILD_HELP)]
    Build(PlanArgs),
    /// Review a branch or a range of commits, without a run
    Review(ReviewArgs),
    /// Set up a project: ralph/ and .ralph/
    Init(InitArgs),
    /// Let an agent write ralph/prd.md and ralph/tasks.json from a description
    Draft(DraftArgs),
    /// Check the task list and the PRD, with a fix for each finding
    Validate(ValidateArgs),
    /// Show the state of the stories and of the running loop
    Status(StatusArgs),
    /// List the questions of sessions, with the answers
    Questions(OrderArgs),
    /// Answer the question of a story, which waits for it
    Answer(AnswerStoryArgs),
    /// Add an instruction to the next implementing session (never sent to reviews)
    Steer(SteerArgs),
    /// Pause the running loop after its iteration
    Pause(OrderArgs),
    /// Resume a paused run
    #[command(alias = "go-on")]
    Resume(OrderArgs),
    /// Skip a story: keep its work on a branch and continue with the next
    Skip(SkipArgs),
    /// Stop the running loop, as Ctrl-C does
    Stop(OrderArgs),
    /// Show a run in a full-screen dashboard, live or as a replay
    Watch(WatchArgs),
    /// Show the result of a run, its failures, and what to do next
    Report(ReportArgs),
    /// Publish the work of a run as a pull request
    Pr(PrArgs),
    /// Hand feedback on the pull request to its stories, and answer it
    Sync(SyncArgs),
    /// Show the tests that prove a story, as the newest run saw them fail and pass
    Proof(ProofArgs),
    /// List the runs of the project, newest first
    Runs(StatusArgs),
    /// Show statistics across the runs: stories a day, cost, reviews, checks, agents
    Stats(StatsArgs),
    /// List the clones of runs with --separate or --jobs, or remove them
    Lanes(LanesArgs),
    /// Show a run in the browser, updated live
    Serve(ServeArgs),
    /// Show the effective settings and where each value comes from
    Settings(SettingsArgs),
    /// Check that everything a run needs is in place
    Doctor(DoctorArgs),
    /// Send a test notification to every configured channel
    Notify(NotifyArgs),
    /// Archive a finished loop and start clean
    Archive(ArchiveArgs),
    /// Run the whole cycle on a temporary project with a simulated agent
    Demo(DemoArgs),
    /// Run one session on this machine for a run on another one (started by `run --on`)
    Worker(WorkerArgs),
    /// Carry work and result between a remote repository and a worker (started by `run --on`)
    Relay(RelayArgs),
    /// Print a Containerfile for --sandbox=container, with Claude Code and Codex
    Containerfile,
    /// Print the completion script of a shell
    Completions {
        /// Shell to complete for
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one page per command
    Man {
        /// Write ralph-loop.1 and one page per command into this folder
        #[arg(long, value_name = "PATH")]
        dir: Option<PathBuf>,
    },
}

/// Location of the project.
#[derive(Debug, Clone, Args)]
pub(crate) struct ProjectArgs {
    /// Root folder of the project [default: nearest folder upwards that is set up]
    #[arg(short = 'd', long, value_name = "PATH")]
    pub(crate) project_dir: Option<PathBuf>,
    /// Folder with prompt, PRD and task list, relative to the root
    #[arg(long, value_name = "PATH", default_value = "ralph")]
    pub(crate) ralph_dir: PathBuf,
}

/// Location of the project and of its settings.
#[derive(Debug, Clone, Args)]
pub(crate) struct ConfigArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Settings file [default: .ralph/settings.json]; .ralph/settings.local.json overrides it
    #[arg(long, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
}
