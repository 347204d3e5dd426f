//! The help: all keys.

use events::Role;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::put;
use crate::keys::{KEYS, When};
use crate::state::DashboardState;
use crate::text::{cut, padded};

const KEY: usize = 16;
const WIDEST: u16 = 76;

pub(super) fn draw(state: &DashboardState, frame: &mut Frame<'_>) {
    let look = &state.look;
    let area = frame.area();
    let width = area.width.min(WIDEST);
    let inside = usize::from(width.saturating_sub(2));
    let mut all_rows = rows(state, inside);
    all_rows.truncate(usize::from(area.height.saturating_sub(4)));
    let height = u16::try_from(all_rows.len() + 4).unwrap_or(u16::MAX).min(area.height);
    let window = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    Clear.render(window, frame.buffer_mut());
    let [top_left, top_right, low_left, low_right, across, down] = look.signs.frame;
    let rule =
        |left: &str, right: &str| Line::raw(format!("{left}{}{right}", across.repeat(inside)));
    let mut lines = vec![rule(top_left, top_right)];
    let row = |spans: Vec<Span<'static>>| {
        let used: usize = spans.iter().map(Span::width).sum();
        let mut all = vec![Span::raw(down)];
        all.extend(spans);
        all.push(Span::raw(" ".repeat(inside.saturating_sub(used))));
        all.push(Span::raw(down));
        Line::from(all)
    };
    lines.extend(all_rows.into_iter().map(row));
    lines.push(row(Vec::new()));
    let back = padded(" press any key to close", inside, look.signs.ellipsis);
    lines.push(row(vec![look.span(Role::Dim, back)]));
    lines.push(rule(low_left, low_right));
    put(&state.look, frame, window, &lines);
}

/// Within `inside` columns.
fn rows(state: &DashboardState, inside: usize) -> Vec<Vec<Span<'static>>> {
    let look = &state.look;
    let mut rows = Vec::new();
    for &(mut keys, _, does) in KEYS.iter().filter(|(_, when, _)| is_of_use(state, *when)) {
        for does in sanitize::wrapped(does, inside.saturating_sub(KEY + 2).max(1)) {
            let keys = format!(" {:<KEY$}", std::mem::take(&mut keys));
            let keys = cut(&keys, inside, look.signs.ellipsis).into_owned();
            let does = cut(does, inside.saturating_sub(KEY + 1), look.signs.ellipsis).into_owned();
            rows.push(vec![look.span(Role::Accent, keys), Span::raw(does)]);
        }
    }
    rows
}

fn is_of_use(state: &DashboardState, when: When) -> bool {
    match when {
        When::Always => true,
        When::Live => state.accepts_orders(),
        When::Replay => state.replay().is_some(),
        When::Lanes => !state.view.lanes.is_empty(),
    }
}
