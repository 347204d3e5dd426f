//! The options of the commands that control a running loop.

use clap::Args;
use tasks::StoryId;

use super::ProjectArgs;

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
pub(crate) struct SteerArgs {
    /// Instruction of at most 4,000 characters; `-` reads it from stdin
    #[arg(value_name = "TEXT", required = true)]
    pub(crate) text: Vec<String>,
    #[command(flatten)]
    pub(crate) order: OrderArgs,
}
