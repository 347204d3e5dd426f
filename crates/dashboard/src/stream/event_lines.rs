//! The lines of an event in the stream panel. Decisions of the runner also have the log panel.

use events::format::{agent_outcome, count, duration, iteration_status, tokens};
use events::{
    HookAnswerKind, LoopEvent, QuotaState, Role, TodoItem, TodoView, ToolOutcome, ToolOutput,
};

use super::{AgentStream, Begins, StreamLine, ToolCall};
use crate::text::{Limits, lines, shown};

/// For the agent's text.
const AGENT_TEXT: Limits = Limits { lines: 400, chars: 2_000 };
/// For results of tools and hooks.
const RESULT: Limits = Limits { lines: 6, chars: 400 };
/// The maximum number of unanswered calls.
const MOST_CALLS: usize = 200;

const TEXT: u16 = 2;
const ANSWER: u16 = 4;

impl AgentStream {
    pub(super) fn event_lines(&mut self, event: &LoopEvent) -> Vec<StreamLine> {
        match event {
            LoopEvent::AgentText { text } => block(Role::Plain, TEXT, text, AGENT_TEXT),
            LoopEvent::ToolStarted { id, name, summary } => self.tool_started(id, name, summary),
            LoopEvent::ToolEnded { id, outcome, summary, output } => {
                self.tool_ended(id, *outcome, summary, output)
            }
            LoopEvent::Todo { items } => self.todo(items),
            LoopEvent::IterationStarted { .. } | LoopEvent::RunStarted { .. } => {
                self.calls.clear();
                self.todo.clear();
                begins(event)
            }
            LoopEvent::SessionStarted { .. }
            | LoopEvent::Compacted { .. }
            | LoopEvent::ApiRetry { .. }
            | LoopEvent::Quota { .. }
            | LoopEvent::HookAnswered { .. }
            | LoopEvent::AgentEnded { .. } => of_session(event),
            other => of_run(other),
        }
    }

    fn tool_started(&mut self, id: &str, name: &str, summary: &str) -> Vec<StreamLine> {
        let (name, summary) = (shown(name), cut_to(&shown(summary), RESULT.chars));
        let text = format!("{name}  {summary}");
        if self.calls.len() < MOST_CALLS {
            self.calls.insert(id.to_owned(), ToolCall { name, summary });
        }
        self.last_call = Some(id.to_owned());
        vec![step(text.trim_end())]
    }

    fn tool_ended(
        &mut self,
        id: &str,
        outcome: ToolOutcome,
        summary: &str,
        output: &ToolOutput,
    ) -> Vec<StreamLine> {
        let mut all = Vec::new();
        let call = self.calls.remove(id);
        // Another call was shown between this call and its result.
        if let Some(ToolCall { name, summary }) =
            call.filter(|_| self.last_call.as_deref() != Some(id))
        {
            all.push(step(&format!("{name}  {summary} (result)")));
        }
        let role = match outcome {
            ToolOutcome::Ok => Role::Dim,
            ToolOutcome::Failed => Role::Bad,
        };
        let text = if output.excerpt.trim().is_empty() { summary } else { &output.excerpt };
        let mut answer = block(role, ANSWER, text, RESULT);
        let more = output.lines.saturating_sub(answer.len() as u64);
        if let Some(last) = answer.last_mut().filter(|_| more > 0) {
            last.text = format!("({} more)", count(more + 1, "line", "lines"));
        }
        if answer.is_empty() {
            answer.push(StreamLine::new(
                role,
                ANSWER,
                match outcome {
                    ToolOutcome::Ok => "(no output)",
                    ToolOutcome::Failed => "failed",
                },
            ));
        }
        all.extend(beginning_answer(answer));
        self.last_call = None;
        all
    }

    /// Agents send the whole list repeatedly.
    fn todo(&mut self, items: &[TodoItem]) -> Vec<StreamLine> {
        if self.todo == items {
            return Vec::new();
        }
        self.todo = items.to_vec();
        let view = TodoView::of(items);
        let current = view.current.map(|current| format!(": {}", shown(&current)));
        let text = format!("todo {}/{}{}", view.done, view.of, current.unwrap_or_default());
        vec![step(&text)]
    }
}

fn begins(event: &LoopEvent) -> Vec<StreamLine> {
    let text = match event {
        LoopEvent::IterationStarted { iteration, attempt, mode, story, title, .. } => {
            let again = if *attempt > 1 { format!(" (try {attempt})") } else { String::new() };
            let story = story.as_ref().map(|story| format!("{story} ")).unwrap_or_default();
            format!("Iteration {iteration}{again}, {mode}: {story}{}", shown(title))
        }
        LoopEvent::RunStarted { agent, resumed, .. } => {
            let how = if resumed.is_some() { "resumed" } else { "started" };
            format!("Run {how} with {}", shown(agent))
        }
        _ => return Vec::new(),
    };
    vec![StreamLine::new(Role::Plain, 0, ""), StreamLine::new(Role::Strong, 0, text)]
}

