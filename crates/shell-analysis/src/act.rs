//! One program that the shell would start, or one builtin that it would run.

use std::path::PathBuf;

use crate::word::Word;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    /// The program and its arguments. Empty where there are only assignments or redirects.
    pub words: Vec<Word>,
    /// `NAME=value` before the program, or alone.
    pub assignments: Vec<(String, Word)>,
    pub redirects: Vec<Redirect>,
    pub input: Input,
    /// Where it runs.
    pub folder: Folder,
    /// What has it run, outermost first: `sudo`, `env`, `xargs`, `find -exec`, `sh -c`, `eval`, a pipe
    /// into a shell, a script.
    pub through: Vec<Through>,
    pub mode: Mode,
    pub repetition: Repetition,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    pub kind: RedirectKind,
    pub target: Word,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`
    Write,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    ReadWrite,
}

/// What it reads on standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Whatever the shell has.
    Inherited,
    /// A here-document or here-string, or what a pipe is known to carry.
    Text { text: Word, from: Vec<usize> },
    /// What these acts print; indices into `Reading::acts`.
    Pipe { from: Vec<usize> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Folder {
    Known(PathBuf),
    /// After a `cd` to somewhere that is known only when it runs.
    Unknown,
}

/// What hands a command on to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Through {
    /// A program that runs another: `sudo`, `env`, `timeout`, `xargs`, `find`; by its name.
    Wrapper(String),
    /// A text that a shell reads: `sh -c`, `eval`, `trap`, a here-document.
    ShellText,
    /// What a pipe carries into a shell.
    PipedText,
    /// A script on disk.
    Script(PathBuf),
    /// A function of the text's own.
    Function(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Foreground,
    /// With `&`, or `coproc`.
    Background,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    Once,
    /// In a loop that ends.
    Loop,
    /// In a loop whose condition is always the same (`while true`, `until false`, `for ((;;))`).
    Endless,
}

impl Act {
    /// The name of the program without its folder, where it is known.
    pub fn program(&self) -> Option<String> {
        let name = self.words.first()?.text()?;
        Some(name.rsplit('/').next().unwrap_or_default().to_owned())
    }

    /// Everything after the program.
    pub fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }
}
