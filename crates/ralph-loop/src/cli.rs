//! The command line as users write it. `commands` decides what it means.

mod count_arg;
#[cfg(test)]
mod documented;
mod draft_args;
mod guardrail_arg;
mod help;
mod init_args;
mod look_args;
mod loop_args;
mod notify_args;
mod order_args;
mod parse;
mod prompt_args;
mod report_args;
mod run_args;
mod sandbox_args;
mod serve_args;
mod validate_args;
mod watch_args;

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand};
use settings::Flags;

pub(crate) use draft_args::DraftArgs;
pub(crate) use init_args::{AnswerArgs, InitArgs};
pub(crate) use look_args::LookArgs;
pub(crate) use loop_args::{LoopArgs, OutputFormat};
pub(crate) use notify_args::NotifyArgs;
pub(crate) use order_args::{OrderArgs, SkipArgs, SteerArgs};
pub(crate) use parse::parse;
pub(crate) use prompt_args::{PlanArgs, PromptArgs, PromptLoopArgs};
pub(crate) use report_args::{ReportArgs, ReportFormat};
pub(crate) use run_args::{RunArgs, RunCommandArgs};
pub(crate) use sandbox_args::SandboxArgs;
pub(crate) use serve_args::ServeArgs;
pub(crate) use validate_args::ValidateArgs;
pub(crate) use watch_args::WatchArgs;

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
    /// Set up a project: ralph/ and .ralph/
    Init(InitArgs),
    /// Let an agent write ralph/prd.md and ralph/tasks.json from a description
    Draft(DraftArgs),
    /// Check the task list and the PRD, with a fix for each finding
    Validate(ValidateArgs),
    /// Show the state of the stories and of the running loop
    Status(StatusArgs),
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
    /// List the runs of the project, newest first
    Runs(StatusArgs),
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
    /// Print a Containerfile for --sandbox=container, with Claude Code and Codex
    Containerfile,
    /// Print the completion script of a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write one page per command
    Man(ManArgs),
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

/// The settings file.
#[derive(Debug, Clone, Args)]
pub(crate) struct ConfigArgs {
    /// Settings file [default: .ralph/settings.json]; .ralph/settings.local.json overrides it
    #[arg(long, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
}

/// Arguments of commands that show the state of a project.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The options of `run` that start or limit a run are hidden: `commands::settings` refuses them.
#[derive(Debug, Args)]
#[command(mut_arg("resume", |arg| arg.hide(true)), mut_arg("fresh", |arg| arg.hide(true)))]
#[command(mut_arg("story", |arg| arg.hide(true)))]
#[command(mut_arg("dry_run", |arg| arg.hide(true)), mut_arg("allow_dirty", |arg| arg.hide(true)))]
pub(crate) struct SettingsArgs {
    /// Print JSON: the settings, the source of each value, and the files
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the JSON Schema of the settings file
    #[arg(long, conflicts_with = "json")]
    pub(crate) schema: bool,
    /// Options of `run`, shown as they would change the settings
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ArchiveArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Label of the folder ralph-archive/<date>-<label> [default: the branch]
    #[arg(long, value_name = "LABEL")]
    pub(crate) label: Option<String>,
    /// Archive a loop with unfinished stories or an unreadable task list
    #[arg(long)]
    pub(crate) unfinished: bool,
}

const AFTER_DOCTOR_HELP: &str = "\
Exit codes: 0 a run can start, 1 a problem was found, 2 usage error, 128+n ended by a signal.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_DOCTOR_HELP)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// Agent to check
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Path of the agent's program [default: found in PATH]
    #[arg(long, value_name = "PATH")]
    pub(crate) agent_program: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) isolation: SandboxArgs,
    /// Skip the hook test in a Claude Code session (scripted model, costs nothing)
    #[arg(long)]
    pub(crate) no_self_test: bool,
    /// Run the project's checks in their sandbox; run those that fail again outside, with your rights
    #[arg(long)]
    pub(crate) checks: bool,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl DoctorArgs {
    /// The given options as settings.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = self.look.flags();
        flags.set_if("--agent", &["agent", "command"], self.agent.as_ref());
        self.isolation.set(&mut flags);
        flags
    }
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// New or empty folder for the project [default: a temporary folder]
    #[arg(long, value_name = "PATH")]
    pub(crate) dir: Option<PathBuf>,
    /// Run without pauses for reading
    #[arg(long)]
    pub(crate) fast: bool,
    #[command(flatten)]
    pub(crate) look: LookArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Shell to complete for
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write ralph-loop.1 and one page per command into this folder
    #[arg(long, value_name = "PATH")]
    pub(crate) dir: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Completion, manual and help are made of these texts.
    #[test]
    fn every_command_and_argument_has_a_help_text() {
        let mut commands = vec![Cli::command()];
        while let Some(command) = commands.pop() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for argument in command.get_arguments() {
                let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
                assert!(!help.is_empty(), "{} {}", command.get_name(), argument.get_id());
            }
            commands.extend(command.get_subcommands().cloned());
        }
    }

    /// clap wraps the text below the options, so a line that is wrapped already comes out ragged.
    #[test]
    fn the_text_below_the_options_fits_any_width() {
        let mut commands = vec![Cli::command()];
        let mut seen = 0;
        while let Some(command) = commands.pop() {
            let texts = [command.get_after_help(), command.get_after_long_help()];
            let text: String = texts.iter().flatten().map(|text| format!("{text}\n\n")).collect();
            let lines: Vec<&str> = text.lines().collect();
            let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
            for pair in lines.windows(2) {
                assert!(!(is_prose(pair[0]) && is_prose(pair[1])), "wrapped by hand: {pair:?}");
            }
            for line in lines.iter().filter(|line| !is_prose(line)) {
                assert!(line.len() <= 80, "{line}");
            }
            seen += usize::from(!lines.is_empty());
            commands.extend(command.get_subcommands().cloned());
        }
        assert!(seen >= 5, "{seen}");
    }

    #[test]
    fn run_is_the_default_command() {
        let alone = Cli::parse_from(["ralph-loop", "-n", "3", "--skip-review"]);
        assert!(alone.command.is_none());
        assert_eq!((alone.run.max_iterations, alone.run.skip_review), (Some(3), true));
        let Some(Command::Run(RunCommandArgs { args: named, .. })) =
            Cli::parse_from(["ralph-loop", "run", "-n", "3"]).command
        else {
            panic!("run is a command");
        };
        assert_eq!((named.max_iterations, named.skip_review), (Some(3), false));
    }

    #[test]
    fn contradictions_are_refused() {
        for args in [
            &["ralph-loop", "--resume", "--fresh"][..],
            &["ralph-loop", "--skip-review", "--review-cap", "3"],
            &["ralph-loop", "-n", "0"],
            &["ralph-loop", "--review-cap", "0"],
            &["ralph-loop", "--skip-review", "--at-review-cap", "fail"],
            &["ralph-loop", "--at-review-cap", "maybe"],
            &["ralph-loop", "--max-attempts", "0"],
            &["ralph-loop", "--timeout-multiplier", "0"],
            &["ralph-loop", "--timeout-multiplier", "1001"],
            &["ralph-loop", "--timeout-multiplier", "NaN"],
            &["ralph-loop", "--max-cost-usd", "-1"],
            &["ralph-loop", "--max-quota", "120"],
            &["ralph-loop", "-n", "3", "status"],
        ] {
            assert!(Cli::try_parse_from(args).is_err(), "{args:?}");
        }
    }
}
