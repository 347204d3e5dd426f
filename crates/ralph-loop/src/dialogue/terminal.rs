//! A dialogue on the terminal that this program was started from.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::{Silence, Talk};

/// Lines and Ctrl-C come by one channel: a read that blocks cannot hear a signal.
#[derive(Debug)]
pub(crate) struct Terminal {
    heard: Receiver<Result<String, Silence>>,
    teller: Sender<Result<String, Silence>>,
}

impl Terminal {
    /// `None` where nobody sits: standard input or output is no terminal. From here on, Ctrl-C is an
    /// answer like any other and no longer ends the program by itself, also not between two of the
    /// files that are written once everything is answered.
    pub(crate) fn open() -> io::Result<Option<Self>> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Ok(None);
        }
        let (teller, heard) = channel();
        hear_interrupts(teller.clone())?;
        Ok(Some(Self { heard, teller }))
    }
}

impl Talk for Terminal {
    fn say(&mut self, text: &str) -> Result<(), Silence> {
        let mut out = io::stdout();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Silence::Failed)
    }

    fn ask(&mut self, question: &str) -> Result<String, Silence> {
        self.say(question)?;
        let teller = self.teller.clone();
        // A reader for each question: none takes what is typed after the last one.
        std::thread::spawn(move || teller.send(line()));
        self.heard.recv().unwrap_or(Err(Silence::End))
    }
}

/// A line that does not end with Enter was cut off, and is no answer.
fn line() -> Result<String, Silence> {
    let mut line = String::new();
    io::stdin().read_line(&mut line).map_err(Silence::Failed)?;
    match line.strip_suffix('\n') {
        Some(line) => Ok(line.to_owned()),
        None => Err(Silence::End),
    }
}

#[cfg(unix)]
fn hear_interrupts(teller: Sender<Result<String, Silence>>) -> io::Result<()> {
    let mut signals = signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT])?;
    std::thread::spawn(move || {
        for _ in &mut signals {
            // The dialogue may be over.
            let _ = teller.send(Err(Silence::Interrupted));
        }
    });
    Ok(())
}

/// The system ends the program, and nothing has been written yet.
#[cfg(not(unix))]
fn hear_interrupts(_: Sender<Result<String, Silence>>) -> io::Result<()> {
    Ok(())
}
