//! The options of `watch`.

use clap::Args;

use super::{LookArgs, ProjectArgs};

const AFTER_HELP: &str = "\
Keys: ? lists all of them, q leaves and the loop continues. During a run: p pauses after this iteration, s skips the \
story, x stops, t adds an instruction.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct WatchArgs {
    /// Run id or its beginning [default: the latest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Replay the run from its start; long gaps are shortened
    #[arg(long)]
    pub(crate) replay: bool,
    /// Speed of the replay: 10 is ten times real time
    #[arg(long, value_name = "X", default_value = "10", requires = "replay")]
    #[arg(value_parser = dashboard::read_speed)]
    pub(crate) speed: f64,
    #[command(flatten)]
    pub(crate) look: LookArgs,
}
