//! Draws the state into a buffer.

mod checks;
mod footer;
mod gauges;
mod header;
mod help;
mod lanes;
mod log;
mod now;
mod panels;
mod proof;
mod small;
mod stories;

use events::Role;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

pub(crate) use panels::panels;

use crate::look::Look;
use crate::state::{DashboardState, Prompt};
use panels::{Panels, Shape};

pub(crate) fn draw(state: &DashboardState, frame: &mut Frame<'_>) {
    let panels = Panels::of(frame.area(), state);
    header::draw(state, frame, panels.header);
    match panels.shape {
        Shape::Small => small::draw(state, frame, panels.now),
        Shape::Stacked | Shape::Wide => {
            stories::draw(state, frame, panels.stories);
            lanes::draw(state, frame, panels.lanes);
            now::draw(state, frame, &panels);
            if let Some(area) = panels.checks {
                checks::draw(state, frame, area);
            }
            gauges::draw(state, frame, &panels);
            log::draw(state, frame, panels.log);
        }
    }
    footer::draw(state, frame, panels.footer);
    if state.prompt == Prompt::Help {
        help::draw(state, frame);
    }
}

/// Draws as many lines as fit.
fn put(look: &Look, frame: &mut Frame<'_>, area: Rect, lines: &[Line<'_>]) {
    for (line, y) in lines.iter().zip(area.top()..area.bottom()) {
        put_line(look, frame.buffer_mut(), Rect { y, height: 1, ..area }, line);
    }
}

/// Marks a cut line.
fn put_line(look: &Look, buffer: &mut Buffer, area: Rect, line: &Line<'_>) {
    let (end, _) = buffer.set_line(area.x, area.y, line, area.width);
    if line.width() > usize::from(area.width) && area.width > 1 {
        // The last character may have two columns.
        let last = area.right() - 1;
        for x in last.saturating_sub(1)..last {
            if buffer[(x, area.y)].symbol().width() > 1 {
                buffer[(x, area.y)].set_symbol(" ");
            }
        }
        buffer[(last.min(end), area.y)].set_symbol(look.signs.ellipsis);
    }
}

#[derive(Default)]
struct PanelTitle<'t> {
    left: Vec<Span<'t>>,
    right: Vec<Span<'t>>,
    has_focus: bool,
}

/// Draws a rule with the title of a panel; returns the area below.
fn titled(look: &Look, frame: &mut Frame<'_>, area: Rect, title: PanelTitle<'_>) -> Rect {
    if area.height == 0 || area.width == 0 {
        return area;
    }
    let PanelTitle { left, right, has_focus } = title;
    let style = look.style(if has_focus { Role::Accent } else { Role::Dim });
    let rule = look.signs.rule.repeat(usize::from(area.width));
    let head = if has_focus { look.signs.running } else { look.signs.rule };
    let buffer = frame.buffer_mut();
    buffer.set_stringn(area.x, area.y, rule, usize::from(area.width), style);
    let mut line = vec![Span::styled(head, style), Span::raw(" ")];
    line.extend(left);
    line.push(Span::raw(" "));
    let right = Line::from(right);
    let space = area.width.saturating_sub(u16::try_from(right.width()).unwrap_or(u16::MAX));
    if right.width() > 0 && space >= area.width / 3 {
        put_line(look, buffer, Rect { width: space, ..area }, &Line::from(line));
        buffer.set_line(area.x + space, area.y, &right, area.width - space);
    } else {
        put_line(look, buffer, area, &Line::from(line));
    }
    Rect { y: area.y + 1, height: area.height - 1, ..area }
}

/// `parts` with a dot between them.
fn dotted(look: &Look, parts: Vec<(Style, String)>) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    for (style, text) in parts {
        if !spans.is_empty() {
            spans.push(look.span(Role::Dim, format!(" {} ", look.signs.dot)));
        }
        spans.push(Span::styled(text, style));
    }
    spans
}

/// A bar of `width` columns.
fn bar(look: &Look, role: Role, width: usize, fraction: f64) -> [Span<'static>; 2] {
    let fraction = if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.0 };
    let mut full = (fraction * width as f64).round() as usize;
    // Small fractions are not empty, and large ones are not full.
    if fraction > 0.0 {
        full = full.max(1);
    }
    if fraction < 1.0 {
        full = full.min(width.saturating_sub(1));
    }
    let [on, off] = look.signs.bar;
    let full = full.min(width);
    [look.span(role, on.repeat(full)), look.span(Role::Dim, off.repeat(width - full))]
}

#[cfg(test)]
mod tests;
