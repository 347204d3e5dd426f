//! Runs one command on a pseudo-terminal of its own until it ends. The one place of this crate that
//! starts a program.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::process::ExitStatus;

use pty_process::blocking;
use thiserror::Error;
use vt100::Parser;

use crate::size::Size;

/// Rows that are kept after they have scrolled away.
const SCROLLBACK: usize = 10_000;

#[derive(Debug, Error)]
pub enum TerminalError {
    #[error("the command cannot be started on a terminal: {0}")]
    Start(#[from] pty_process::Error),
    #[error("the command cannot be waited for: {0}")]
    Wait(#[from] std::io::Error),
    #[error("the command failed ({status}); what it printed last:\n{screen}")]
    Failed { status: ExitStatus, screen: String },
}

/// The terminal as the command leaves it.
pub fn run(program: &OsStr, arguments: &[OsString], size: Size) -> Result<Parser, TerminalError> {
    let Size { columns, rows } = size;
    let (mut pty, pts) = blocking::open()?;
    pty.resize(pty_process::Size::new(rows, columns))?;
    let mut child = blocking::Command::new(program)
        .args(arguments)
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR")
        .spawn(pts)?;
    let mut terminal = Parser::new(rows, columns, SCROLLBACK);
    let mut buffer = [0; 4096];
    // An error is how a terminal says that nobody has it open any more.
    while let Ok(count @ 1..) = pty.read(&mut buffer) {
        terminal.process(&buffer[..count]);
    }
    let status = child.wait()?;
    if status.success() {
        return Ok(terminal);
    }
    let screen = terminal.screen().contents();
    Err(TerminalError::Failed { status, screen })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{self, Row};

    fn shell(script: &str) -> Result<Vec<String>, TerminalError> {
        let size = Size { columns: 31, rows: 4 };
        let mut terminal = run("sh".as_ref(), &["-c".into(), script.into()], size)?;
        Ok(rows::all(&mut terminal).iter().map(Row::text).collect())
    }

    #[test]
    fn a_program_finds_a_terminal_of_the_size_that_was_asked_for() {
        assert_eq!(shell("test -t 1 && stty size").unwrap(), ["4 31"]);
    }

    #[test]
    fn a_command_that_fails_makes_no_picture_and_its_words_are_told() {
        let Err(TerminalError::Failed { status, screen }) = shell("echo why; exit 3") else {
            panic!("it counted as a success");
        };
        assert_eq!((status.code(), screen.as_str()), (Some(3), "why"));
    }
}
