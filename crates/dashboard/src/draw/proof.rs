//! The proof of the story in work: the state of each criterion, below the checks.

use events::describe::{proof_state, proof_summary};
use events::{CriterionProof, ProofState, Role, StoryProof};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use tasks::StoryId;

use super::{dotted, put};
use crate::state::DashboardState;
use crate::text::shown;

impl DashboardState {
    /// The number of lines of the panel: the summary, and a line for each criterion.
    pub(crate) fn proof_rows(&self) -> usize {
        of_story(self).map_or(0, |(_, proof)| 1 + proof.criteria().len())
    }
}

/// Of the story of the last iteration in the shown lane.
fn of_story(state: &DashboardState) -> Option<(&StoryId, &StoryProof)> {
    let lane = state.shown_lane();
    let record = state.view.records.iter().rev().find(|record| record.lane == lane)?;
    state.view.proofs.get_key_value(record.story.as_ref()?)
}

/// Draws into the last rows; returns the area above.
pub(super) fn draw(state: &DashboardState, frame: &mut Frame<'_>, area: Rect) -> Rect {
    let Some((story, proof)) = of_story(state) else { return area };
    let look = &state.look;
    let head = [look.span(Role::Strong, format!("Proof of {story}: "))]
        .into_iter()
        .chain(summary(state, proof));
    let mut lines = vec![Line::from_iter(head)];
    let mut criteria = proof.criteria();
    // The worst first, because perhaps only some fit.
    criteria.sort_by_key(|criterion| std::cmp::Reverse(criterion.state));
    lines.extend(criteria.iter().map(|criterion| row(state, criterion)));
    let height = usize::from(area.height);
    let space = height.saturating_sub(state.checks_shown()).max(height / 2);
    if lines.len() > space && space > 0 {
        let hidden = lines.len() - (space - 1);
        lines.truncate(space - 1);
        lines.push(look.line(Role::Dim, format!("and {hidden} more criteria")));
    }
    let rows = u16::try_from(lines.len().min(space)).unwrap_or(u16::MAX);
    let above = Rect { height: area.height - rows, ..area };
    put(look, frame, Rect { y: above.bottom(), height: rows, ..area }, &lines);
    above
}

fn row(state: &DashboardState, criterion: &CriterionProof) -> Line<'static> {
    let (look, signs) = (&state.look, state.look.signs);
    let (role, words) = proof_state(criterion.state);
    let mark = match criterion.state {
        ProofState::Green => signs.done,
        ProofState::Red => signs.failed,
        ProofState::Manual => signs.open,
        ProofState::ProvesNothing | ProofState::NoResult => signs.under_way,
    };
    let state = look.span(role, format!("{mark} {words} "));
    Line::from(vec![state, Span::raw(shown(&criterion.criterion))])
}

/// In front of the checks; empty without a proof.
pub(super) fn in_a_line(state: &DashboardState) -> Vec<Span<'static>> {
    let Some((_, proof)) = of_story(state) else { return Vec::new() };
    let mut spans = vec![Span::raw("proof: ")];
    spans.extend(summary(state, proof));
    spans.push(Span::raw("  "));
    spans
}

fn summary(state: &DashboardState, proof: &StoryProof) -> Vec<Span<'static>> {
    let parts = proof_summary(&proof.summary());
    let parts = parts.into_iter().map(|(role, text)| (state.look.style(role), text));
    dotted(&state.look, parts.collect())
}
