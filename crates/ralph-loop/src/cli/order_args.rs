//! What a person tells a loop that runs.

use clap::Args;
use tasks::StoryId;

use super::ProjectArgs;

#[derive(Debug, Args)]
pub(crate) struct OrderArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// For machines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SkipArgs {
    /// Its id (default: the story that runs, or comes next)
    #[arg(value_name = "STORY", value_parser = |id: &str| StoryId::new(id))]
    pub(crate) story: Option<StoryId>,
    #[command(flatten)]
    pub(crate) order: OrderArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SteerArgs {
    /// What to say, at most 4,000 characters; `-` reads it from standard input
    #[arg(value_name = "TEXT", required = true)]
    pub(crate) text: Vec<String>,
    #[command(flatten)]
    pub(crate) order: OrderArgs,
}
