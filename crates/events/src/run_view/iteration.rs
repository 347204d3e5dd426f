//! The running iteration, according to its events.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tasks::{ReviewStatus, StoryId};

use super::tool_calls::ToolCalls;
use crate::{IterationMode, LoopEvent, TodoItem, TodoState, concerns_at_cap};

/// Characters of a text that shows current activity.
const LONGEST: usize = 200;

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IterationView {
    pub number: u64,
    pub attempt: u64,
    pub mode: IterationMode,
    /// `None` in a prompt loop.
    pub story: Option<StoryId>,
    pub title: String,
    pub model: Option<String>,
    pub session: String,
    pub folder: String,
    pub started_at: DateTime<Utc>,
    pub context_tokens: Option<u64>,
    pub context_window: Option<u64>,
    /// Text messages of the agent.
    pub messages: u64,
    pub turns: Option<u64>,
    pub cost_usd: f64,
    #[serde(flatten)]
    pub calls: ToolCalls,
    pub todo: Option<TodoView>,
    pub gate: Option<CheckView>,
    /// Of a review.
    #[serde(skip)]
    pub verdict: Option<Verdict>,
}

/// The verdict of a review. The runner accepts any of them as a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Approved,
    /// It must approve, because it was the last allowed review.
    ApprovedAtCap,
    ChangesRequested,
}

impl Verdict {
    /// `None` if the story has no verdict.
    pub fn of(to: ReviewStatus, feedback: &str) -> Option<Self> {
        match to {
            ReviewStatus::Approved if concerns_at_cap(feedback).is_some() => {
                Some(Self::ApprovedAtCap)
            }
            ReviewStatus::Approved => Some(Self::Approved),
            ReviewStatus::ChangesRequested => Some(Self::ChangesRequested),
            ReviewStatus::NeedsReview | ReviewStatus::NotSubmitted => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TodoView {
    pub done: u64,
    pub of: u64,
    pub current: Option<String>,
    /// One line each.
    #[serde(skip)]
    pub items: Vec<TodoItem>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckView {
    pub command: String,
    pub number: u64,
    pub of: u64,
    pub started_at: DateTime<Utc>,
}

/// An activity and its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    pub at: DateTime<Utc>,
    pub text: String,
}

impl IterationView {
    pub(super) fn started(at: DateTime<Utc>, event: &LoopEvent) -> Option<Self> {
        let LoopEvent::IterationStarted {
            iteration,
            attempt,
            mode,
            story,
            title,
            model,
            session,
            folder,
            checkpoint: _,
        } = event
        else {
            return None;
        };
        Some(Self {
            number: *iteration,
            attempt: *attempt,
            mode: *mode,
            story: story.clone(),
            title: title.clone(),
            model: model.clone(),
            session: session.clone(),
            folder: folder.clone(),
            started_at: at,
            context_tokens: None,
            context_window: None,
            messages: 0,
            turns: None,
            cost_usd: 0.0,
            calls: ToolCalls::default(),
            todo: None,
            gate: None,
            verdict: None,
        })
    }

    pub(super) fn apply(&mut self, at: DateTime<Utc>, event: &LoopEvent) {
        self.calls.apply(event);
        match event {
            LoopEvent::SessionStarted { model, .. } => self.model = Some(model.clone()),
            LoopEvent::AgentText { .. } => self.messages += 1,
            LoopEvent::Todo { items } => self.todo = Some(TodoView::of(items)),
            LoopEvent::Context { tokens, window } => {
                self.context_tokens = Some(*tokens);
                self.context_window = window.or(self.context_window);
            }
            LoopEvent::Compacted { tokens_after } => self.context_tokens = *tokens_after,
            LoopEvent::AgentEnded { cost_usd, turns, context_window, .. } => {
                self.cost_usd += cost_usd.unwrap_or(0.0);
                self.turns = *turns;
                self.context_window = context_window.or(self.context_window);
                self.todo = None;
            }
            LoopEvent::CheckStarted { command, number, of } => {
                let (number, of) = (*number, *of);
                self.gate =
                    Some(CheckView { command: command.clone(), number, of, started_at: at });
            }
            LoopEvent::CheckEnded { .. } => self.gate = None,
            LoopEvent::StoryStatusChanged { to, feedback, .. }
                if self.mode == IterationMode::Review =>
            {
                self.verdict = Verdict::of(*to, feedback);
            }
            _ => {}
        }
    }

    /// The story with its title; in a prompt loop, the source of the prompt.
    pub fn subject(&self) -> String {
        match &self.story {
            Some(story) => format!("{story} {}", self.title),
            None => self.title.clone(),
        }
    }
}

impl TodoView {
    pub fn of(items: &[TodoItem]) -> Self {
        let of_state = |state: TodoState| items.iter().filter(move |item| item.state == state);
        Self {
            done: of_state(TodoState::Done).count() as u64,
            of: items.len() as u64,
            current: of_state(TodoState::InProgress).next().map(|item| first_line(&item.text)),
            items: items
                .iter()
                .map(|item| TodoItem { text: first_line(&item.text), state: item.state })
                .collect(),
        }
    }
}

pub(super) fn first_line(text: &str) -> String {
    text.trim_start().lines().next().unwrap_or_default().chars().take(LONGEST).collect()
}
