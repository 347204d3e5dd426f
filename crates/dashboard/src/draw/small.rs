//! The display for a window that is too small for panels.

use events::Role;
use events::format::{cost, span};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::stories::given_up_counts;
use super::{lanes, put};
use crate::state::DashboardState;
use crate::text::shown;

pub(super) fn draw(state: &DashboardState, frame: &mut Frame<'_>, area: Rect) {
    let (look, view) = (&state.look, &state.view);
    let done = view.stories.iter().filter(|story| story.passes).count();
    let mut lines = Vec::new();
    let cost = cost(view.cost());
    lines.push(match view.stories.len() {
        0 => Line::raw(format!("{} iterations, {cost}", view.iterations)),
        all => Line::raw(format!("{done}/{all} stories done, {cost}")),
    });
    let given_up = given_up_counts(state).into_iter();
    lines.extend(given_up.map(|(style, text)| Line::styled(text, style)));
    if let Some(altered) = &state.log_altered {
        lines.push(look.line(Role::Alarm, altered.clone()));
    }
    if let Some(iteration) = view.iteration() {
        let took = span(state.now() - iteration.started_at);
        let text = format!("{} {}, {took}", iteration.mode, shown(&iteration.subject()));
        lines.push(look.line(Role::Accent, text));
    }
    lines.extend(view.lanes.iter().map(|lane| lanes::line(state, lane)));
    let activity = view.last_activity.as_ref().filter(|_| view.lanes.is_empty());
    if let Some(activity) = activity {
        lines.push(look.line(Role::Dim, shown(&activity.text)));
    }
    if let Some(entry) = state.log.last() {
        lines.push(look.line(entry.role, entry.text.clone()));
    }
    lines.push(look.line(Role::Dim, "enlarge the window to see more"));
    put(&state.look, frame, area, &lines);
}
