//! The terminal, taken over and given back on every way out: at the end, on an error and on a panic.

use std::io::{self, Stdout, stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste, Event, KeyEvent};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

use crate::draw::draw;
use crate::keyboard::Keyboard;
use crate::standstill::Standstill;
use crate::state::State;

/// Whether the terminal is ours right now.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Events of one look: a flood of them must not keep the screen from being drawn.
const MOST_EVENTS: usize = 200;

#[derive(Debug)]
pub(crate) struct TerminalScreen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    keyboard: Keyboard,
    standstill: Standstill,
}

/// Something that a person did.
#[derive(Debug)]
pub(crate) enum Input {
    Key(KeyEvent),
    Paste(String),
}

impl TerminalScreen {
    pub(crate) fn enter() -> io::Result<Self> {
        let keyboard = Keyboard::open()?;
        let standstill = Standstill::notice()?;
        give_back_on_panic();
        match take().and_then(|()| Terminal::new(CrosstermBackend::new(stdout()))) {
            Ok(terminal) => Ok(Self { terminal, keyboard, standstill }),
            Err(error) => {
                give_back();
                Err(error)
            }
        }
    }

    /// Gives the terminal back and stands still until the shell lets it go on.
    pub(crate) fn suspend(&mut self) -> io::Result<()> {
        if cfg!(unix) {
            give_back();
            self.standstill.stop_job()?;
            self.take_again()?;
        }
        Ok(())
    }

    fn take_again(&mut self) -> io::Result<()> {
        give_back();
        take()?;
        self.terminal.clear()
    }

    pub(crate) fn draw(&mut self, state: &mut State, now: DateTime<Utc>) -> io::Result<()> {
        if self.standstill.is_over() {
            // The shell had the terminal meanwhile, and has left it as it likes it.
            self.take_again()?;
        }
        state.set_size(self.terminal.size()?);
        state.pass_time(now);
        self.terminal.draw(|frame| draw(state, frame, now))?;
        Ok(())
    }

    /// Waits for as long as that for the first.
    pub(crate) fn inputs(&mut self, wait: Duration) -> io::Result<Vec<Input>> {
        let mut inputs = Vec::new();
        let mut wait = wait;
        while inputs.len() < MOST_EVENTS
            && let Some(event) = self.keyboard.next(wait)?
        {
            match event {
                Event::Key(key) => {
                    panic_if_tried(key);
                    inputs.push(Input::Key(key));
                }
                Event::Paste(text) => inputs.push(Input::Paste(text)),
                // The next drawing asks how large the window is.
                Event::Resize(..) | Event::FocusGained | Event::FocusLost | Event::Mouse(_) => {}
            }
            wait = Duration::ZERO;
        }
        Ok(inputs)
    }
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        give_back();
    }
}

/// The tests see to it that the terminal is given back then.
#[cfg(debug_assertions)]
fn panic_if_tried(key: KeyEvent) {
    let tried = std::env::var_os("RALPH_DASHBOARD_PANICS").is_some();
    assert!(
        !tried || key.code != ratatui::crossterm::event::KeyCode::F(12),
        "a panic was asked for"
    );
}

#[cfg(not(debug_assertions))]
fn panic_if_tried(_: KeyEvent) {}

fn take() -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste)
}

/// A panic that ends the process does not drop anything, but it calls its hook.
fn give_back_on_panic() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            give_back();
            before(info);
        }));
    });
}

/// A terminal that is gone cannot be given back, and need not be.
fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = disable_raw_mode();
        let _ = execute!(stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
    }
}
