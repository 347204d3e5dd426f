//! Cost, iterations, time, context, quota and tokens with their limits.

use events::format::{brief_duration, cost_cell, moment, money, tokens};
use events::{IterationMode, IterationRecord, Role, TokenCount};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Sparkline, SparklineBar};

use super::panels::{Panels, Shape};
use super::{PanelTitle, bar, put, titled};
use crate::state::DashboardState;
use crate::text::shown;

/// The maximum number of lines, and of rows for iteration times below them.
pub(super) const MOST: usize = 7;
pub(super) const SPARKLINE: usize = 2;

const LABEL: usize = 11;
/// `$1.92 of $20.00`
const VALUE: usize = 16;

pub(super) fn draw(state: &DashboardState, frame: &mut Frame<'_>, panels: &Panels) {
    let (look, area) = (&state.look, panels.gauges);
    let left = vec![look.span(Role::Strong, "Spent")];
    let inner = titled(look, frame, area, PanelTitle { left, ..PanelTitle::default() });
    let lines = lines(state, panels.shape, usize::from(inner.width));
    let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(inner.height);
    put(&state.look, frame, inner, &lines);
    let below = Rect { y: inner.y + rows, height: inner.height - rows, ..inner };
    if panels.shape == Shape::Wide && below.height > 0 {
        times(state, frame, below);
    }
}

/// The label, the used fraction of a limit, and the value in words.
type Row = (&'static str, Option<f64>, String);

/// The most important first.
fn lines(state: &DashboardState, shape: Shape, width: usize) -> Vec<Line<'static>> {
    let view = &state.view;
    let (spent, worked) = (view.cost(), state.worked());
    let ceiling = view.start.as_ref().and_then(|start| start.ceiling_usd);
    let fraction = ceiling.map(|most| spent.unwrap_or_default() / most);
    let limit = ceiling.map_or(" (no limit)".to_owned(), |most| format!(" of {}", money(most)));
    let mut rows: Vec<Row> = vec![("cost", fraction, format!("{}{limit}", cost_cell(spent)))];
    if let Some(start) = &view.start {
        let used = view.iteration().map_or(view.iterations, |running| running.number);
        let fraction = used as f64 / start.max_iterations.max(1) as f64;
        rows.push(("iterations", Some(fraction), format!("{used} of {}", start.max_iterations)));
        if let Some(most) = start.max_seconds {
            let value = format!("{} of {}", brief_duration(worked), brief_duration(most));
            rows.push(("time", Some(worked / most), value));
        }
    }
    rows.extend(context(state));
    if let Some(quota) = &view.quota {
        let until = quota.resets_at.map(|at| moment(at, state.clock, state.offset));
        let until = until.map(|until| format!(", until {until}")).unwrap_or_default();
        let value = quota.used.map(|used| format!("{:.0}%", 100.0 * used));
        let value = value.unwrap_or_else(|| shown(&quota.window));
        rows.push(("quota", quota.used, format!("{value}{until}")));
    }
    rows.push(("tokens", None, in_tokens(view.tokens, width.saturating_sub(LABEL))));
    let mut lines: Vec<_> = rows.into_iter().map(|row| line(state, width, row)).collect();
    // With a chart below, the line only has the average.
    lines.push(in_a_line(state, if shape == Shape::Wide { 0 } else { width }));
    lines
}

fn context(state: &DashboardState) -> Option<Row> {
    let running = state.iteration()?;
    let (used, window) = (running.context_tokens?, running.context_window);
    let of = window.map(|window| format!(" of {}", tokens(window))).unwrap_or_default();
    let fraction = window.map(|window| used as f64 / window.max(1) as f64);
    Some(("context", fraction, format!("{}{of}", tokens(used))))
}

