//! The command line as the user writes it. What it means is decided in `commands`.

mod count_arg;
#[cfg(test)]
mod documented;
mod draft_args;
mod guardrail_arg;
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
pub(crate) use init_args::{AnswerArgs, InitArgs, ScmTaskArg};
pub(crate) use look_args::LookArgs;
pub(crate) use loop_args::{LoopArgs, OutputFormat};
pub(crate) use notify_args::NotifyArgs;
pub(crate) use order_args::{OrderArgs, SkipArgs, SteerArgs};
pub(crate) use parse::parse;
pub(crate) use prompt_args::{BuildArgs, PlanArgs, PromptArgs, PromptLoopArgs, Tag};
pub(crate) use report_args::{ReportArgs, ReportFormat};
pub(crate) use run_args::{RunArgs, RunCommandArgs};
pub(crate) use sandbox_args::SandboxArgs;
pub(crate) use serve_args::ServeArgs;
pub(crate) use validate_args::ValidateArgs;
pub(crate) use watch_args::WatchArgs;

// A paragraph is one line, which clap wraps to the width; lines that must stay whole fit into 80.
const AFTER_HELP: &str = "\
Start here:
  ralph-loop demo      see the whole cycle on a throw-away project, no account
  ralph-loop init      set up ralph/ in your project, then describe your stories
  ralph-loop draft     or let an agent write them from a description
  ralph-loop validate  see whether they are fit to be run
  ralph-loop           work through them

Exit codes: 0 complete, 1 stopped before completion, 2 wrong usage or preconditions, 3 a cost or \
usage ceiling was reached, 4 the agent failed past its retries, 5 git failed, 128+n on a signal.";

/// Ralph: the loop that cannot cheat. Runs a coding agent over a list of stories, a fresh process an
/// iteration; a story counts only after your own checks passed here and a fresh review approved it.
#[derive(Debug, Parser)]
#[command(name = "ralph-loop", version, disable_version_flag = true, after_help = AFTER_HELP)]
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
    /// Work through ralph/tasks.json; what `ralph-loop` alone does
    Run(RunCommandArgs),
    /// Loop over any prompt until it reports completion
    Prompt(PromptArgs),
    /// From specifications in specs/ to implementation_plan.md
    Plan(PlanArgs),
    /// From implementation_plan.md to code
    Build(BuildArgs),
    /// Set up a project: ralph/ with prompt, PRD and task list, .ralph/ with settings, MCP servers and
    /// skills
    Init(InitArgs),
    /// Let an agent write ralph/prd.md and ralph/tasks.json from a description, then validate them
    Draft(DraftArgs),
    /// Say what is wrong with the task list and the PRD before they are run, and how to mend it
    Validate(ValidateArgs),
    /// Show where the task list and the running loop stand
    Status(StatusArgs),
    /// Say something to the next session of the running loop that codes; reviews never hear it
    Steer(SteerArgs),
    /// Let the running loop finish its iteration and then wait
    Pause(OrderArgs),
    /// Resume a paused run; a run that ended goes on with `ralph-loop run --resume`
    #[command(alias = "go-on")]
    Resume(OrderArgs),
    /// Set a story of the running loop aside, its work on a branch, and go on without it
    Skip(SkipArgs),
    /// End the running loop as Ctrl-C would; `ralph-loop` goes on from there
    Stop(OrderArgs),
    /// See a run on the whole terminal, as it goes on or once more
    Watch(WatchArgs),
    /// Say what became of a run: what is done, what failed and why, and what to do next
    Report(ReportArgs),
    /// List the runs of the project, the newest first; `report RUN` shows one
    Runs(StatusArgs),
    /// Show a run as a page in your browser that keeps itself up to date
    Serve(ServeArgs),
    /// Show the settings that hold, and who said each value
    Settings(SettingsArgs),
    /// See what stands in the way of a run here, with the fix: programs, agents, hooks, isolation, project
    Doctor(DoctorArgs),
    /// Send a test notice by every way that the settings name, and say whether it got out
    Notify(NotifyArgs),
    /// Put a finished loop away and start clean
    Archive(ArchiveArgs),
    /// See the whole cycle on a throw-away project with a simulated agent
    Demo(DemoArgs),
    /// Print a Containerfile for `--sandbox=container`, with Claude Code and Codex
    Containerfile,
    /// Print a shell's completion script
    Completions(CompletionsArgs),
    /// Print the manual page, or write one page a command
    Man(ManArgs),
}

