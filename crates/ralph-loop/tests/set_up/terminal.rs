//! A program on a pseudo-terminal, and a user who reads before typing.

use std::io::{Read, Write};
use std::process::Child;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use pty_process::blocking::{self, Pty};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// Time limit of each wait.
const LIMIT: Duration = Duration::from_secs(180);

pub(crate) const CTRL_C: &str = "\x03";
pub(crate) const CTRL_D: &str = "\x04";

pub(crate) struct Terminal {
    child: Child,
    pty: Arc<Pty>,
    incoming: Receiver<Vec<u8>>,
    /// All output, echo included.
    screen: String,
    /// The part that earlier waits consumed.
    seen: usize,
}

/// The result of a program that has ended.
pub(crate) struct Finished {
    /// `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) screen: String,
}

impl Terminal {
    #[track_caller]
    pub(crate) fn start(command: impl Into<blocking::Command>) -> Self {
        let (pty, pts) = blocking::open().unwrap();
        keep_output(&pty);
        let child = command.into().spawn(pts).unwrap();
        let pty = Arc::new(pty);
        let (sender, incoming) = channel();
        let reader = Arc::clone(&pty);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // A read error means that the terminal is closed.
            while let Ok(count @ 1..) = (&*reader).read(&mut buffer) {
                let _ = sender.send(buffer[..count].to_vec());
            }
        });
        Self { child, pty, incoming, screen: String::new(), seen: 0 }
    }

    /// Waits for `text` after the text of the last wait.
    #[track_caller]
    pub(crate) fn expect(&mut self, text: &str) -> &mut Self {
        let deadline = Instant::now() + LIMIT;
        loop {
            if let Some(at) = self.screen[self.seen..].find(text) {
                self.seen += at + text.len();
                return self;
            }
            if !self.read_more(deadline) {
                panic!("{text:?} did not come:\n{}", self.screen);
            }
        }
    }

    /// Waits for a question and answers it.
    #[track_caller]
    pub(crate) fn answer(&mut self, question: &str, answer: &str) -> &mut Self {
        self.expect(question).press(answer).press("\r")
    }

    #[track_caller]
    pub(crate) fn press(&mut self, keys: &str) -> &mut Self {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
        self
    }

    #[track_caller]
    pub(crate) fn finish(mut self) -> Finished {
        let deadline = Instant::now() + LIMIT;
        while self.read_more(deadline) {}
        assert!(Instant::now() < deadline, "it did not end:\n{}", self.screen);
        let code = self.child.wait().unwrap().code();
        Finished { code, screen: std::mem::take(&mut self.screen).replace("\r\n", "\n") }
    }

    /// Reads more output; false at the end or after the deadline.
    fn read_more(&mut self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        let received = self.incoming.recv_timeout(left);
        received.map(|bytes| self.screen.push_str(&String::from_utf8_lossy(&bytes))).is_ok()
    }
}

/// On Ctrl-C a terminal drops output that is not shown yet, sometimes the program's answer.
#[track_caller]
fn keep_output(pty: &Pty) {
    let mut modes = tcgetattr(pty).unwrap();
    modes.local_modes |= LocalModes::NOFLSH;
    tcsetattr(pty, OptionalActions::Now, &modes).unwrap();
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
