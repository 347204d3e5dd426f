//! What is asked for on the command line, and doing it.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use terminal_svg::excerpt::{self, ExcerptError, Span};
use terminal_svg::rows;
use terminal_svg::size::Size;
use terminal_svg::svg::{self, Caption};
use terminal_svg::terminal::{self, Moment, Step, TerminalError};
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
    /// For a program that does not end by itself: take the picture once the screen holds TEXT, and end it
    #[arg(long, value_name = "TEXT")]
    until: Option<String>,
    /// Before that, type KEYS once the screen holds TEXT; can be given again for what comes after
    #[arg(long, num_args = 2, value_names = ["TEXT", "KEYS"], requires = "until")]
    when: Vec<String>,
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
    let Arguments { out, size, rows, until, when, title, description, program, arguments } =
        arguments;
    let steps = pairs(when, |shown, keys| Step { shown, keys });
    let moment = until.map_or(Moment::End, |wanted| Moment::Shown { steps, wanted });
    let mut terminal = terminal::run(&program, &arguments, size, &moment)?;
    let printed = rows::all(&mut terminal);
    let spans = pairs(rows, |from, to| Span { from, to });
    let lines = excerpt::choose(&printed, &spans)?;
    let caption = Caption { title: &title, description: &description };
    let drawn = svg::draw(&lines, size.columns, caption);
    std::fs::write(&out, drawn).map_err(|source| PictureError::Write { path: out, source })
}

/// What clap gives as one list.
fn pairs<T>(texts: Vec<String>, make: impl Fn(String, String) -> T) -> Vec<T> {
    let mut texts = texts.into_iter();
    std::iter::from_fn(|| Some(make(texts.next()?, texts.next()?))).collect()
}
