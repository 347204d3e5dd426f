//! What `ralph-loop report` is asked for.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{LookArgs, ProjectArgs};

/// A run tells by itself where its task list is.
const RALPH_DIR: &str = "Taken so that the flags of `run` do here too; a report is made from \
.ralph/runs/ alone, and names the folder its run worked with";

#[derive(Debug, Args)]
#[command(mut_arg("ralph_dir", |arg| arg.help(RALPH_DIR)))]
pub(crate) struct ReportArgs {
    /// The run, by its id or how that begins (default: the one that spoke last)
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Text for people, the same for machines, or a page with pictures [default: markdown, rendered on a
    /// terminal]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<ReportFormat>,
    /// Write it to this file instead of standard output, which is `-`. A page for a terminal goes to report.html
    /// beside the run's events by itself
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
