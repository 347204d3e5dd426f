//! What `ralph-loop validate` is asked for.

use clap::Args;

use super::{ConfigArgs, LookArgs, ProjectArgs};

const AFTER_HELP: &str = "\
Exit codes: 0 fit to be run, 1 warnings with --strict, 2 errors, nothing to read or wrong usage.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    /// Let warnings count as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// For machines
    #[arg(long)]
    pub(crate) json: bool,
}
