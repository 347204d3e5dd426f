//! A dialogue on the user's terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::{NoAnswer, UserIo};

/// Lines and Ctrl-C arrive through one channel, because a signal does not end a blocking read.
#[derive(Debug)]
pub(crate) struct Terminal {
    receiver: Receiver<Result<String, NoAnswer>>,
    sender: Sender<Result<String, NoAnswer>>,
}

impl Terminal {
    /// `None` if standard input or output is not a terminal. From here on Ctrl-C is an answer and does not end the
    /// program, so it cannot interrupt the writing of files after the dialogue.
    pub(crate) fn open() -> io::Result<Option<Self>> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Ok(None);
        }
        let (sender, receiver) = channel();
        listen_for_interrupts(sender.clone())?;
        Ok(Some(Self { receiver, sender }))
    }
}

impl UserIo for Terminal {
    fn say(&mut self, text: &str) -> Result<(), NoAnswer> {
        let mut out = io::stdout();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(NoAnswer::Failed)
    }

    fn ask(&mut self, question: &str) -> Result<String, NoAnswer> {
        self.say(question)?;
        let sender = self.sender.clone();
        // One reader per question, so that none consumes input after the last question.
        std::thread::spawn(move || sender.send(line()));
        self.receiver.recv().unwrap_or(Err(NoAnswer::End))
    }
}

/// A line without Enter is incomplete and no answer.
fn line() -> Result<String, NoAnswer> {
    let mut line = String::new();
    io::stdin().read_line(&mut line).map_err(NoAnswer::Failed)?;
    match line.strip_suffix('\n') {
        Some(line) => Ok(line.to_owned()),
        None => Err(NoAnswer::End),
    }
}

/// On a system without signals the system ends the program before any file is written.
fn listen_for_interrupts(sender: Sender<Result<String, NoAnswer>>) -> io::Result<()> {
    #[cfg(unix)]
    {
        let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT])?;
        std::thread::spawn(move || {
            for _ in &mut signals {
                // The dialogue may be over.
                let _ = sender.send(Err(NoAnswer::End));
            }
        });
    }
    #[cfg(not(unix))]
    drop(sender);
    Ok(())
}