fn of_session(event: &LoopEvent) -> Vec<StreamLine> {
    let (role, text) = match event {
        LoopEvent::SessionStarted { model, version } => {
            (Role::Dim, format!("{} {}", shown(model), shown(version)))
        }
        LoopEvent::Compacted { tokens_after } => {
            let left = tokens_after.map(|left| format!(" to {}", tokens(left)));
            let left = left.unwrap_or_default();
            (Role::Warn, format!("the agent compacted its context{left}"))
        }
        LoopEvent::ApiRetry { attempt, of, delay_ms, status, reason } => {
            let status = status.map(|status| format!(" {status}")).unwrap_or_default();
            let wait = duration(*delay_ms as f64 / 1000.0);
            let text = format!("retry {attempt}/{of} in {wait}:{status} {}", shown(reason));
            (Role::Warn, text)
        }
        LoopEvent::Quota { state: QuotaState::Allowed, .. } => return Vec::new(),
        LoopEvent::Quota { window, used, .. } => {
            let used = used.map(|used| format!(" {:.0}% of", 100.0 * used)).unwrap_or_default();
            (Role::Warn, format!("usage limit:{used} the {} window used", shown(window)))
        }
        LoopEvent::HookAnswered { hook, answer, text } => {
            let (role, did) = match answer {
                HookAnswerKind::Blocked => (Role::Bad, "blocked"),
                HookAnswerKind::Warned => (Role::Warn, "warned"),
                HookAnswerKind::Informed => (Role::Dim, "informed the agent"),
                HookAnswerKind::Failed => (Role::Bad, "failed"),
            };
            let head = StreamLine::new(role, TEXT, format!("{} {did}:", shown(hook)));
            let mut all = vec![head];
            all.extend(beginning_answer(block(role, ANSWER, text, RESULT)));
            return all;
        }
        LoopEvent::AgentEnded { outcome, detail, seconds, .. } => {
            let detail = shown(detail);
            let detail = if detail.is_empty() { detail } else { format!(": {detail}") };
            let text = format!(
                "the agent {}{detail} after {}",
                agent_outcome(*outcome),
                duration(*seconds)
            );
            (Role::Dim, text)
        }
        _ => return Vec::new(),
    };
    vec![StreamLine::new(role, TEXT, text)]
}

fn of_run(event: &LoopEvent) -> Vec<StreamLine> {
    let (role, text) = match event {
        LoopEvent::CheckEnded { command, outcome, seconds, .. } => {
            let took = duration(*seconds);
            let command = shown(command);
            match events::format::check_failure(*outcome) {
                None => (Role::Good, format!("check passed: {command} ({took})")),
                Some(why) => (Role::Bad, format!("check failed: {command}, {why} ({took})")),
            }
        }
        LoopEvent::IterationEnded { iteration, status, seconds, .. } => {
            let (role, text) = iteration_status(*status, None);
            (role, format!("Iteration {iteration} {text} after {}", duration(*seconds)))
        }
        LoopEvent::QualityStarted { story } => {
            (Role::Accent, format!("checking the quality of {story}"))
        }
        LoopEvent::CompactionStarted { handoffs, .. } => {
            (Role::Accent, events::compacting(*handoffs))
        }
        LoopEvent::Waiting { text, .. } => (Role::Accent, shown(text)),
        LoopEvent::RunEnded { end, text, .. } => {
            let why = shown(text);
            let why = if why.is_empty() { why } else { format!(": {why}") };
            (Role::Strong, format!("Run ended: {end}{why}"))
        }
        _ => return Vec::new(),
    };
    vec![StreamLine::new(role, 0, text)]
}

fn block(role: Role, indent: u16, text: &str, limits: Limits) -> Vec<StreamLine> {
    let shown = lines(text, limits);
    let mut all: Vec<StreamLine> =
        shown.lines.into_iter().map(|line| StreamLine::new(role, indent, line)).collect();
    if shown.cut {
        all.push(StreamLine::new(Role::Dim, indent, "(cut; full text in session.log)"));
    }
    all
}

fn step(text: &str) -> StreamLine {
    StreamLine::new(Role::Accent, TEXT, text).beginning(Begins::Step)
}

fn beginning_answer(mut lines: Vec<StreamLine>) -> Vec<StreamLine> {
    if let Some(first) = lines.first_mut() {
        first.begins = Begins::Answer;
    }
    lines
}

fn cut_to(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}
