//! What `ralph-loop watch` is asked for.

use clap::Args;

use super::{LookArgs, ProjectArgs};

const AFTER_HELP: &str = "\
Keys: ? shows all of them, q leaves and the loop goes on. While it runs: p pauses after this iteration, \
s skips the story, x stops, t says something to the next prompt.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct WatchArgs {
    /// The run, by its id or how that begins (default: the one that spoke last)
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Play the run once more, from its beginning; long gaps are shortened
    #[arg(long)]
    pub(crate) replay: bool,
    /// How fast it is played: 10 is ten times as fast as it happened
    #[arg(long, value_name = "X", default_value = "10", requires = "replay")]
    #[arg(value_parser = dashboard::read_speed)]
    pub(crate) speed: f64,
    #[command(flatten)]
    pub(crate) look: LookArgs,
}
