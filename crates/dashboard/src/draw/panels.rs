//! The layout of panels for any window size.

use ratatui::layout::{Constraint, Layout, Rect};

use crate::draw::gauges;
use crate::state::{DashboardState, Focus};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Too small for panels.
    Small,
    /// Stacked.
    Stacked,
    /// In two columns.
    Wide,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Panels {
    pub(crate) shape: Shape,
    pub(crate) header: Rect,
    pub(crate) stories: Rect,
    /// Empty in a run without lanes.
    pub(crate) lanes: Rect,
    pub(crate) now: Rect,
    /// Within `now`.
    pub(crate) stream: Rect,
    /// With the proof of the story. Without a panel they have one line within `now`.
    pub(crate) checks: Option<Rect>,
    pub(crate) gauges: Rect,
    pub(crate) log: Rect,
    pub(crate) footer: Rect,
}

/// For the size of the state.
pub(crate) fn panels(state: &DashboardState) -> Panels {
    Panels::of(Rect::from((ratatui::layout::Position::ORIGIN, state.size)), state)
}

impl Panels {
    pub(crate) fn of(area: Rect, state: &DashboardState) -> Self {
        let shape = match (area.width, area.height) {
            (..60, _) | (_, ..16) => Shape::Small,
            (110.., 28..) => Shape::Wide,
            _ => Shape::Stacked,
        };
        let header = Rect { height: area.height.min(2), ..area };
        let footer_rows = u16::from(area.height > 2);
        let footer = Rect { y: area.bottom() - footer_rows, height: footer_rows, ..area };
        let middle =
            Rect { y: header.bottom(), height: area.height - header.height - footer_rows, ..area };
        let none = Rect { height: 0, ..middle };
        let nowhere = Self {
            shape,
            header,
            stories: none,
            lanes: none,
            now: middle,
            stream: none,
            checks: None,
            gauges: none,
            log: none,
            footer,
        };
        match shape {
            Shape::Small => nowhere,
            Shape::Stacked => nowhere.stacked(middle, state),
            Shape::Wide => nowhere.wide(middle, state),
        }
    }

    pub(crate) fn rows_of(&self, focus: Focus) -> usize {
        usize::from(match focus {
            Focus::Stories => self.stories.height.saturating_sub(1),
            Focus::Stream => self.stream.height,
            Focus::Log => self.log.height.saturating_sub(1),
        })
    }

    fn stacked(self, middle: Rect, state: &DashboardState) -> Self {
        let listed = fitting(state.listed() + 1);
        // Lanes need some of the rows.
        let share = if state.rows_of_lanes().is_some() { 2 } else { 3 };
        let stories = listed.clamp(2, (middle.height * share / 10).max(2));
        let lanes =
            state.rows_of_lanes().map_or(0, |[_, rows]| fitting(rows).min(middle.height / 4));
        let below = (middle.height / 3).min(fitting(gauges::MOST + 1));
        let rows = [
            Constraint::Length(stories),
            Constraint::Length(lanes),
            Constraint::Fill(1),
            Constraint::Length(below),
        ];
        let [stories, lanes, now, low] = Layout::vertical(rows).areas(middle);
        let left = Constraint::Length(middle.width * 9 / 20);
        let [gauges, log] = Layout::horizontal([left, Constraint::Fill(1)]).spacing(1).areas(low);
        // Title above, checks below.
        let stream = Rect { y: now.y + 1, height: now.height.saturating_sub(2), ..now };
        Self { stories, lanes, now, stream, gauges, log, ..self }
    }

    fn wide(self, middle: Rect, state: &DashboardState) -> Self {
        // Stories need the most columns.
        let wide = Constraint::Length((middle.width * 11 / 20).min(100));
        let columns = Layout::horizontal([wide, Constraint::Fill(1)]).spacing(2);
        let [left, right] = columns.areas(middle);
        let gauges = Constraint::Length(fitting(gauges::MOST + gauges::SPARKLINE + 1));
        // With the last lines of their streams if these leave half of the column to stories.
        let lanes = state.rows_of_lanes().map_or(0, |rows| {
            let fits = rows.into_iter().map(fitting).find(|rows| *rows <= left.height / 3);
            fits.unwrap_or(left.height / 3)
        });
        let rows = [Constraint::Fill(1), Constraint::Length(lanes), gauges];
        let [stories, lanes, gauges] = Layout::vertical(rows).areas(left);
        let checks = fitting(state.checks_shown() + 1).clamp(2, 6);
        let proof = fitting(state.proof_rows()).min((right.height / 3).saturating_sub(checks));
        let checks = Constraint::Length(checks + proof);
        let log = Constraint::Length((right.height / 4).max(6));
        let [now, checks, log] = Layout::vertical([Constraint::Fill(1), checks, log]).areas(right);
        let stream = Rect { y: now.y + 1, height: now.height - 1, ..now };
        Self { stories, lanes, gauges, now, stream, checks: Some(checks), log, ..self }
    }
}

fn fitting(rows: usize) -> u16 {
    u16::try_from(rows).unwrap_or(u16::MAX)
}
