//! The header: project, state and time.

use events::format::{duration, moment};
use events::{EndView, LoopKind, Pause, Role, RunEnd, WaitReason};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{dotted, put};
use crate::state::DashboardState;
use crate::text::shown;

pub(super) fn draw(state: &DashboardState, frame: &mut Frame<'_>, area: Rect) {
    let look = &state.look;
    let (role, word) = standing(state);
    let view = &state.view;
    let (badge, badge_role) =
        if state.replay().is_some() { ("REPLAY", Role::Accent) } else { (word, role) };
    let mut first =
        vec![Span::styled(format!(" {badge} "), look.badge(badge_role)), Span::raw(" ")];
    let Some(start) = &view.start else {
        put(&state.look, frame, area, &[Line::from(first), Line::raw("the run has no events yet")]);
        return;
    };
    let plain = Style::new();
    let dim = look.style(Role::Dim);
    let mut about = Vec::new();
    if let Some(replay) = state.replay() {
        let (speed, so_far) = (replay.speed, replay.per_cent());
        about.push((look.style(Role::Accent), format!("x{speed}, {so_far}%")));
        about.push((look.style(role), word.into()));
    }
    about.push((look.style(Role::Strong), shown(&start.name)));
    if let Some(kind) = kind(start.kind) {
        about.push((plain, kind.into()));
    }
    about.push((plain, elapsed(state)));
    about.push((dim, format!("run {}", shown(&view.id))));
    first.extend(dotted(look, about));
    put(&state.look, frame, area, &[Line::from(first), Line::from(dotted(look, facts(state)))]);
}

fn elapsed(state: &DashboardState) -> String {
    match &state.view.end {
        Some(_) => format!("worked {}", duration(state.worked())),
        None => duration(state.worked()),
    }
}

fn kind(kind: LoopKind) -> Option<&'static str> {
    match kind {
        LoopKind::Stories => None,
        LoopKind::Plan => Some("plan"),
        LoopKind::Build => Some("build"),
        LoopKind::Prompt => Some("prompt loop"),
    }
}

/// The state as a badge.
pub(super) fn standing(state: &DashboardState) -> (Role, &'static str) {
    let view = &state.view;
    if state.reading.is_some() {
        return (Role::Accent, "READING");
    }
    if let Some(end) = &view.end {
        return ended(end.end);
    }
    if state.is_dead() {
        return (Role::Bad, "DIED");
    }
    match (view.stopping, view.pending_orders.pause, &view.rest) {
        (true, ..) => (Role::Warn, "STOPPING"),
        (false, Pause::Waiting { .. }, _) => (Role::Warn, "PAUSED"),
        (false, _, Some(rest)) if rest.reason != WaitReason::Pause => (Role::Accent, "WAITING"),
        _ => (Role::Good, "RUNNING"),
    }
}

fn ended(end: RunEnd) -> (Role, &'static str) {
    match end {
        RunEnd::Complete => (Role::Good, "COMPLETE"),
        RunEnd::Stopped | RunEnd::Interrupted | RunEnd::Terminated | RunEnd::HungUp => {
            (Role::Warn, "STOPPED")
        }
        RunEnd::IterationsUsed | RunEnd::TimeUsed | RunEnd::CostCeiling | RunEnd::QuotaCeiling => {
            (Role::Warn, "LIMIT REACHED")
        }
        RunEnd::QuestionsOpen => (Role::Warn, "ANSWERS NEEDED"),
        RunEnd::Blocked
        | RunEnd::StoriesFailed
        | RunEnd::PlanMissing
        | RunEnd::BaseFails
        | RunEnd::AgentFailed
        | RunEnd::ReviewerFailed
        | RunEnd::ProcessesLeft
        | RunEnd::GitFailed
        | RunEnd::DiskFailed => (Role::Bad, "FAILED"),
    }
}

fn facts(state: &DashboardState) -> Vec<(Style, String)> {
    let look = &state.look;
    let view = &state.view;
    let dim = look.style(Role::Dim);
    let altered = state.log_altered.clone().map(|text| (look.style(Role::Alarm), text));
    let mut facts: Vec<(Style, String)> = altered.into_iter().chain(news(state)).collect();
    let Some(start) = &view.start else { return facts };
    let iteration = view.iteration().map_or(view.begun_iterations(), |running| running.number);
    facts.push((Style::new(), format!("iteration {iteration} of {}", start.max_iterations)));
    let running = state.iteration().and_then(|running| running.model.as_ref());
    let model = running.or(start.model.as_ref()).map(|model| format!(" {}", shown(model)));
    facts.push((Style::new(), format!("{}{}", shown(&start.agent), model.unwrap_or_default())));
    if let Some(isolation) = view.isolation.get(&start.agent) {
        facts.push((dim, format!("isolation: {isolation}")));
    }
    if !start.branch.is_empty() {
        facts.push((dim, shown(&start.branch)));
    }
    facts
}

/// Unusual conditions, shown first.
fn news(state: &DashboardState) -> Option<(Style, String)> {
    let look = &state.look;
    let view = &state.view;
    if let Some(reading) = state.reading {
        return Some((look.style(Role::Accent), format!("reading the log: {reading}%")));
    }
    if let Some(EndView { end, text, .. }) = &view.end {
        let text = if text.is_empty() { end.to_string() } else { shown(text) };
        return Some((look.style(standing(state).0), text));
    }
    if state.is_dead() {
        let text = "the run ended without a result; the next run resumes from there";
        return Some((look.style(Role::Bad), text.into()));
    }
    match (view.pending_orders.pause, &view.rest) {
        (Pause::Requested, _) => {
            Some((look.style(Role::Warn), "pausing after this iteration".into()))
        }
        (Pause::Waiting { .. }, _) => Some((look.style(Role::Warn), "press p to resume".into())),
        (Pause::No, Some(rest)) => {
            let until = moment(rest.until, state.clock, state.offset);
            Some((look.style(Role::Accent), format!("resumes at {until}: {}", shown(&rest.text))))
        }
        (Pause::No, None) => None,
    }
}
