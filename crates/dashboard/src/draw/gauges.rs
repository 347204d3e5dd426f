//! Cost, iterations, time, context, quota and tokens with their limits.

use chrono::{DateTime, Utc};
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

pub(super) fn draw(
    state: &DashboardState,
    frame: &mut Frame<'_>,
    panels: &Panels,
    now: DateTime<Utc>,
) {
    let (look, area) = (&state.look, panels.gauges);
    let left = vec![Span::styled("Spent", look.style(Role::Strong))];
    let inner = titled(look, frame, area, PanelTitle { left, ..PanelTitle::default() });
    let lines = lines(state, panels.shape, usize::from(inner.width), now);
    let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(inner.height);
    put(&state.look, frame, inner, &lines);
    let below = Rect { y: inner.y + rows, height: inner.height - rows, ..inner };
    if panels.shape == Shape::Wide && below.height > 0 {
        times(state, frame, below);
    }
}

/// The most important first.
fn lines(
    state: &DashboardState,
    shape: Shape,
    width: usize,
    now: DateTime<Utc>,
) -> Vec<Line<'static>> {
    let view = &state.view;
    let start = view.start.as_ref();
    let spent = view.cost();
    let worked = state.worked(now);
    let mut lines = Vec::new();
    let ceiling = start.and_then(|start| start.ceiling_usd);
    lines.push(match ceiling {
        Some(most) => gauge(
            state,
            width,
            "cost",
            spent.unwrap_or_default() / most,
            format!("{} of {}", cost_cell(spent), money(most)),
        ),
        None => plain(state, "cost", format!("{} (no limit)", cost_cell(spent))),
    });
    if let Some(start) = start {
        let used = view.iteration().map_or(view.iterations, |running| running.number);
        let value = format!("{used} of {}", start.max_iterations);
        let fraction = used as f64 / start.max_iterations.max(1) as f64;
        lines.push(gauge(state, width, "iterations", fraction, value));
        if let Some(most) = start.max_seconds {
            let value = format!("{} of {}", brief_duration(worked), brief_duration(most));
            lines.push(gauge(state, width, "time", worked / most, value));
        }
    }
    lines.extend(context(state, width));
    if let Some(quota) = &view.quota {
        let resets = quota.resets_at.map(|at| format!(", until {}", moment(at, now, state.offset)));
        let resets = resets.unwrap_or_default();
        lines.push(match quota.used {
            Some(used) => {
                gauge(state, width, "quota", used, format!("{:.0}%{resets}", 100.0 * used))
            }
            None => plain(state, "quota", format!("{}{resets}", shown(&quota.window))),
        });
    }
    lines.push(plain(state, "tokens", in_tokens(view.tokens, width.saturating_sub(LABEL))));
    // With a chart below, the line only has the average.
    lines.push(in_a_line(state, if shape == Shape::Wide { 0 } else { width }));
    lines
}

fn context(state: &DashboardState, width: usize) -> Option<Line<'static>> {
    let running = state.view.iteration()?;
    let used = running.context_tokens?;
    Some(match running.context_window {
        Some(window) => {
            let value = format!("{} of {}", tokens(used), tokens(window));
            gauge(state, width, "context", used as f64 / window.max(1) as f64, value)
        }
        None => plain(state, "context", tokens(used)),
    })
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

fn gauge(
    state: &DashboardState,
    width: usize,
    label: &str,
    fraction: f64,
    value: String,
) -> Line<'static> {
    let look = &state.look;
    let role = match fraction {
        0.9.. => Role::Bad,
        0.7.. => Role::Warn,
        _ => Role::Good,
    };
    // The same width for all, so that they can be compared.
    let space = width.saturating_sub(LABEL + 1 + VALUE.max(value.len())).min(30);
    let mut spans = vec![Span::styled(format!("{label:<LABEL$}"), look.style(Role::Dim))];
    if space >= 4 {
        spans.extend(bar(look, role, space, fraction));
        spans.push(Span::raw(" "));
    }
    let style = if role == Role::Good { look.style(Role::Plain) } else { look.style(role) };
    spans.push(Span::styled(value, style));
    Line::from(spans)
}

fn plain(state: &DashboardState, label: &str, value: String) -> Line<'static> {
    let label = Span::styled(format!("{label:<LABEL$}"), state.look.style(Role::Dim));
    Line::from(vec![label, Span::raw(value)])
}

/// Durations of the last iterations, one column each.
fn in_a_line(state: &DashboardState, width: usize) -> Line<'static> {
    let look = &state.look;
    let all: Vec<&IterationRecord> = ended(state).collect();
    let mean = match all.len() {
        0 => return plain(state, "times", "no iteration finished yet".into()),
        count => all.iter().map(|record| seconds(record)).sum::<f64>() / count as f64,
    };
    let value = format!("{} on average", brief_duration(mean));
    let space = width.saturating_sub(LABEL + value.len() + 1);
    let shown = &all[all.len().saturating_sub(space)..];
    let longest = shown.iter().map(|record| seconds(record)).fold(0.0, f64::max).max(0.001);
    let mut spans = vec![Span::styled(format!("{:<LABEL$}", "times"), look.style(Role::Dim))];
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
        IterationMode::Review => Role::Warn,
        IterationMode::ReviewFix => Role::Bad,
        _ => Role::Accent,
    }
}
