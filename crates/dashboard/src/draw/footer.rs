//! The bottom line: text input, a notice, or the available keys.

use events::{Pause, Role};
use project::orders::Order;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};
use unicode_width::UnicodeWidthStr;

use super::put;
use crate::line_editor::LineEditor;
use crate::order_text::order_text;
use crate::state::{DashboardState, Notice, Prompt, Wanted};
use crate::text::{cut, shown};

pub(super) fn draw(state: &DashboardState, frame: &mut Frame<'_>, area: Rect) {
    if area.height == 0 {
        return;
    }
    let look = &state.look;
    match &state.prompt {
        Prompt::Line(Wanted::Search, line) => typed(state, frame, area, "search: ", line),
        Prompt::Line(Wanted::Instruction, line) => {
            typed(state, frame, area, "instruction for the next session: ", line)
        }
        Prompt::Confirm(order) => {
            let text = match order {
                Order::Stop if state.view.stopping => {
                    "Already stopping. Kill the agent? y/n".to_owned()
                }
                _ => format!("Confirm: {}? y/n", order_text(order)),
            };
            put(&state.look, frame, area, &[Line::styled(text, look.badge(Role::Warn))]);
        }
        Prompt::Nothing | Prompt::Help => match &state.notice {
            Some(notice) => put(&state.look, frame, area, &[notice_line(state, notice, area)]),
            None => put(&state.look, frame, area, &[keys(state, usize::from(area.width))]),
        },
    }
}

fn typed(
    state: &DashboardState,
    frame: &mut Frame<'_>,
    area: Rect,
    label: &str,
    line: &LineEditor,
) {
    let space = usize::from(area.width).saturating_sub(label.width() + 1);
    let (seen, cursor) = line.seen(space);
    let spans = vec![state.look.span(Role::Accent, label.to_owned()), Span::raw(seen)];
    put(&state.look, frame, area, &[Line::from(spans)]);
    if let Some(notice) = &state.notice
        && area.y > 0
    {
        let above = Rect { y: area.y - 1, ..area };
        Clear.render(above, frame.buffer_mut());
        put(&state.look, frame, above, &[notice_line(state, notice, above)]);
    }
    let column = u16::try_from(label.width() + cursor).unwrap_or(u16::MAX);
    let x = area.x.saturating_add(column).min(area.right().saturating_sub(1));
    frame.set_cursor_position(Position::new(x, area.y));
}

fn notice_line(state: &DashboardState, notice: &Notice, area: Rect) -> Line<'static> {
    let look = &state.look;
    let text = shown(&notice.text);
    let text = cut(&text, usize::from(area.width), look.signs.ellipsis).into_owned();
    look.line(notice.role, text)
}

/// As many keys as fit.
fn keys(state: &DashboardState, width: usize) -> Line<'static> {
    let look = &state.look;
    let mut keys: Vec<(&str, String)> = Vec::new();
    if let Some(newer) = &state.newer {
        keys.push(("r", format!("open the new run {}", shown(newer))));
    }
    keys.push(("q", "leave".into()));
    keys.push(("?", "keys".into()));
    if let Some(replay) = state.replay() {
        let how = match (replay.is_over(), replay.is_going()) {
            (true, _) => "restart",
            (false, true) => "pause",
            (false, false) => "play",
        };
        keys.push(("Space", how.into()));
        keys.push(("+/-", format!("x{}", replay.speed)));
        let arrows = if look.signs.rule == "-" { "Left/Right" } else { "←/→" };
        keys.push((arrows, "iteration".into()));
    } else if state.accepts_orders() {
        let pause = if state.view.pending_orders.pause == Pause::No { "pause" } else { "resume" };
        keys.push(("p", pause.into()));
        if state.has_stories() {
            keys.push(("s", "skip".into()));
        }
        keys.extend([("x", "stop".into()), ("t", "steer".into())]);
    }
    if !state.view.lanes.is_empty() {
        keys.push(("[ ]", "lane".into()));
    }
    keys.extend([("/", "search".into()), ("Tab", "panel".into()), ("PgUp/PgDn", "scroll".into())]);
    let mut spans = Vec::new();
    let mut used = 0;
    for (key, does) in keys {
        used += key.width() + does.width() + 3;
        // The last key needs no gap.
        if used > width + 2 {
            break;
        }
        if !spans.is_empty() {
            spans.push(Span::raw("  "));
        }
        spans.push(look.span(Role::Accent, key.to_owned()));
        spans.push(look.span(Role::Dim, format!(" {does}")));
    }
    Line::from(spans)
}
