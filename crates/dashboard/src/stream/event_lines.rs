//! The lines of an event in the stream panel: the agent's output, and the steps around it.

use chrono::FixedOffset;
use events::describe::{Detail, Mark, Statement, describe, tool_call};
use events::format::count;
use events::{LoopEvent, Role, RunView, Stamped, TodoView, ToolOutcome, ToolOutput, ToolView};

use super::{Begins, StreamLine};
use crate::text::{Limits, lines, shown};

/// For the agent's text.
const AGENT_TEXT: Limits = Limits { lines: 400, chars: 2_000 };
/// For results of tools and hooks.
const RESULT: Limits = Limits { lines: 6, chars: 400 };

const ANSWER: u16 = 4;

/// `view` is the state before the event.
pub(super) fn event_lines(
    stamped: &Stamped,
    view: &RunView,
    offset: FixedOffset,
) -> Vec<StreamLine> {
    match &stamped.event {
        LoopEvent::ToolEnded { id, outcome, summary, output } => {
            tool_ended(view.calls_in(stamped.lane).running(id), *outcome, summary, output)
        }
        // Agents send the whole list repeatedly.
        LoopEvent::Todo { items }
            if view.iteration_in(stamped.lane).and_then(|iteration| iteration.todo.as_ref())
                == Some(&TodoView::of(items)) =>
        {
            Vec::new()
        }
        LoopEvent::RunStarted { .. }
        | LoopEvent::IterationStarted { .. }
        | LoopEvent::SessionStarted { .. }
        | LoopEvent::AgentText { .. }
        | LoopEvent::ToolStarted { .. }
        | LoopEvent::Todo { .. }
        | LoopEvent::Compacted { .. }
        | LoopEvent::ApiRetry { .. }
        | LoopEvent::Quota { .. }
        | LoopEvent::HookAnswered { .. }
        | LoopEvent::AgentEnded { .. }
        | LoopEvent::CheckEnded { .. }
        | LoopEvent::IterationEnded { .. }
        | LoopEvent::QualityStarted { .. }
        | LoopEvent::CompactionStarted { .. }
        | LoopEvent::Waiting { .. }
        | LoopEvent::RunEnded { .. } => {
            let statements = describe(stamped, view, offset);
            let shown = statements.iter().filter(|said| said.detail != Detail::Verbose);
            shown.flat_map(statement_lines).collect()
        }
        // Other steps and decisions have the log panel.
        _ => Vec::new(),
    }
}

fn statement_lines(statement: &Statement) -> Vec<StreamLine> {
    let words = statement.words();
    let indent = u16::try_from(2 * statement.depth).unwrap_or(ANSWER);
    match (statement.mark, statement.detail) {
        (Some((_, Mark::Arrow)), _) => vec![step(&words)],
        _ if statement.spans.is_empty() => vec![StreamLine::new(Role::Plain, 0, "")],
        (_, Detail::Agent) => block(statement.role(), indent, &words, AGENT_TEXT),
        _ => block(statement.role(), indent, &words, RESULT),
    }
}

fn tool_ended(
    call: Option<&ToolView>,
    outcome: ToolOutcome,
    summary: &str,
    output: &ToolOutput,
) -> Vec<StreamLine> {
    // Another call was shown between a concurrent call and its result.
    let call = call.filter(|call| call.concurrent);
    let call = call.map(|call| step(&format!("{} (result)", tool_call(&call.name, &call.summary))));
    let (role, nothing) = match outcome {
        ToolOutcome::Ok => (Role::Dim, "(no output)"),
        ToolOutcome::Failed => (Role::Bad, "failed"),
    };
    let text = if output.excerpt.trim().is_empty() { summary } else { &output.excerpt };
    let mut answer = block(role, ANSWER, text, RESULT);
    let more = output.lines.saturating_sub(answer.len() as u64);
    if let Some(last) = answer.last_mut().filter(|_| more > 0) {
        last.text = format!("({} more)", count(more + 1, "line", "lines"));
    }
    if answer.is_empty() {
        answer.push(StreamLine::new(role, ANSWER, nothing));
    }
    answer[0].begins = Begins::Answer;
    call.into_iter().chain(answer).collect()
}

fn block(role: Role, indent: u16, text: &str, limits: Limits) -> Vec<StreamLine> {
    let (shown, is_cut) = lines(text, limits);
    let mut all: Vec<StreamLine> =
        shown.into_iter().map(|line| StreamLine::new(role, indent, line)).collect();
    if is_cut {
        all.push(StreamLine::new(Role::Dim, indent, "(cut; full text in session.log)"));
    }
    all
}

/// A tool call or another step of the agent, on one line.
fn step(text: &str) -> StreamLine {
    let text: String = shown(text).chars().take(RESULT.chars).collect();
    StreamLine { begins: Begins::Step, ..StreamLine::new(Role::Accent, 2, text) }
}
