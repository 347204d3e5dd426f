//! The log panel, newest entry last.

use events::Role;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{PanelTitle, put, titled};
use crate::log::LogEntry;
use crate::state::{DashboardState, Focus};
use crate::text::cut;

pub(super) fn draw(state: &DashboardState, frame: &mut Frame<'_>, area: Rect) {
    let look = &state.look;
    let entries = &state.log;
    let left = vec![look.span(Role::Strong, "Log")];
    let last = state.scroll.log.unwrap_or(entries.len().saturating_sub(1));
    let below = entries.len().saturating_sub(last + 1);
    let right = match below {
        0 => Vec::new(),
        below => vec![look.span(Role::Warn, format!(" {below} below "))],
    };
    let has_focus = state.focus == Focus::Log;
    let inner = titled(look, frame, area, PanelTitle { left, right, has_focus });
    let end = (last + 1).min(entries.len());
    let first = end.saturating_sub(usize::from(inner.height));
    let rows: Vec<Line<'_>> = entries[first..end]
        .iter()
        .map(|entry| row(state, entry, usize::from(inner.width)))
        .collect();
    if rows.is_empty() {
        put(&state.look, frame, inner, &[look.line(Role::Dim, "no entries yet")]);
    }
    put(&state.look, frame, inner, &rows);
}

fn row(state: &DashboardState, entry: &LogEntry, width: usize) -> Line<'static> {
    let look = &state.look;
    let time = entry.at.with_timezone(&state.offset).format("%H:%M").to_string();
    let number = entry.iteration.map(|number| format!("#{number} ")).unwrap_or_default();
    let used = time.len() + 1 + number.len();
    let text = cut(&entry.text, width.saturating_sub(used), look.signs.ellipsis).into_owned();
    Line::from(vec![look.span(Role::Dim, format!("{time} {number}")), look.span(entry.role, text)])
}
