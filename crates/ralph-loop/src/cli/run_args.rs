//! The options of `run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{LookArgs, ProjectArgs};

#[derive(Debug, Clone, Args)]
pub(crate) struct RunArgs {
    /// Iterations at most
    #[arg(short = 'n', long, value_name = "N", default_value_t = 15)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_iterations: u64,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,

    /// The agent's model, for stories that name none themselves
    #[arg(short = 'm', long, value_name = "MODEL", help_heading = "Agent")]
    pub(crate) model: Option<String>,
    /// The claude program (default: found in PATH)
    #[arg(long, value_name = "PATH", help_heading = "Agent")]
    pub(crate) agent_program: Option<PathBuf>,
    /// Turns of the agent in one iteration, for stories that name none themselves
    #[arg(long, value_name = "N", help_heading = "Agent")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_turns: Option<u64>,
    /// One more argument for the agent; may be given several times
    #[arg(long, value_name = "ARG", help_heading = "Agent", allow_hyphen_values = true)]
    pub(crate) agent_arg: Vec<OsString>,

    /// Let implementations pass without a review (your checks still have to)
    #[arg(long, help_heading = "Review")]
    pub(crate) skip_review: bool,
    /// Reviews a story may take; the last one has to approve, with its concerns on record
    #[arg(long, value_name = "N", default_value_t = 5, help_heading = "Review")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "skip_review")]
    pub(crate) review_cap: u64,

    /// End the run before it costs more than this (exit code 3)
    #[arg(long, value_name = "USD", help_heading = "Ceilings", value_parser = dollars)]
    pub(crate) max_cost_usd: Option<f64>,
    /// End the run once this much of a usage window is used (exit code 3)
    #[arg(long, value_name = "PERCENT", help_heading = "Ceilings")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) max_quota: Option<u8>,
    /// When the usage limit is reached: sleep until its reset, or end the run (exit code 3)
    #[arg(
        long,
        value_enum,
        default_value = "wait",
        value_name = "WHAT",
        help_heading = "Ceilings"
    )]
    pub(crate) on_limit: OnLimit,

    /// One session of the agent (90s, 45m, 2h); 0 for no limit
    #[arg(long, value_name = "TIME", default_value = "60m", help_heading = "Time")]
    #[arg(value_parser = humantime::parse_duration)]
    pub(crate) iteration_timeout: Duration,
    /// The agent prints nothing; 0 for no limit
    #[arg(long, value_name = "TIME", default_value = "15m", help_heading = "Time")]
    #[arg(value_parser = humantime::parse_duration)]
    pub(crate) idle_timeout: Duration,
    /// One of your checks; 0 for no limit
    #[arg(long, value_name = "TIME", default_value = "10m", help_heading = "Time")]
    #[arg(value_parser = humantime::parse_duration)]
    pub(crate) gate_timeout: Duration,
    /// After its result, for the agent to exit; then it is ended, and its answer counts
    #[arg(long, value_name = "TIME", default_value = "30s", help_heading = "Time")]
    #[arg(value_parser = humantime::parse_duration)]
    pub(crate) linger: Duration,
    /// After the first Ctrl-C, for the agent to finish its answer
    #[arg(long, value_name = "TIME", default_value = "30s", help_heading = "Time")]
    #[arg(value_parser = humantime::parse_duration)]
    pub(crate) stop_grace: Duration,
    /// Between two iterations
    #[arg(long, value_name = "TIME", default_value = "0s", help_heading = "Time")]
    #[arg(value_parser = humantime::parse_duration)]
    pub(crate) pause: Duration,
    /// Retries in a row when the agent crashes or gives an empty answer
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Time")]
    pub(crate) retries: u64,
    /// Before the first retry; doubled with each one
    #[arg(long, value_name = "TIME", default_value = "5s", help_heading = "Time")]
    #[arg(value_parser = humantime::parse_duration)]
    pub(crate) retry_wait: Duration,

    /// Go on with the last run and its counters, however it ended
    #[arg(long, conflicts_with = "fresh", help_heading = "Start")]
    pub(crate) resume: bool,
    /// Begin a new run, whatever an interrupted one left unjudged
    #[arg(long, help_heading = "Start")]
    pub(crate) fresh: bool,
    /// Start with uncommitted changes; they stay uncommitted and nobody is blamed for them
    #[arg(long, help_heading = "Start")]
    pub(crate) allow_dirty: bool,
    /// Print what the first iteration would do: selection, command and prompt
    #[arg(long, help_heading = "Start")]
    pub(crate) dry_run: bool,

    /// For people, or events as JSON lines on standard output (progress then goes to standard error)
    #[arg(
        long,
        value_enum,
        default_value = "human",
        value_name = "FORMAT",
        help_heading = "Output"
    )]
    pub(crate) output: OutputFormat,
    /// Leave out the agent's text and tool calls
    #[arg(long, help_heading = "Output")]
    pub(crate) no_stream_agent_output: bool,
    /// A time before every line
    #[arg(long, help_heading = "Output")]
    pub(crate) timestamps: bool,
    #[command(flatten, next_help_heading = "Output")]
    pub(crate) look: LookArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnLimit {
    Wait,
    Stop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    Human,
    Json,
}

fn dollars(text: &str) -> Result<f64, String> {
    match text.trim_start_matches('$').parse::<f64>() {
        Ok(amount) if amount.is_finite() && amount > 0.0 => Ok(amount),
        _ => Err("an amount above 0 is expected, such as 5 or 2.50".into()),
    }
}
