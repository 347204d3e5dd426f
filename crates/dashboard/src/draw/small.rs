//! The display for a window that is too small for panels.

use chrono::{DateTime, Utc};
use events::Role;
use events::format::{GiveUpState, cost, given_up, span};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::put;
use crate::state::DashboardState;
use crate::text::shown;

pub(super) fn draw(state: &DashboardState, frame: &mut Frame<'_>, area: Rect, now: DateTime<Utc>) {
    let (look, view) = (&state.look, &state.view);
    let done = view.stories.iter().filter(|story| story.passes).count();
    let given_up =
        |wanted: GiveUpState| view.stories.iter().filter(|story| given_up(story) == wanted).count();
    let (failed, skipped) = (given_up(GiveUpState::Failed), given_up(GiveUpState::Skipped));
    let mut lines = Vec::new();
    let cost = cost(view.cost());
    lines.push(match view.stories.len() {
        0 => Line::raw(format!("{} iterations, {cost}", view.iterations)),
        all => Line::raw(format!("{done}/{all} stories done, {cost}")),
    });
    if failed > 0 {
        lines.push(Line::styled(format!("{failed} failed"), look.style(Role::Bad)));
    }
    if skipped > 0 {
        lines.push(Line::styled(format!("{skipped} skipped"), look.style(Role::Dim)));
    }
    if let Some(altered) = &state.log_altered {
        lines.push(Line::styled(altered.clone(), look.style(Role::Alarm)));
    }
    if let Some(iteration) = view.iteration() {
        let took = span(state.now(now) - iteration.started_at);
        let text = format!("{} {}, {took}", iteration.mode, shown(&iteration.subject()));
        lines.push(Line::styled(text, look.style(Role::Accent)));
    }
    if let Some(activity) = &view.last_activity {
        lines.push(Line::styled(shown(&activity.text), look.style(Role::Dim)));
    }
    if let Some(entry) = state.log.entries().last() {
        lines.push(Line::styled(entry.text.clone(), look.style(entry.role)));
    }
    lines.push(Line::styled("enlarge the window to see more", look.style(Role::Dim)));
    put(&state.look, frame, area, &lines);
}
