//! Runs one command in a pseudo-terminal: until it ends, or until its screen shows a text. The only
//! place of this crate that starts a program.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use pty_process::blocking::{self, Pty};
use thiserror::Error;
use vt100::Parser;

use crate::size::Size;

/// Scrollback rows.
const SCROLLBACK: usize = 10_000;

/// Time limit for an expected text.
const PATIENCE: Duration = Duration::from_secs(30);

/// A screen is complete when it has not changed for this time.
const WHOLE: Duration = Duration::from_millis(300);

#[derive(Debug, Error)]
pub enum TerminalError {
    #[error("cannot start the command in a terminal: {0}")]
    Start(#[from] pty_process::Error),
    #[error("cannot communicate with the command: {0}")]
    Child(#[from] std::io::Error),
    #[error("the command failed ({status}); last screen:\n{screen}")]
    Failed { status: ExitStatus, screen: String },
    #[error("the screen never showed {wanted:?}; last screen:\n{screen}")]
    NeverShown { wanted: String, screen: String },
}

/// Keys to type when the screen shows a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub shown: String,
    pub keys: String,
}

/// When to take the picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaptureWhen {
    /// After the command ended successfully.
    End,
    /// After these steps, when the screen shows this text; then the command is ended.
    Shown { steps: Vec<Step>, wanted: String },
}

/// The terminal at that time.
pub fn run(
    program: &OsStr,
    arguments: &[OsString],
    size: Size,
    when: &CaptureWhen,
) -> Result<Parser, TerminalError> {
    let mut session = Session::start(program, arguments, size)?;
    match when {
        CaptureWhen::End => session.wait_for_its_end()?,
        CaptureWhen::Shown { steps, wanted } => {
            for Step { shown, keys } in steps {
                session.until(shown)?;
                (&*session.pty).write_all(keys.as_bytes())?;
            }
            session.until(wanted)?;
        }
    }
    Ok(session.into_terminal())
}

struct Session {
    child: Child,
    pty: Arc<Pty>,
    /// Disconnects when no process has the terminal open.
    output: Receiver<Vec<u8>>,
    terminal: Parser,
}

impl Session {
    fn start(program: &OsStr, arguments: &[OsString], size: Size) -> Result<Self, TerminalError> {
        let Size { columns, rows } = size;
        let (pty, pts) = blocking::open()?;
        pty.resize(pty_process::Size::new(rows, columns))?;
        let child = blocking::Command::new(program)
            .args(arguments)
            .env("TERM", "xterm-256color")
            .env_remove("NO_COLOR")
            .spawn(pts)?;
        let pty = Arc::new(pty);
        let output = read_along(Arc::clone(&pty));
        Ok(Self { child, pty, output, terminal: Parser::new(rows, columns, SCROLLBACK) })
    }

    fn wait_for_its_end(&mut self) -> Result<(), TerminalError> {
        while let Ok(piece) = self.output.recv() {
            self.terminal.process(&piece);
        }
        let status = self.child.wait()?;
        if status.success() {
            return Ok(());
        }
        Err(TerminalError::Failed { status, screen: self.screen() })
    }

    fn until(&mut self, wanted: &str) -> Result<(), TerminalError> {
        let deadline = Instant::now() + PATIENCE;
        let mut shown_since: Option<Instant> = None;
        loop {
            let piece = self.output.recv_timeout(WHOLE);
            if let Ok(piece) = &piece {
                self.terminal.process(piece);
            }
            let now = Instant::now();
            let is_shown = self.screen().contains(wanted);
            shown_since = is_shown.then(|| shown_since.unwrap_or(now));
            let is_over = piece == Err(RecvTimeoutError::Disconnected);
            if shown_since.is_some_and(|since| is_over || now - since >= WHOLE) {
                return Ok(());
            }
            if is_over || now >= deadline {
                let screen = self.screen();
                return Err(TerminalError::NeverShown { wanted: wanted.to_owned(), screen });
            }
        }
    }

    fn screen(&self) -> String {
        self.terminal.screen().contents()
    }

    fn into_terminal(mut self) -> Parser {
        std::mem::take(&mut self.terminal)
    }
}

impl Drop for Session {
    /// Does nothing if the command was already waited for.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_along(pty: Arc<Pty>) -> Receiver<Vec<u8>> {
    let (send, output) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        // A terminal reports an error when no process has it open.
        while let Ok(count @ 1..) = (&*pty).read(&mut buffer) {
            if send.send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    output
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{self, Row};

    fn shell(script: &str, when: &CaptureWhen) -> Result<Vec<String>, TerminalError> {
        let size = Size { columns: 31, rows: 4 };
        let mut terminal = run("sh".as_ref(), &["-c".into(), script.into()], size, when)?;
        Ok(rows::all(&mut terminal).iter().map(Row::text).collect())
    }

    fn shown(steps: &[(&str, &str)], wanted: &str) -> CaptureWhen {
        let step =
            |(shown, keys): &(&str, &str)| Step { shown: (*shown).into(), keys: (*keys).into() };
        CaptureWhen::Shown { steps: steps.iter().map(step).collect(), wanted: wanted.into() }
    }

    #[test]
    fn a_program_gets_a_terminal_of_the_given_size() {
        assert_eq!(shell("test -t 1 && stty size", &CaptureWhen::End).unwrap(), ["4 31"]);
    }

    #[test]
    fn a_failed_command_is_an_error_with_its_output() {
        let Err(TerminalError::Failed { status, screen }) =
            shell("echo why; exit 3", &CaptureWhen::End)
        else {
            panic!("it counted as a success");
        };
        assert_eq!((status.code(), screen.as_str()), (Some(3), "why"));
    }

    #[test]
    fn a_running_command_is_ended_at_the_expected_screen() {
        let script = "stty -echo; echo who; read name; echo hello $name; exec cat";
        let driven = shown(&[("who", "you\n")], "hello you");
        assert_eq!(shell(script, &driven).unwrap(), ["who", "hello you"]);
    }

    #[test]
    fn a_picture_shows_the_alternate_screen() {
        let script = r"echo before; printf '\033[?1049h\033[Hfull'; exec cat";
        assert_eq!(shell(script, &shown(&[], "full")).unwrap(), ["full"]);
    }

    #[test]
    fn a_missing_text_is_named_with_the_last_screen() {
        let Err(TerminalError::NeverShown { wanted, screen }) =
            shell("echo something else", &shown(&[], "wanted"))
        else {
            panic!("it counted as shown");
        };
        assert_eq!((wanted.as_str(), screen.as_str()), ("wanted", "something else"));
    }
}
