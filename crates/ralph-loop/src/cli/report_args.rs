//! The options of `report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{LookArgs, ProjectArgs};

const RALPH_DIR: &str = "Accepted as in `run`, without effect: the run has recorded its folder";

#[derive(Debug, Args)]
#[command(mut_arg("ralph_dir", |arg| arg.help(RALPH_DIR)))]
pub(crate) struct ReportArgs {
    /// Run id or its beginning [default: the latest run]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Format of the report [default: markdown, rendered on a terminal]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<ReportFormat>,
    /// Write to this file; `-` is stdout [default: stdout; html on a terminal: report.html in the run's folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) look: LookArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    #[value(alias = "md")]
    Markdown,
    Json,
    Html,
}
