//! A session of the agent: its start, tool calls, limits, hooks and end.

use agents::NearMiss;
use chrono::{DateTime, FixedOffset, Utc};

use super::{Detail, Form, Mark, Statement};
use crate::format::{agent_outcome, brief_duration, duration, moment, money, tokens};
use crate::{
    AgentEnded, AgentOutcome, HookAnswerKind, LoopEvent, Quota, QuotaState, Role, TodoItem,
    TodoView, TokenCount, ToolCalls,
};

/// The length of the prompt excerpt.
const PROMPT_CHARS: usize = 200;

pub(super) fn called(command: &str, prompt_bytes: u64, prompt: &str) -> Vec<Statement> {
    let start: String = prompt.chars().take(PROMPT_CHARS).collect();
    let more = if prompt_bytes > start.len() as u64 { "..." } else { "" };
    vec![
        Statement::verbose(format!("agent command: {command}")),
        Statement::verbose(format!("prompt ({prompt_bytes} bytes): {start}{more}")),
    ]
}

/// Some agents report neither.
pub(super) fn started(model: &str, version: &str) -> Vec<Statement> {
    let text = match (model, version) {
        ("", "") => return Vec::new(),
        (model, "") => model.to_owned(),
        ("", version) => format!("version {version}"),
        (model, version) => format!("{model}, version {version}"),
    };
    vec![Statement::text(Role::Dim, text)]
}

/// `Read(src/lib.rs)`
pub fn tool_call(name: &str, input: &str) -> String {
    if input.is_empty() { name.to_owned() } else { format!("{name}({input})") }
}

pub(super) fn tool_started(name: &str, input: &str) -> Statement {
    agent_step(tool_call(name, input))
}

pub(super) fn todo(items: &[TodoItem]) -> Vec<Statement> {
    let TodoView { done, of, current, .. } = TodoView::of(items);
    let current = current.map(|current| format!(": {current}")).unwrap_or_default();
    vec![agent_step(format!("todo {done}/{of}{current}"))]
}

fn agent_step(text: String) -> Statement {
    Statement::marked(Role::Accent, Mark::Arrow).with(Role::Accent, text).detail(Detail::Agent)
}

pub(super) fn compacted(tokens_after: Option<u64>) -> Statement {
    let after = tokens_after.map(|after| format!(" to {} tokens", tokens(after)));
    Statement::warning(format!("the context was compacted{}", after.unwrap_or_default()))
}

pub(super) fn retried(event: &LoopEvent) -> Vec<Statement> {
    let LoopEvent::ApiRetry { attempt, of, delay_ms, status, reason } = event else {
        return Vec::new();
    };
    let status = status.map(|status| format!("{status} ")).unwrap_or_default();
    let delay = duration(*delay_ms as f64 / 1000.0);
    let text = format!("API error: {status}{reason}; retry {attempt} of {of} in {delay}");
    vec![Statement::warning(text)]
}

pub(super) fn quota(quota: &Quota, now: DateTime<Utc>, offset: FixedOffset) -> Vec<Statement> {
    let used = quota.used.map(|used| format!(", {:.0}% used", used * 100.0)).unwrap_or_default();
    let reset = quota.resets_at.map(|at| format!(", resets {}", moment(at, now, offset)));
    let facts = format!("({}){used}{}", quota.window, reset.unwrap_or_default());
    match quota.state {
        QuotaState::Allowed => Vec::new(),
        QuotaState::Warning => {
            vec![Statement::warning(format!("usage limit nearly reached {facts}"))]
        }
        QuotaState::Rejected => {
            let text = format!("usage limit reached {facts}");
            vec![Statement::note(Role::Bad, Mark::Failed, text)]
        }
    }
}

pub(super) fn hook_answered(hook: &str, answer: HookAnswerKind, text: &str) -> Statement {
    let (role, mark, did) = match answer {
        HookAnswerKind::Blocked => (Role::Warn, Mark::Warning, "blocked"),
        HookAnswerKind::Warned => (Role::Warn, Mark::Warning, "warned"),
        HookAnswerKind::Informed => (Role::Dim, Mark::Start, "informed the agent"),
        HookAnswerKind::Failed => (Role::Bad, Mark::Failed, "failed"),
    };
    Statement::note(role, mark, format!("{hook} {did}: {}", text.trim())).form(Form::Excerpt)
}

pub(super) fn ended(ended: &AgentEnded, calls: &ToolCalls) -> Vec<Statement> {
    let AgentEnded { outcome, detail, cost_usd, tokens, seconds, leftovers, .. } = ended;
    let (role, mark, word) = match outcome {
        AgentOutcome::Answered => (Role::Good, Mark::Ok, "Complete"),
        AgentOutcome::Stopped => (Role::Warn, Mark::Warning, "Stopped"),
        _ => (Role::Bad, Mark::Failed, "Failed"),
    };
    // Not every agent reports cost or tokens.
    let mut facts = Vec::new();
    facts.extend(cost_usd.filter(|usd| *usd > 0.0).map(|usd| format!("cost: {}", money(usd))));
    facts.extend(token_facts(*tokens));
    facts.extend((calls.made > 0).then(|| format!("tools: {}", calls.made)));
    facts.extend((calls.failed > 0).then(|| format!("errors: {}", calls.failed)));
    facts.push(format!("time: {})", brief_duration(*seconds)));
    facts[0].insert_str(0, &format!("{word} ("));
    let facts = facts.into_iter().map(|fact| (role, fact));
    let mut statements = vec![Statement::marked(role, mark).joined(Form::List, facts)];
    if *outcome != AgentOutcome::Answered {
        let colon = if detail.trim().is_empty() { "" } else { ": " };
        let why = format!("the agent {}{colon}{detail}", agent_outcome(*outcome));
        statements.push(Statement::marked(role, mark).with(role, why).form(Form::Continued));
    }
    if !leftovers.is_empty() {
        let left = leftovers.join(", ");
        let text = format!("killed processes that the agent left running: {left}");
        statements.push(Statement::warning(text));
    }
    statements
}

/// `tokens: 1.2M in (850K cached) / 45K out`
fn token_facts(count: TokenCount) -> Option<String> {
    let TokenCount { input, output, cache_read, cache_creation } = count;
    let input = input.saturating_add(cache_read).saturating_add(cache_creation);
    if input == 0 && output == 0 {
        return None;
    }
    let cached = match cache_read {
        0 => String::new(),
        cached => format!(" ({} cached)", tokens(cached)),
    };
    Some(format!("tokens: {} in{cached} / {} out", tokens(input), tokens(output)))
}

pub(super) fn completion_checked(
    wanted: &str,
    found: Option<&str>,
    near_miss: Option<NearMiss>,
) -> Vec<Statement> {
    let found = found.unwrap_or("nothing");
    let near_miss = near_miss.map(|near_miss| {
        Statement::warning(format!("not counted as complete: {}", near_miss.describe(wanted)))
    });
    let checked = Statement::verbose(format!("completion: expected {wanted}, found {found}"));
    std::iter::once(checked).chain(near_miss).collect()
}
