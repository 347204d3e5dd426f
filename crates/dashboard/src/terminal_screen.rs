//! Takes over the terminal, and restores it at the end, on an error and on a panic.

use std::io::{self, Stdout, stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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
use crate::state::DashboardState;
use crate::suspend::Suspension;

/// Whether the terminal is taken over.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Limit of input events per frame, so that a flood of them does not block drawing.
const MOST_EVENTS: usize = 200;

#[derive(Debug)]
pub(crate) struct TerminalScreen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    keyboard: Keyboard,
    suspension: Suspension,
}

impl TerminalScreen {
    pub(crate) fn enter() -> io::Result<Self> {
        let keyboard = Keyboard::open()?;
        let suspension = Suspension::notice()?;
        restore_on_panic();
        match take().and_then(|()| Terminal::new(CrosstermBackend::new(stdout()))) {
            Ok(terminal) => Ok(Self { terminal, keyboard, suspension }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }

    /// Restores the terminal and suspends the process until the shell continues it.
    pub(crate) fn suspend(&mut self) -> io::Result<()> {
        if cfg!(unix) {
            restore();
            self.suspension.stop_job()?;
            self.take_again()?;
        }
        Ok(())
    }

    fn take_again(&mut self) -> io::Result<()> {
        restore();
        take()?;
        self.terminal.clear()
    }

    pub(crate) fn draw(&mut self, state: &mut DashboardState) -> io::Result<()> {
        if self.suspension.is_over() {
            // The shell may have changed the terminal meanwhile.
            self.take_again()?;
        }
        state.size = self.terminal.size()?;
        state.pass_time(events::now());
        self.terminal.draw(|frame| draw(state, frame))?;
        Ok(())
    }

    /// Waits up to the timeout for the first event.
    pub(crate) fn inputs(&mut self, mut wait: Duration) -> io::Result<Vec<Event>> {
        let mut inputs = Vec::new();
        while inputs.len() < MOST_EVENTS
            && let Some(event) = self.keyboard.next(wait)?
        {
            if let Event::Key(key) = event {
                panic_if_requested(key);
            }
            inputs.push(event);
            wait = Duration::ZERO;
        }
        Ok(inputs)
    }
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        restore();
    }
}

/// Lets tests check that a panic restores the terminal.
#[cfg(debug_assertions)]
fn panic_if_requested(key: KeyEvent) {
    let requested = std::env::var_os("RALPH_DASHBOARD_PANICS").is_some();
    assert!(
        !requested || key.code != ratatui::crossterm::event::KeyCode::F(12),
        "panic requested by a test"
    );
}

#[cfg(not(debug_assertions))]
fn panic_if_requested(_: KeyEvent) {}

fn take() -> io::Result<()> {
    TAKEN.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste)
}

/// An aborting panic drops nothing, but calls the panic hook.
fn restore_on_panic() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            restore();
            before(info);
        }));
    });
}

/// Errors are ignored: a closed terminal needs no restoring.
fn restore() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = disable_raw_mode();
        let _ = execute!(stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
    }
}
