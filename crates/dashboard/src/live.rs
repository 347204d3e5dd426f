//! The dashboard of a run in this very process: fed by its events, on a thread of its own.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use chrono::FixedOffset;
use engine::Stamped;
use events::Role;
use project::Layout;

use crate::look::Look;
use crate::state::{Effect, Part, State};
use crate::terminal_screen::{Input, TerminalScreen};
use crate::watch::give;

const TICK: Duration = Duration::from_millis(50);
/// Events are folded for as long as that before something is drawn.
const SLICE: Duration = Duration::from_millis(30);

/// On the normal screen, until the next event has something to say.
const GOES_ON: &str = "The loop goes on, line by line. The dashboard again: ralph-loop watch\n";

#[derive(Debug)]
enum Message {
    Event(Box<Stamped>),
    /// A signal came, and this is what it does.
    Stopping(String),
}

/// Dropping it gives the terminal back.
#[derive(Debug)]
pub struct Live {
    sender: Sender<Message>,
    /// The terminal is still its own.
    is_on: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Live {
    /// `interrupted` does what Ctrl-C does, and says so.
    pub fn open(
        layout: Layout,
        look: Look,
        offset: FixedOffset,
        interrupted: impl Fn() -> String + Send + 'static,
    ) -> io::Result<Self> {
        let screen = TerminalScreen::enter()?;
        let (sender, messages) = channel();
        let is_on = Arc::new(AtomicBool::new(true));
        let flag = Arc::clone(&is_on);
        let show = Show { state: State::new(look, offset, Part::Runs), layout, messages };
        let thread = std::thread::Builder::new().name("dashboard".into()).spawn(move || {
            // Of a terminal that fails nobody can be told; the run goes on with ordinary lines.
            let left = show.run(screen, &flag, &interrupted);
            if let Ok(Left::ByKey) = left {
                let _ = io::stdout().write_all(GOES_ON.as_bytes());
            }
            flag.store(false, Ordering::SeqCst);
        })?;
        Ok(Self { sender, is_on, thread: Some(thread) })
    }

    /// Whoever left, or a terminal that failed, hears nothing more.
    pub fn is_on(&self) -> bool {
        let ended = self.thread.as_ref().is_none_or(JoinHandle::is_finished);
        self.is_on.load(Ordering::SeqCst) && !ended
    }

    pub fn event(&self, stamped: &Stamped) {
        // Somebody left: the events go to the lines.
        let _ = self.sender.send(Message::Event(Box::new(stamped.clone())));
    }

    /// Gives the terminal back, if it has not been.
    pub fn close(&mut self) {
        self.is_on.store(false, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }

    /// For another thread that hears signals and says what they do; `false` if nobody is there to read it.
    pub fn stopping(&self) -> impl Fn(String) -> bool + Send + use<> {
        let (sender, is_on) = (self.sender.clone(), Arc::clone(&self.is_on));
        move |text| is_on.load(Ordering::SeqCst) && sender.send(Message::Stopping(text)).is_ok()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.close();
    }
}

/// Who ended the show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    ByKey,
    AtTheEnd,
}

struct Show {
    state: State,
    layout: Layout,
    messages: Receiver<Message>,
}

impl Show {
    /// Until somebody leaves, or the run is over.
    fn run(
        mut self,
        mut screen: TerminalScreen,
        is_on: &AtomicBool,
        interrupted: &dyn Fn() -> String,
    ) -> io::Result<Left> {
        while is_on.load(Ordering::SeqCst) {
            self.fold();
            screen.draw(&mut self.state, engine::now())?;
            for input in screen.inputs(TICK)? {
                let effect = match input {
                    Input::Key(key) => self.state.key(key),
                    Input::Paste(text) => {
                        self.state.paste(&text);
                        None
                    }
                };
                match effect {
                    None | Some(Effect::ToNewerRun) => {}
                    Some(Effect::Leave) => return Ok(Left::ByKey),
                    Some(Effect::Suspend) => screen.suspend()?,
                    Some(Effect::Interrupt) => self.stopping(interrupted()),
                    Some(Effect::Order(order)) => {
                        let run = self.state.history.view.id.clone();
                        give(&mut self.state, &self.layout, &run, &order);
                    }
                }
            }
        }
        Ok(Left::AtTheEnd)
    }

    fn stopping(&mut self, text: String) {
        self.state.asked_to_stop();
        self.state.say(Role::Warn, text);
    }

    fn fold(&mut self) {
        let began = Instant::now();
        while began.elapsed() < SLICE {
            match self.messages.try_recv() {
                Ok(Message::Event(stamped)) => self.state.apply(&stamped),
                Ok(Message::Stopping(text)) => self.stopping(text),
                Err(_) => return,
            }
        }
    }
}
