//! What `ralph-loop runs` is asked for.

use clap::Args;

use super::{LookArgs, ProjectArgs};

#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    /// For machines
    #[arg(long)]
    pub(crate) json: bool,
}
