//! The dashboard of a run in the same process, on its own thread.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use chrono::FixedOffset;
use events::{Role, Stamped};
use project::Layout;

use crate::look::Look;
use crate::state::{DashboardMode, DashboardState, Effect};
use crate::terminal_screen::TerminalScreen;
use crate::watch::give;

const TICK: Duration = Duration::from_millis(50);
/// Events are applied for at most this time before the next frame.
const SLICE: Duration = Duration::from_millis(30);

/// Printed on the normal screen after the user left.
const CONTINUES: &str =
    "The loop continues with plain output. Reopen the dashboard with: ralph-loop watch\n";

#[derive(Debug)]
enum Message {
    Event(Box<Stamped>),
    /// The effect of a signal.
    Stopping(String),
}

/// Dropping it restores the terminal.
#[derive(Debug)]
pub struct Live {
    sender: Sender<Message>,
    /// Whether it still uses the terminal.
    is_on: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Live {
    /// `interrupted` handles Ctrl-C and returns its effect.
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
        let thread_state = DashboardThread {
            state: DashboardState::new(look, offset, DashboardMode::Running),
            layout,
            messages,
        };
        let thread = std::thread::Builder::new().name("dashboard".into()).spawn(move || {
            // A failed terminal cannot show an error; the run continues with plain lines.
            let left = thread_state.run(screen, &flag, &interrupted);
            if let Ok(true) = left {
                let _ = io::stdout().write_all(CONTINUES.as_bytes());
            }
            flag.store(false, Ordering::SeqCst);
        })?;
        Ok(Self { sender, is_on, thread: Some(thread) })
    }

    /// Does nothing after the user left or the terminal failed.
    pub fn is_on(&self) -> bool {
        let ended = self.thread.as_ref().is_none_or(JoinHandle::is_finished);
        self.is_on.load(Ordering::SeqCst) && !ended
    }

    pub fn event(&self, stamped: &Stamped) {
        // The user left: the reporter prints lines.
        let _ = self.sender.send(Message::Event(Box::new(stamped.clone())));
    }

    /// Restores the terminal, if necessary.
    pub fn close(&mut self) {
        self.is_on.store(false, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }

    /// For the signal thread: shows the effect of a signal; returns false after the dashboard was closed.
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

struct DashboardThread {
    state: DashboardState,
    layout: Layout,
    messages: Receiver<Message>,
}

impl DashboardThread {
    /// Runs until the user leaves or the run ends; returns whether the user left.
    fn run(
        mut self,
        mut screen: TerminalScreen,
        is_on: &AtomicBool,
        interrupted: &dyn Fn() -> String,
    ) -> io::Result<bool> {
        while is_on.load(Ordering::SeqCst) {
            self.apply_messages();
            screen.draw(&mut self.state)?;
            for input in screen.inputs(TICK)? {
                match self.state.input(input) {
                    None | Some(Effect::ToNewerRun) => {}
                    Some(Effect::Leave) => return Ok(true),
                    Some(Effect::Suspend) => screen.suspend()?,
                    Some(Effect::Interrupt) => self.stopping(interrupted()),
                    Some(Effect::Order(order)) => {
                        let run = self.state.view.id.clone();
                        give(&mut self.state, &self.layout, &run, &order);
                    }
                }
            }
        }
        Ok(false)
    }

    fn stopping(&mut self, text: String) {
        self.state.view.stopping = true;
        self.state.set_notice(Role::Warn, text);
    }

    fn apply_messages(&mut self) {
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
