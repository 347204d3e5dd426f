//! Prompts, handoffs, compactions, plan changes and rollbacks.

use super::{Mark, Statement};
use crate::format::{count, duration, listed, money, short_id};
use crate::{
    CompactionOutcome, ContextPart, HandoffSource, LoopEvent, Role, RolledBack, compacting,
};

pub(super) fn context_assembled(tokens: u64, budget: u64, parts: &[ContextPart]) -> Vec<Statement> {
    let whole = match tokens > budget {
        true => Statement::warning(format!(
            "the prompt has {tokens} tokens, over its budget of {budget}: the parts that are never \
             cut exceed it"
        )),
        false => {
            let text = format!("prompt: {tokens} of {budget} tokens{}", omitted(parts));
            Statement::text(Role::Dim, text)
        }
    };
    let parts =
        parts.iter().map(|ContextPart { part, tokens, wanted_tokens, left_out, .. }| {
            let text = format!("{part}: {tokens} of {wanted_tokens} tokens, {left_out} omitted");
            Statement::verbose(format!("prompt section {text}"))
        });
    std::iter::once(whole).chain(parts).collect()
}

/// `; omitted: 2 of compacted and 1 of earlier`, or nothing.
fn omitted(parts: &[ContextPart]) -> String {
    let cut = parts.iter().filter(|part| part.left_out > 0);
    let cut: Vec<String> = cut.map(|part| format!("{} of {}", part.left_out, part.part)).collect();
    if cut.is_empty() { String::new() } else { format!("; omitted: {}", listed(&cut)) }
}

pub(super) fn handoff_saved(event: &LoopEvent) -> Vec<Statement> {
    let LoopEvent::HandoffSaved { source, claim, text, problems, file, .. } = event else {
        return Vec::new();
    };
    let by = match (source, problems.len() as u64) {
        (HandoffSource::Agent, _) => String::new(),
        (HandoffSource::Repaired, problems) => {
            format!(" ({} ignored)", count(problems, "invalid part", "invalid parts"))
        }
        (HandoffSource::Runner, 0) => " (written by the runner: the agent wrote none)".to_owned(),
        (HandoffSource::Runner, _) => {
            " (written by the runner: the agent's was invalid)".to_owned()
        }
    };
    let text = format!("handoff: {}{by}", sanitize::line(text));
    let mut statements = vec![
        Statement::note(Role::Accent, Mark::Moved, text),
        Statement::verbose(format!("handoff file: {file}, {claim}, by {source}")),
    ];
    let problem = |text: &String| Statement::verbose(format!("handoff problem: {text}"));
    statements.extend(problems.iter().map(problem));
    statements
}

pub(super) fn compaction_started(event: &LoopEvent) -> Vec<Statement> {
    let LoopEvent::CompactionStarted { reason, text, handoffs, folder } = event else {
        return Vec::new();
    };
    let text = format!("{}: {}", compacting(*handoffs), sanitize::line(text));
    vec![
        Statement::marked(Role::Dim, Mark::Start).with(Role::Dim, text),
        Statement::verbose(format!("compaction trigger: {reason}, files: {folder}")),
    ]
}

pub(super) fn compaction_ended(event: &LoopEvent) -> Vec<Statement> {
    let LoopEvent::CompactionEnded { outcome, text, seconds, cost_usd } = event else {
        return Vec::new();
    };
    // 0 also means that the agent reports no cost.
    let cost = if *cost_usd > 0.0 { format!(", {}", money(*cost_usd)) } else { String::new() };
    let took = format!("{}{cost}", duration(*seconds));
    vec![match outcome {
        CompactionOutcome::Compacted => {
            Statement::note(Role::Good, Mark::Ok, format!("compacted ({took})"))
        }
        CompactionOutcome::Stopped => Statement::text(Role::Dim, "compaction stopped"),
        CompactionOutcome::Failed => {
            let why = sanitize::line(text);
            Statement::warning(format!("compaction failed, retrying later: {why} ({took})"))
        }
    }]
}

pub(super) fn plan_amended(applied: &[String], refused: &[String]) -> Vec<Statement> {
    let plan = |text: &String| format!("plan: {}", sanitize::line(text));
    let applied = applied.iter().map(|text| Statement::note(Role::Good, Mark::Ok, plan(text)));
    let refused = refused.iter().map(|text| Statement::warning(plan(text)));
    applied.chain(refused).collect()
}

pub(super) fn rolled_back(back: &RolledBack) -> Vec<Statement> {
    let RolledBack { iteration, to, backup, removed, restored, left, .. } = back;
    let (to, files) = (short_id(to), files(*removed, *restored));
    let text = format!("rolled back iteration {iteration} to {to}{files}");
    let kept = (!backup.is_empty())
        .then(|| Statement::below(Role::Plain, format!("its changes are kept in {backup}")));
    let left = left
        .iter()
        .map(|text| Statement::warning(format!("not restored: {}", sanitize::line(text))));
    let head = Statement::note(Role::Accent, Mark::Back, text);
    std::iter::once(head).chain(kept).chain(left).collect()
}

/// `: 2 files removed, 1 restored`
fn files(removed: u64, restored: u64) -> String {
    let files = |number| count(number, "file", "files");
    match (removed, restored) {
        (0, 0) => String::new(),
        (0, restored) => format!(": {} restored", files(restored)),
        (removed, 0) => format!(": {} removed", files(removed)),
        (removed, restored) => format!(": {} removed, {restored} restored", files(removed)),
    }
}
