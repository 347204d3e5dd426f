//! The options of `lanes`.

use clap::{Args, ValueEnum, ValueHint};
use settings::Flags;

use super::run_args::folder;
use super::{ConfigArgs, LookArgs};

const LANES_HELP: &str = "\
Examples:
  ralph-loop lanes                    list the clones
  ralph-loop lanes prune --dry-run    show which ones can be removed
  ralph-loop lanes prune              remove them

Exit codes: 0 done, 1 a clone could not be removed, 2 usage error.";

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
        flags.set_if("--lanes-dir", &["lanes", "dir"], self.lanes_dir.as_ref());
        flags
    }
}