/// Where the project is.
#[derive(Debug, Clone, Args)]
pub(crate) struct ProjectArgs {
    /// The project's root [default: the nearest folder upwards that is set up, within the git repository]
    #[arg(short = 'd', long, value_name = "PATH")]
    pub(crate) project_dir: Option<PathBuf>,
    /// The folder with prompt, PRD and task list, from the project's root
    #[arg(long, value_name = "PATH", default_value = "ralph")]
    pub(crate) ralph_dir: PathBuf,
}

/// Which settings file is read.
#[derive(Debug, Clone, Args)]
pub(crate) struct ConfigArgs {
    /// The settings file [default: .ralph/settings.json]. .ralph/settings.local.json still counts more
    #[arg(long, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
}

/// Of commands that show what is known of a project.
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

/// Those that say how a run starts say nothing about settings; `commands::settings` refuses them.
#[derive(Debug, Args)]
#[command(mut_arg("resume", |arg| arg.hide(true)), mut_arg("fresh", |arg| arg.hide(true)))]
#[command(mut_arg("story", |arg| arg.hide(true)))]
#[command(mut_arg("dry_run", |arg| arg.hide(true)), mut_arg("allow_dirty", |arg| arg.hide(true)))]
pub(crate) struct SettingsArgs {
    /// For machines: the settings, who said each, and the files that were read
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the JSON Schema of a settings file instead, for your editor
    #[arg(long, conflicts_with = "json")]
    pub(crate) schema: bool,
    /// As `run` would take them: what they would change is shown
    #[command(flatten)]
    pub(crate) run: RunArgs,
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

const AFTER_DOCTOR_HELP: &str = "\
Exit codes: 0 nothing stands in the way of a run, 1 something does, 2 wrong usage, 128+n on a signal.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_DOCTOR_HELP)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// The agent that would do the work
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Where the agent's program is [default: found in PATH]
    #[arg(long, value_name = "PATH")]
    pub(crate) agent_program: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) isolation: SandboxArgs,
    /// Do not try the hooks in a session of Claude Code (with a scripted model: it costs nothing)
    #[arg(long)]
    pub(crate) no_self_test: bool,
    /// Run the checks of the project in their sandbox, and those that fail there outside of it too, with your
    /// rights
    #[arg(long)]
    pub(crate) checks: bool,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    /// For machines
    #[arg(long)]
    pub(crate) json: bool,
}

impl DoctorArgs {
    /// What is given, as settings.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = self.look.flags();
        flags.set_if("--agent", &["agent", "command"], self.agent.clone());
        self.isolation.set(&mut flags);
        flags
    }
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// A new or empty folder to make the project in (default: a temporary one)
    #[arg(long, value_name = "PATH")]
    pub(crate) dir: Option<PathBuf>,
    /// As fast as it goes, instead of at a pace that can be read
    #[arg(long)]
    pub(crate) fast: bool,
    #[command(flatten)]
    pub(crate) look: LookArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell that is to complete
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write ralph-loop.1 and a page for each command into this folder, instead of printing the first
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

    /// Completion, manual and help all say what stands there.
    #[test]
    fn every_command_and_argument_says_what_it_is_for() {
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

    /// clap wraps what stands below the options: a line that was wrapped already comes out ragged.
    #[test]
    fn what_stands_below_the_options_is_fit_for_any_width() {
        let mut commands = vec![Cli::command()];
        let mut seen = 0;
        while let Some(command) = commands.pop() {
            let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
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
    fn run_is_what_the_program_does_without_a_command() {
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
