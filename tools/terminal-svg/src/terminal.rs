//! Runs one command on a pseudo-terminal of its own: until it ends, or until its screen shows what is wanted.
//! The one place of this crate that starts a program.

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

/// Rows that are kept after they have scrolled away.
const SCROLLBACK: usize = 10_000;

/// For a screen to show what is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// A screen is drawn in pieces; what it has shown for this long, it shows as a whole.
const WHOLE: Duration = Duration::from_millis(300);

#[derive(Debug, Error)]
pub enum TerminalError {
    #[error("the command cannot be started on a terminal: {0}")]
    Start(#[from] pty_process::Error),
    #[error("the command cannot be talked to or waited for: {0}")]
    Child(#[from] std::io::Error),
    #[error("the command failed ({status}); what it printed last:\n{screen}")]
    Failed { status: ExitStatus, screen: String },
    #[error("the screen never came to show {wanted:?}; what it showed last:\n{screen}")]
    NeverShown { wanted: String, screen: String },
}

/// What is typed once the screen shows something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub shown: String,
    pub keys: String,
}

/// When a command's screen is as wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moment {
    /// It has ended by itself, and well.
    End,
    /// After these steps, this is shown; then the command is ended.
    Shown { steps: Vec<Step>, wanted: String },
}

/// The terminal at that moment.
pub fn run(
    program: &OsStr,
    arguments: &[OsString],
    size: Size,
    moment: &Moment,
) -> Result<Parser, TerminalError> {
    let mut session = Session::start(program, arguments, size)?;
    match moment {
        Moment::End => session.wait_for_its_end()?,
        Moment::Shown { steps, wanted } => {
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
    /// Hung up once nobody has the terminal open any more.
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
    /// Nothing happens to a command that has been waited for.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_along(pty: Arc<Pty>) -> Receiver<Vec<u8>> {
    let (send, output) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        // An error is how a terminal says that nobody has it open any more.
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

    fn shell(script: &str, moment: &Moment) -> Result<Vec<String>, TerminalError> {
        let size = Size { columns: 31, rows: 4 };
        let mut terminal = run("sh".as_ref(), &["-c".into(), script.into()], size, moment)?;
        Ok(rows::all(&mut terminal).iter().map(Row::text).collect())
    }

    fn shown(steps: &[(&str, &str)], wanted: &str) -> Moment {
        let step =
            |(shown, keys): &(&str, &str)| Step { shown: (*shown).into(), keys: (*keys).into() };
        Moment::Shown { steps: steps.iter().map(step).collect(), wanted: wanted.into() }
    }

    #[test]
    fn a_program_finds_a_terminal_of_the_size_that_was_asked_for() {
        assert_eq!(shell("test -t 1 && stty size", &Moment::End).unwrap(), ["4 31"]);
    }

    #[test]
    fn a_command_that_fails_makes_no_picture_and_its_words_are_told() {
        let Err(TerminalError::Failed { status, screen }) = shell("echo why; exit 3", &Moment::End)
        else {
            panic!("it counted as a success");
        };
        assert_eq!((status.code(), screen.as_str()), (Some(3), "why"));
    }

    #[test]
    fn a_command_that_does_not_end_is_driven_to_what_is_wanted_and_ended_there() {
        let script = "stty -echo; echo who; read name; echo hello $name; exec cat";
        let driven = shown(&[("who", "you\n")], "hello you");
        assert_eq!(shell(script, &driven).unwrap(), ["who", "hello you"]);
    }

    #[test]
    fn the_other_screen_is_what_a_picture_shows_where_a_command_has_gone_there() {
        let script = r"echo before; printf '\033[?1049h\033[Hfull'; exec cat";
        assert_eq!(shell(script, &shown(&[], "full")).unwrap(), ["full"]);
    }

    #[test]
    fn what_is_never_shown_is_named_with_what_was() {
        let Err(TerminalError::NeverShown { wanted, screen }) =
            shell("echo something else", &shown(&[], "wanted"))
        else {
            panic!("it counted as shown");
        };
        assert_eq!((wanted.as_str(), screen.as_str()), ("wanted", "something else"));
    }
}
