//! The options about clones of the project, and those of `lanes`.

use clap::{Args, ValueEnum, ValueHint};
use settings::{Executor, Flags};

use super::count_arg::count;
use super::{ConfigArgs, LookArgs};

const LANES_HELP: &str = "\
Examples:
  ralph-loop lanes                    list the clones
  ralph-loop lanes prune --dry-run    show which ones can be removed
  ralph-loop lanes prune              remove them

Exit codes: 0 done, 1 a clone could not be removed, 2 usage error.";

/// Options about clones, of `run` and `doctor`.
#[derive(Debug, Clone, Args)]
pub(crate) struct LaneArgs {
    /// Work on N stories at once, each in a clone of the project [default: 1]
    #[arg(short = 'j', long, value_name = "N", help_heading = "Lanes", value_parser = count("job"))]
    pub(crate) jobs: Option<u64>,
    /// Work in a clone of the project and leave your work tree as it is (docs/parallel.md)
    #[arg(long, help_heading = "Lanes", overrides_with = "no_separate")]
    pub(crate) separate: bool,
    /// One job, in your work tree [default]
    #[arg(long, help_heading = "Lanes", conflicts_with = "jobs")]
    pub(crate) no_separate: bool,
    /// Run sessions on other machines, through a batch engine: `slurm`, `kubernetes`, or a name in `executors` (docs/fleet.md)
    #[arg(long, value_name = "NAME", help_heading = "Lanes", conflicts_with = "no_separate")]
    pub(crate) on: Option<String>,
    /// Folder for the clones, outside of the project [default: ~/.local/state/ralph/lanes]
    #[arg(long, value_name = "PATH", help_heading = "Lanes")]
    #[arg(value_parser = folder, value_hint = ValueHint::DirPath)]
    pub(crate) lanes_dir: Option<String>,
}

impl LaneArgs {
    pub(crate) fn set(&self, flags: &mut Flags) {
        flags.set_if("--jobs", &["jobs"], self.jobs);
        let separate = [self.separate, self.no_separate];
        flags.set_switch(["--separate", "--no-separate"], &["separate"], separate);
        // Otherwise the jobs of the settings would imply it again.
        flags.set_if("--no-separate", &["jobs"], self.no_separate.then_some(1));
        flags.set_if("--on", &["on"], self.on.as_ref());
        for key in [&["on"][..], &["checks", "on"]] {
            flags.set_if("--no-separate", key, self.no_separate.then_some(Executor::LOCAL));
        }
        set_dir(flags, self.lanes_dir.as_ref());
    }
}

fn set_dir(flags: &mut Flags, dir: Option<&String>) {
    flags.set_if("--lanes-dir", &["lanes", "dir"], dir);
}

/// Arguments of `lanes`.
#[derive(Debug, Args)]
#[command(after_help = LANES_HELP)]
pub(crate) struct LanesArgs {
    /// Remove clones, instead of listing them
    #[arg(value_enum)]
    pub(crate) action: Option<LanesAction>,
    /// Show what `prune` would remove; remove nothing
    #[arg(long, requires = "action")]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) place: ConfigArgs,
    /// Folder with the clones [default: lanes.dir of the settings]
    #[arg(long, value_name = "PATH", value_parser = folder, value_hint = ValueHint::DirPath)]
    pub(crate) lanes_dir: Option<String>,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LanesAction {
    /// Remove the clones that have no work of their own
    Prune,
}

impl LanesArgs {
    /// The given options as settings.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = self.look.flags();
        set_dir(&mut flags, self.lanes_dir.as_ref());
        flags
    }
}

/// Makes the path absolute, because a path in the settings starts at the project.
fn folder(text: &str) -> Result<String, String> {
    if text.starts_with("~/") {
        return Ok(text.to_owned());
    }
    let path = std::path::absolute(text).map_err(|error| error.to_string())?;
    path.into_os_string().into_string().map_err(|_| "the current folder is not UTF-8".into())
}
