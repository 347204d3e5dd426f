//! States and screens for tests.

use chrono::Utc;
use events::samples::at;
use events::{RunState, Stamped};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Size;
use unicode_width::UnicodeWidthStr;

use crate::look::{Look, Signs};
use crate::state::{DashboardMode, DashboardState, Effect};

pub(crate) const PLAIN: Look = Look { coloured: false, signs: Signs::UNICODE };

pub(crate) fn state_of(events: &[Stamped]) -> DashboardState {
    let mut state = DashboardState::new(PLAIN, chrono::Offset::fix(&Utc), DashboardMode::Watching);
    events.iter().for_each(|stamped| state.apply(stamped));
    state.run_state = Some(RunState::Running);
    state
}

pub(crate) fn buffer(state: &DashboardState, size: (u16, u16)) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
    terminal.draw(|frame| crate::draw::draw(state, frame)).unwrap();
    terminal.backend().buffer().clone()
}

/// The screen a minute after the last event.
pub(crate) fn screen(state: &mut DashboardState, size: (u16, u16)) -> String {
    state.size = Size::new(size.0, size.1);
    let last = state.view.last_event.unwrap_or(at(0));
    state.clock = last + chrono::TimeDelta::seconds(60);
    let buffer = buffer(state, size);
    let mut text = String::new();
    for y in 0..size.1 {
        let mut row = String::new();
        let mut x = 0;
        while x < size.0 {
            let symbol = buffer[(x, y)].symbol();
            row.push_str(symbol);
            x += u16::try_from(symbol.width().max(1)).unwrap();
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

pub(crate) fn press(state: &mut DashboardState, keys: &[KeyCode]) -> Option<Effect> {
    let mut last = None;
    for &code in keys {
        last = state.key(KeyEvent::new(code, KeyModifiers::NONE));
    }
    last
}

pub(crate) fn types(state: &mut DashboardState, text: &str) -> Option<Effect> {
    let keys: Vec<KeyCode> = text.chars().map(KeyCode::Char).collect();
    press(state, &keys)
}
