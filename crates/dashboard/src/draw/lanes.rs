//! The lanes of a run: story, step and time of each, with the last lines of its stream if there is space. The lane
//! whose stream is shown large is marked.

use events::describe::lane_parts;
use events::{LaneView, Role};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{PanelTitle, dotted, put, titled};
use crate::state::DashboardState;
use crate::text::{cut, shown};

/// Lines of its stream below each lane, if there is space for those of all lanes.
const STREAM: usize = 2;

impl DashboardState {
    /// The rows of the panel with the lines of the streams, and without them.
    pub(crate) fn rows_of_lanes(&self) -> Option<[usize; 2]> {
        let lanes = self.view.lanes.len();
        (lanes > 0).then(|| [lanes * (1 + STREAM) + 1, lanes + 1])
    }
}

pub(super) fn draw(state: &DashboardState, frame: &mut Frame<'_>, area: Rect) {
    if area.height == 0 {
        return;
    }
    let look = &state.look;
    let left = vec![look.span(Role::Strong, format!("Lanes {}", state.view.lanes.len()))];
    let queue: Vec<_> = state.view.merge_queue.iter().map(|one| one.story.to_string()).collect();
    let right = match queue.as_slice() {
        [] => Vec::new(),
        queue => vec![look.span(Role::Accent, format!(" to merge: {} ", queue.join(", ")))],
    };
    let inner = titled(look, frame, area, PanelTitle { left, right, has_focus: false });
    let (height, width) = (usize::from(inner.height), usize::from(inner.width));
    let [with_streams, _] = state.rows_of_lanes().unwrap_or_default();
    let each = if height + 1 >= with_streams { 1 + STREAM } else { 1 };
    let lanes = &state.view.lanes;
    let place = lanes.iter().position(|lane| Some(lane.number) == state.shown_lane()).unwrap_or(0);
    // The shown lane is visible.
    let first = (place + 1).saturating_sub((height / each).max(1));
    let mut lines = Vec::new();
    for lane in lanes.iter().skip(first) {
        lines.push(line(state, lane));
        if each > 1 {
            lines.extend(stream_lines(state, lane, width));
        }
    }
    put(look, frame, inner, &lines);
}

/// For a window that is too small for the panel, too.
pub(super) fn line(state: &DashboardState, lane: &LaneView) -> Line<'static> {
    let look = &state.look;
    let is_shown = state.shown_lane() == Some(lane.number);
    let mark = if is_shown { look.signs.running } else { " " };
    let mut spans = vec![look.span(Role::Accent, format!("{mark} "))];
    spans.extend(parts(state, lane, lane.number.to_string()));
    Line::from(spans)
}

/// `name` and story, then what the lane does.
pub(super) fn parts(state: &DashboardState, lane: &LaneView, name: String) -> Vec<Span<'static>> {
    let look = &state.look;
    let story = lane.story.as_ref().map(|story| format!(" {story}")).unwrap_or_default();
    let mut all = vec![(look.style(Role::Lane(lane.number)), shown(&(name + &story)))];
    let parts = lane_parts(&state.view, lane, state.now(), state.offset);
    all.extend(parts.into_iter().map(|(role, text)| (look.style(role), shown(&text))));
    dotted(look, all)
}

fn stream_lines(state: &DashboardState, lane: &LaneView, width: usize) -> Vec<Line<'static>> {
    let look = &state.look;
    let last = state.stream_of(Some(lane.number)).last_lines(STREAM);
    let mut lines: Vec<_> = last
        .map(|line| {
            let text = cut(&line.text, width.saturating_sub(4), look.signs.ellipsis);
            look.line(Role::Dim, format!("    {text}"))
        })
        .collect();
    lines.resize_with(STREAM, Line::default);
    lines
}
