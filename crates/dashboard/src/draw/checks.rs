//! The checks of this iteration, or of the last one with checks.

use events::format::{check_failure, duration, span};
use events::{CheckRecord, Role};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{PanelTitle, proof, put, titled};
use crate::state::DashboardState;
use crate::text::{cut, shown};

impl DashboardState {
    /// The number of lines of the panel.
    pub(crate) fn checks_shown(&self) -> usize {
        let running = self.view.check_in(self.shown_lane());
        let (_, checks) = latest(self);
        (checks.len() + usize::from(running.is_some())).max(1)
    }
}

/// What was checked in the shown lane: an iteration, or a merge without number.
fn latest(state: &DashboardState) -> (Option<u64>, &[CheckRecord]) {
    let (view, lane) = (&state.view, state.shown_lane());
    if let Some(merge) = view.merging().filter(|merge| merge.lane == lane) {
        return (None, &merge.checks);
    }
    let runs_one = state.iteration().is_some_and(|now| now.gate.is_some());
    let mut records = view.records.iter().rev().filter(|record| record.lane == lane);
    let record =
        records.find(|record| !record.checks.is_empty() || (runs_one && !record.is_over()));
    record.map_or((None, &[]), |record| (Some(record.number), &record.checks))
}

pub(super) fn draw(state: &DashboardState, frame: &mut Frame<'_>, area: Rect) {
    let look = &state.look;
    let (iteration, checks) = latest(state);
    let of = iteration.map(|number| format!(" of iteration {number}")).unwrap_or_default();
    let left = vec![look.span(Role::Strong, format!("Checks{of}"))];
    let inner = titled(look, frame, area, PanelTitle { left, ..PanelTitle::default() });
    let inner = proof::draw(state, frame, inner);
    let mut lines: Vec<Line<'_>> = all(state, checks).into_iter().map(Line::from).collect();
    let space = usize::from(inner.height);
    if lines.len() > space && space > 0 {
        let hidden = lines.len() - (space - 1);
        let failed = checks.iter().filter(|check| has_failed(check)).count();
        let failed_hidden = (failed + hidden).saturating_sub(checks.len());
        lines.truncate(space - 1);
        let summary = match failed_hidden {
            0 => format!("and {hidden} more passed"),
            failed => format!("and {hidden} more, {failed} of them failed"),
        };
        lines.push(look.line(Role::Dim, summary));
    }
    put(&state.look, frame, inner, &lines);
}

/// On one line behind the proof, cut to the width.
pub(super) fn in_a_line(state: &DashboardState) -> Line<'static> {
    let look = &state.look;
    let (iteration, checks) = latest(state);
    let of = iteration.map(|number| format!(" ({number})")).unwrap_or_default();
    let mut spans = proof::in_a_line(state);
    spans.push(look.span(Role::Dim, format!("checks{of}: ")));
    spans.extend(all(state, checks).join(&Span::raw("  ")));
    Line::from(spans)
}

/// The running check and the finished ones, or a note that there are none.
fn all(state: &DashboardState, checks: &[CheckRecord]) -> Vec<Vec<Span<'static>>> {
    let finished = worst_first(checks).map(|check| check_spans(state, check));
    let all: Vec<_> = running(state).into_iter().chain(finished).collect();
    let none = state.look.span(Role::Dim, "no checks yet");
    if all.is_empty() { vec![vec![none]] } else { all }
}

/// Failed checks first, then the rest, each newest first.
fn worst_first(checks: &[CheckRecord]) -> impl Iterator<Item = &CheckRecord> {
    let failed = checks.iter().rev().filter(|check| has_failed(check));
    failed.chain(checks.iter().rev().filter(|check| !has_failed(check)))
}

fn has_failed(check: &CheckRecord) -> bool {
    check_failure(check.outcome).is_some()
}

fn running(state: &DashboardState) -> Option<Vec<Span<'static>>> {
    let gate = state.view.check_in(state.shown_lane())?;
    let look = &state.look;
    let took = span(state.now() - gate.started_at);
    let style = look.style(Role::Accent);
    let command = cut(&shown(&gate.command), 60, look.signs.ellipsis).into_owned();
    let text = format!("{} {command} {}/{} {took}", look.signs.running, gate.number, gate.of);
    Some(vec![Span::styled(text, style)])
}

fn check_spans(state: &DashboardState, check: &CheckRecord) -> Vec<Span<'static>> {
    let look = &state.look;
    let (role, mark, why) = match check_failure(check.outcome) {
        None => (Role::Good, look.signs.done, "passed".to_owned()),
        Some(why) => (Role::Bad, look.signs.failed, why),
    };
    let command = cut(&shown(&check.command), 60, look.signs.ellipsis).into_owned();
    vec![
        look.span(role, format!("{mark} ")),
        Span::raw(command),
        look.span(role, format!(" {why}")),
        look.span(Role::Dim, format!(" {}", duration(check.seconds))),
    ]
}
