//! The current iteration: the agent's stream, and checks without a panel.

use events::Role;
use events::format::span;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::panels::Panels;
use super::{PanelTitle, checks, dotted, lanes, put, titled};
use crate::search::Search;
use crate::state::{DashboardState, Focus};
use crate::stream::{Begins, StreamLine};
use crate::text::shown;

pub(super) fn draw(state: &DashboardState, frame: &mut Frame<'_>, panels: &Panels) {
    let title = PanelTitle {
        left: title(state),
        right: scroll_position(state),
        has_focus: state.focus == Focus::Stream,
    };
    titled(&state.look, frame, panels.now, title);
    put(&state.look, frame, panels.stream, &rows(state, panels.stream));
    if panels.checks.is_none() && panels.now.height > 2 {
        let last = Rect { y: panels.now.bottom() - 1, height: 1, ..panels.now };
        put(&state.look, frame, last, &[checks::in_a_line(state)]);
    }
}

fn title(state: &DashboardState) -> Vec<Span<'static>> {
    let (look, view) = (&state.look, &state.view);
    let strong = look.style(Role::Strong);
    let plain = look.style(Role::Plain);
    let when = if state.is_dead() { "Last" } else { "Now" };
    if let Some(lane) = state.shown_lane_view().filter(|_| view.end.is_none()) {
        return lanes::parts(state, lane, format!("{when}: lane {}", lane.number));
    }
    let parts = match view.iteration() {
        Some(iteration) => {
            let mut parts = vec![
                (strong, format!("{when}: iteration {}", iteration.number)),
                (look.style(Role::Accent), iteration.mode.to_string()),
                (plain, span(state.now() - iteration.started_at)),
            ];
            if let Some(todo) = &iteration.todo {
                parts.push((plain, format!("todo {}/{}", todo.done, todo.of)));
            }
            let story = iteration.story.as_ref().map(ToString::to_string);
            parts.push((plain, story.unwrap_or_else(|| shown(&iteration.title))));
            parts
        }
        None if view.end.is_some() => vec![(strong, "Stream".to_owned())],
        None => match (&view.quality_of, view.compaction()) {
            (Some(story), _) => vec![(strong, format!("{when}: quality check of {story}"))],
            (None, Some(_)) => vec![(strong, format!("{when}: compacting handoffs"))],
            (None, None) => vec![(strong, format!("{when}: between iterations"))],
        },
    };
    dotted(look, parts)
}

/// And the search.
fn scroll_position(state: &DashboardState) -> Vec<Span<'static>> {
    let warn = state.look.style(Role::Warn);
    let mut text = String::new();
    if let Some(at) = state.scroll.stream {
        let below = state.stream().end().saturating_sub(at + 1);
        text = format!(" {below} lines below, press G for the end ");
    }
    if let Some(search) = &state.search {
        text.push_str(&format!(" /{} ", shown(&search.wanted)));
    }
    if text.is_empty() { Vec::new() } else { vec![Span::styled(text, warn)] }
}

fn rows(state: &DashboardState, area: Rect) -> Vec<Line<'static>> {
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let stream = state.stream();
    let last = state.scroll.stream.unwrap_or(stream.end().saturating_sub(1));
    // From the last line upwards, so that only visible lines are wrapped.
    let mut rows: Vec<Line<'static>> = Vec::new();
    let mut number = last.min(stream.end().saturating_sub(1));
    while rows.len() < height {
        let Some(line) = stream.line(number) else {
            if stream.dropped > 0 {
                let text = format!("({} older lines in session.log)", stream.dropped);
                rows.push(state.look.line(Role::Dim, text));
            }
            break;
        };
        rows.extend(wrapped_lines(state, line, width).into_iter().rev());
        let Some(before) = number.checked_sub(1) else { break };
        number = before;
    }
    rows.truncate(height);
    rows.reverse();
    rows
}

fn wrapped_lines(state: &DashboardState, line: &StreamLine, width: usize) -> Vec<Line<'static>> {
    let look = &state.look;
    let style = look.style(line.role);
    let lead = |first: bool| {
        let sign = match (first, line.begins) {
            (true, Begins::Step) => look.signs.arrow,
            (true, Begins::Answer) => look.signs.answer,
            _ => " ",
        };
        let indent = usize::from(line.indent);
        if indent == 0 { String::new() } else { format!("{sign:>0$} ", indent - 1) }
    };
    let rows = line.rows(width).into_iter().enumerate();
    rows.map(|(at, text)| {
        let mut spans = vec![look.span(Role::Dim, lead(at == 0))];
        spans.extend(highlighted(text, state.search.as_ref(), style, look.badge(Role::Warn)));
        Line::from(spans)
    })
    .collect()
}

fn highlighted(
    text: &str,
    search: Option<&Search>,
    style: ratatui::style::Style,
    found: ratatui::style::Style,
) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    let mut from = 0;
    for place in search.map(|search| search.all_in(text)).unwrap_or_default() {
        spans.push(Span::styled(text[from..place.start].to_owned(), style));
        spans.push(Span::styled(text[place.clone()].to_owned(), found));
        from = place.end;
    }
    spans.push(Span::styled(text[from..].to_owned(), style));
    spans
}
