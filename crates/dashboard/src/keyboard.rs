//! Keyboard input; a closed terminal is detected.

use std::io;
use std::time::Duration;

use ratatui::crossterm::event::{self, Event};

#[derive(Debug)]
pub(crate) struct Keyboard {
    #[cfg(unix)]
    terminal: unix::Terminal,
}

impl Keyboard {
    pub(crate) fn open() -> io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            terminal: unix::Terminal::open()?,
        })
    }

    /// Waits for the next event; fails after the terminal was closed.
    pub(crate) fn next(&self, wait: Duration) -> io::Result<Option<Event>> {
        #[cfg(unix)]
        {
            // crossterm may have buffered events.
            self.terminal.wait(Duration::ZERO)?;
            if !event::poll(Duration::ZERO)? {
                self.terminal.wait(wait)?;
            }
        }
        let wait = if cfg!(unix) { Duration::ZERO } else { wait };
        if event::poll(wait)? { event::read().map(Some) } else { Ok(None) }
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io::{self, IsTerminal};
    use std::os::fd::{AsFd, OwnedFd};
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::fs::Timespec;

    /// The terminal that crossterm reads from.
    #[derive(Debug)]
    pub(super) struct Terminal(OwnedFd);

    impl Terminal {
        pub(super) fn open() -> io::Result<Self> {
            let stdin = io::stdin();
            Ok(Self(match stdin.is_terminal() {
                true => stdin.as_fd().try_clone_to_owned()?,
                false => File::open("/dev/tty")?.into(),
            }))
        }

        /// Waits until input is available. A closed terminal is always readable and empty, and crossterm
        /// would loop forever.
        pub(super) fn wait(&self, most: Duration) -> io::Result<()> {
            let mut waited = [PollFd::new(&self.0, PollFlags::IN)];
            let most = Timespec::try_from(most).map_err(io::Error::other)?;
            match poll(&mut waited, Some(&most)) {
                // Interrupted by a signal, which the caller checks.
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            match waited[0].revents() {
                gone if gone.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) => {
                    Err(io::Error::new(io::ErrorKind::BrokenPipe, "the terminal was closed"))
                }
                _ => Ok(()),
            }
        }
    }
}
