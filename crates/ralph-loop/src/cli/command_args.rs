//! The options of the commands that are short and need no loop.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use notify::NoticeKind;
use settings::Flags;
use tasks::StoryId;
use vcs::CommitId;

use super::{ConfigArgs, LaneArgs, LookArgs, ProjectArgs, RunArgs, SandboxArgs};

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
    pub(crate) place: ConfigArgs,
    /// Agent to check
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Path of the agent's program [default: found in PATH]
    #[arg(long, value_name = "PATH")]
    pub(crate) agent_program: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) isolation: SandboxArgs,
    #[command(flatten)]
    pub(crate) lanes: LaneArgs,
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
        self.lanes.set(&mut flags);
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
    /// Work on this many stories at once, up to 3 [default: 1]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=3))]
    pub(crate) jobs: Option<u64>,
    #[command(flatten)]
    pub(crate) look: LookArgs,
}

#[derive(Debug, Args)]
pub(crate) struct OrderArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SkipArgs {
    /// Story id [default: the current story, or the next one]
    #[arg(value_name = "STORY", value_parser = |id: &str| StoryId::new(id))]
    pub(crate) story: Option<StoryId>,
    #[command(flatten)]
    pub(crate) order: OrderArgs,
}

#[derive(Debug, Args)]
pub(crate) struct AnswerStoryArgs {
    /// Story id
    #[arg(value_name = "STORY", value_parser = |id: &str| StoryId::new(id))]
    pub(crate) story: StoryId,
    /// Answer of at most 4,000 characters; `-` reads it from stdin
    #[arg(value_name = "TEXT", required = true)]
    pub(crate) text: Vec<String>,
    #[command(flatten)]
    pub(crate) order: OrderArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SteerArgs {
    /// Instruction of at most 4,000 characters; `-` reads it from stdin
    #[arg(value_name = "TEXT", required = true)]
    pub(crate) text: Vec<String>,
    /// Only for sessions of this story, in a run with lanes
    #[arg(long, value_name = "ID", value_parser = |id: &str| StoryId::new(id))]
    pub(crate) story: Option<StoryId>,
    #[command(flatten)]
    pub(crate) order: OrderArgs,
}

const VALIDATE_HELP: &str = "\
Exit codes: 0 valid, 1 warnings with --strict, 2 errors, missing files or usage error.";

#[derive(Debug, Args)]
#[command(after_help = VALIDATE_HELP)]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    pub(crate) place: ConfigArgs,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    /// Exit with 1 on warnings
    #[arg(long)]
    pub(crate) strict: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const NOTIFY_HELP: &str = "\
Exit codes: 0 all channels worked, 1 one failed, 2 no channel is configured or usage error.";

#[derive(Debug, Args)]
#[command(after_help = NOTIFY_HELP)]
pub(crate) struct NotifyArgs {
    #[command(flatten)]
    pub(crate) place: ConfigArgs,
    /// Kind of notification
    #[arg(long, value_name = "KIND", default_value = NoticeKind::Finished.name(), value_parser = kinds())]
    pub(crate) kind: NoticeKind,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn kinds() -> impl TypedValueParser<Value = NoticeKind> {
    let value = |kind: NoticeKind| PossibleValue::new(kind.name()).aliases(kind.former_name());
    PossibleValuesParser::new(NoticeKind::ALL.iter().copied().map(value)).try_map(|name| {
        let is_named =
            |kind: &NoticeKind| [Some(kind.name()), kind.former_name()].contains(&Some(&name));
        NoticeKind::ALL.iter().copied().find(is_named).ok_or("unknown kind")
    })
}

/// What a job works on.
#[derive(Debug, Args)]
pub(crate) struct WorkArgs {
    /// Repository with the work: a URL or a path
    #[arg(long, value_name = "URL")]
    pub(crate) repository: String,
    /// Full name of the ref with the work
    #[arg(long = "ref", value_name = "NAME")]
    pub(crate) name: String,
    /// Commit of that ref
    #[arg(long, value_name = "COMMIT", value_parser = |id: &str| CommitId::new(id))]
    pub(crate) commit: CommitId,
}

#[derive(Debug, Args)]
pub(crate) struct WorkerArgs {
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    /// Variables for the agent: a file that only you can read, or a folder with one file for each
    #[arg(long, value_name = "PATH")]
    pub(crate) secrets: Option<PathBuf>,
    /// Folder for the clone [default: the folder for temporary files]
    #[arg(long, value_name = "PATH")]
    pub(crate) folder: Option<PathBuf>,
    /// The job has a container of its own, so that a sandbox around the agent is not required
    #[arg(long)]
    pub(crate) in_container: bool,
    /// File that is locked while the worker runs
    #[arg(long, value_name = "PATH")]
    pub(crate) lock: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RelayArgs {
    /// Part of the way
    #[arg(value_enum)]
    pub(crate) step: RelayStep,
    /// Folder of the repository for the worker
    #[arg(long, value_name = "PATH")]
    pub(crate) exchange: PathBuf,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    /// File that the worker locks while it runs
    #[arg(long, value_name = "PATH", required_if_eq("step", "deliver"))]
    pub(crate) lock: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RelayStep {
    /// Copy the work of a job into a repository for its worker
    Fetch,
    /// Wait for the end of the worker and copy its result to the remote repository
    Deliver,
}
