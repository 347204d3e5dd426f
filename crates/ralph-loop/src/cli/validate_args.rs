//! The options of `validate`.

use clap::Args;

use super::{ConfigArgs, LookArgs, ProjectArgs};

const AFTER_HELP: &str = "\
Exit codes: 0 valid, 1 warnings with --strict, 2 errors, missing files or usage error.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    /// Exit with 1 on warnings
    #[arg(long)]
    pub(crate) strict: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
