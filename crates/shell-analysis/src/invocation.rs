//! One command that the shell would run: a program or a builtin.

use std::borrow::Cow;
use std::path::PathBuf;
use std::rc::Rc;

use crate::word::Word;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The program and its arguments. Empty for assignments or redirects alone.
    pub words: Rc<[Word]>,
    /// `NAME=value` before the program, or alone.
    pub assignments: Vec<(String, Word)>,
    pub redirects: Vec<Redirect>,
    pub input: Input,
    /// The working directory; `None` after a `cd` to a folder that is only known at run time.
    pub folder: Option<PathBuf>,
    /// What runs it, outermost first: `sudo`, `env`, `xargs`, `find -exec`, `sh -c`, `eval`, a pipe into a shell,
    /// a script.
    pub launchers: Vec<Launcher>,
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

/// Its standard input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Input {
    /// The shell's own input.
    #[default]
    Inherited,
    /// A here-document or here-string, or the known content of a pipe.
    Text { text: Word, from: Vec<usize> },
    /// The output of these commands, as indices into the list of the analysis.
    Pipe { from: Vec<usize> },
}

impl Input {
    pub(crate) fn text(&self) -> Option<&Word> {
        if let Self::Text { text, .. } = self { Some(text) } else { None }
    }
}

/// What runs a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launcher {
    /// The name of a program that runs another: `sudo`, `env`, `timeout`, `xargs`, `find`.
    Wrapper(String),
    /// A text that a shell parses: `sh -c`, `eval`, `trap`, a here-document.
    ShellText,
    /// The content of a pipe into a shell.
    PipedText,
    /// A script on disk.
    Script(PathBuf),
    /// A function of the same text.
    Function(String),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    #[default]
    Foreground,
    /// With `&` or `coproc`.
    Background,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repetition {
    #[default]
    Once,
    /// In a loop that ends.
    Loop,
    /// In a loop with a constant condition (`while true`, `until false`, `for ((;;))`).
    Endless,
}

impl Invocation {
    /// The name of the program without its folder, if known.
    pub fn program(&self) -> Option<Cow<'_, str>> {
        Some(match self.words.first()?.text()? {
            Cow::Borrowed(path) => path.rsplit('/').next().unwrap_or_default().into(),
            Cow::Owned(path) => path.rsplit('/').next().unwrap_or_default().to_owned().into(),
        })
    }

    pub fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }
}