fn in_tokens(count: TokenCount, space: usize) -> String {
    let read = count.input.saturating_add(count.cache_read).saturating_add(count.cache_creation);
    let (read, written, cached) = (tokens(read), tokens(count.output), tokens(count.cache_read));
    if count == TokenCount::default() {
        return "unknown".into();
    }
    let all = format!("{read} in ({cached} cached), {written} out");
    if all.len() <= space { all } else { format!("{read} in, {written} out") }
}

/// With a bar if there is a limit.
fn line(state: &DashboardState, width: usize, (label, fraction, value): Row) -> Line<'static> {
    let look = &state.look;
    let mut spans = vec![look.span(Role::Dim, format!("{label:<LABEL$}"))];
    let role = match fraction {
        None => Role::Plain,
        Some(0.9..) => Role::Bad,
        Some(0.7..) => Role::Warn,
        Some(_) => Role::Good,
    };
    // The same width for all, so that they can be compared.
    let space = width.saturating_sub(LABEL + 1 + VALUE.max(value.len())).min(30);
    if let Some(fraction) = fraction.filter(|_| space >= 4) {
        spans.extend(bar(look, role, space, fraction));
        spans.push(Span::raw(" "));
    }
    spans.push(look.span(if role == Role::Good { Role::Plain } else { role }, value));
    Line::from(spans)
}

/// Durations of the last iterations, one column each.
fn in_a_line(state: &DashboardState, width: usize) -> Line<'static> {
    let look = &state.look;
    let all: Vec<&IterationRecord> = ended(state).collect();
    let mean = match all.len() {
        0 => return line(state, width, ("times", None, "no iteration finished yet".into())),
        count => all.iter().map(|record| seconds(record)).sum::<f64>() / count as f64,
    };
    let value = format!("{} on average", brief_duration(mean));
    let space = width.saturating_sub(LABEL + value.len() + 1);
    let shown = &all[all.len().saturating_sub(space)..];
    let longest = shown.iter().map(|record| seconds(record)).fold(0.0, f64::max).max(0.001);
    let mut spans = vec![look.span(Role::Dim, format!("{:<LABEL$}", "times"))];
    for record in shown {
        let bars = &look.signs.bars;
        let steps = [
            bars.one_eighth,
            bars.one_quarter,
            bars.three_eighths,
            bars.half,
            bars.five_eighths,
            bars.three_quarters,
            bars.seven_eighths,
            bars.full,
        ];
        let step = (seconds(record) / longest * 8.0).ceil() as usize;
        let style = look.style(mode_role(record.mode));
        spans.push(Span::styled(steps[step.clamp(1, 8) - 1], style));
    }
    if !shown.is_empty() {
        spans.push(Span::raw(" "));
    }
    spans.push(Span::raw(value));
    Line::from(spans)
}

fn times(state: &DashboardState, frame: &mut Frame<'_>, area: Rect) {
    let look = &state.look;
    let space = usize::from(area.width);
    let all: Vec<&IterationRecord> = ended(state).collect();
    let shown = &all[all.len().saturating_sub(space)..];
    let bars = shown.iter().map(|record| {
        let tenths = (seconds(record) * 10.0) as u64;
        SparklineBar::from(tenths).style(look.style(mode_role(record.mode)))
    });
    let bars: Vec<SparklineBar> = bars.collect();
    frame.render_widget(Sparkline::default().bar_set(look.signs.bars.clone()).data(bars), area);
}

fn ended(state: &DashboardState) -> impl Iterator<Item = &IterationRecord> {
    state.view.records.iter().filter(|record| record.is_over())
}

fn seconds(record: &IterationRecord) -> f64 {
    record.end.as_ref().map_or(0.0, |end| end.seconds.max(0.0))
}

fn mode_role(mode: IterationMode) -> Role {
    match mode {
        IterationMode::Review | IterationMode::FinalReview => Role::Warn,
        IterationMode::ReviewFix => Role::Bad,
        IterationMode::Specify => Role::Good,
        _ => Role::Accent,
    }
}
