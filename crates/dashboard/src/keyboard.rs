//! What a person types, as long as there is somebody: a terminal that is gone is noticed.

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

    /// Waits for as long as that for the next; fails once the terminal is gone.
    pub(crate) fn next(&self, wait: Duration) -> io::Result<Option<Event>> {
        #[cfg(unix)]
        {
            // What was read with an earlier key waits inside crossterm.
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
    use std::io::{self, IsTerminal, Stdin};
    use std::os::fd::{AsFd, BorrowedFd};
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::fs::Timespec;

    /// The one that crossterm reads from.
    #[derive(Debug)]
    pub(super) enum Terminal {
        Stdin(Stdin),
        Controlling(File),
    }

    impl Terminal {
        pub(super) fn open() -> io::Result<Self> {
            let stdin = io::stdin();
            if stdin.is_terminal() {
                return Ok(Self::Stdin(stdin));
            }
            File::open("/dev/tty").map(Self::Controlling)
        }

        /// Until something can be read. A terminal that is gone can be read for ever and gives
        /// nothing, and crossterm would never come back from that.
        pub(super) fn wait(&self, most: Duration) -> io::Result<()> {
            let mut waited = [PollFd::from_borrowed_fd(self.fd(), PollFlags::IN)];
            let most = Timespec::try_from(most).map_err(io::Error::other)?;
            match poll(&mut waited, Some(&most)) {
                // A signal: whoever draws looks at what it wants.
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            match waited[0].revents() {
                gone if gone.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) => {
                    Err(io::Error::new(io::ErrorKind::BrokenPipe, "the terminal is gone"))
                }
                _ => Ok(()),
            }
        }

        fn fd(&self) -> BorrowedFd<'_> {
            match self {
                Self::Stdin(stdin) => stdin.as_fd(),
                Self::Controlling(file) => file.as_fd(),
            }
        }
    }
}
