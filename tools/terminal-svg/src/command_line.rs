//! Parses and runs the command line.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use terminal_svg::excerpt::{self, ExcerptError, Span};
use terminal_svg::rows;
use terminal_svg::size::Size;
use terminal_svg::svg::{self, Caption};
use terminal_svg::terminal::{self, CaptureWhen, Step, TerminalError};
use thiserror::Error;

/// Runs a program in a terminal and draws its screen as an SVG
#[derive(Debug, Parser)]
struct Arguments {
    /// Output file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Size of the terminal
    #[arg(long, value_name = "COLUMNSxROWS", default_value = "100x34")]
    size: Size,
    /// Show the rows from the next one with FROM to the next one with TO; repeat it for later rows.
    /// Default: all rows
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"])]
    rows: Vec<String>,
    /// Take the picture when the screen contains TEXT, then end the program
    #[arg(long, value_name = "TEXT")]
    until: Option<String>,
    /// Before that, type KEYS when the screen contains TEXT; repeatable
    #[arg(long, num_args = 2, value_names = ["TEXT", "KEYS"], requires = "until")]
    when: Vec<String>,
    /// Title of the window
    #[arg(long, value_name = "TEXT")]
    title: String,
    /// Description for screen readers
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
            let _ = writeln!(std::io::stderr(), "terminal-svg: {error}");
            ExitCode::FAILURE
        }
    }
}

fn picture(arguments: Arguments) -> Result<(), PictureError> {
    let Arguments { out, size, rows, until, when, title, description, program, arguments } =
        arguments;
    let steps = pairs(when, |shown, keys| Step { shown, keys });
    let when = until.map_or(CaptureWhen::End, |wanted| CaptureWhen::Shown { steps, wanted });
    let mut terminal = terminal::run(&program, &arguments, size, &when)?;
    let printed = rows::all(&mut terminal);
    let spans = pairs(rows, |from, to| Span { from, to });
    let lines = excerpt::choose(&printed, &spans)?;
    let caption = Caption { title: &title, description: &description };
    let drawn = svg::draw(&lines, size.columns, caption);
    std::fs::write(&out, drawn).map_err(|source| PictureError::Write { path: out, source })
}

/// clap returns the values as one list.
fn pairs<T>(texts: Vec<String>, make: impl Fn(String, String) -> T) -> Vec<T> {
    let mut texts = texts.into_iter();
    std::iter::from_fn(|| Some(make(texts.next()?, texts.next()?))).collect()
}
