//! What is asked for on the command line, and doing it.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use screen_picture::excerpt::{self, ExcerptError, Span};
use screen_picture::rows;
use screen_picture::size::Size;
use screen_picture::svg::{self, Caption};
use screen_picture::terminal::{self, TerminalError};
use thiserror::Error;

/// Runs a program on a terminal of its own and draws what it showed as an SVG
#[derive(Debug, Parser)]
struct Arguments {
    /// Where the picture goes
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How large the terminal is
    #[arg(long, value_name = "COLUMNSxROWS", default_value = "100x34")]
    size: Size,
    /// Show what lies between the next row that holds FROM and the next that holds TO; can be given
    /// again for what comes after. Without it, everything is shown
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"])]
    rows: Vec<String>,
    /// On the bar of the window
    #[arg(long, value_name = "TEXT")]
    title: String,
    /// What there is to see, for whoever cannot see it
    #[arg(long, value_name = "TEXT")]
    description: String,
    program: OsString,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

#[derive(Debug, Error)]
enum PictureError {
    #[error(transparent)]
    Terminal(#[from] TerminalError),
    #[error(transparent)]
    Excerpt(#[from] ExcerptError),
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

pub(crate) fn main() -> ExitCode {
    match picture(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "screen-picture: {error}");
            ExitCode::FAILURE
        }
    }
}

fn picture(arguments: Arguments) -> Result<(), PictureError> {
    let Arguments { out, size, rows, title, description, program, arguments } = arguments;
    let mut terminal = terminal::run(&program, &arguments, size)?;
    let printed = rows::all(&mut terminal);
    let (pairs, _) = rows.as_chunks::<2>();
    let span = |[from, to]: &[String; 2]| Span { from: from.clone(), to: to.clone() };
    let spans: Vec<Span> = pairs.iter().map(span).collect();
    let lines = excerpt::choose(&printed, &spans)?;
    let caption = Caption { title: &title, description: &description };
    let drawn = svg::draw(&lines, size.columns, caption);
    std::fs::write(&out, drawn).map_err(|source| PictureError::Write { path: out, source })
}
