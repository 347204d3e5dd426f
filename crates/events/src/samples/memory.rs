//! A run with handoffs: one iteration succeeds, one is rolled back, and two compactions run.

use crate::*;
use serde_json::json;
use tasks::Mode;

use super::{
    RUN, agent_called, agent_ended, every, iteration_ended, iteration_started, like, run_ended,
    time_warning,
};

pub fn part(part: &str, tokens: u64, wanted_tokens: u64, left_out: u64) -> ContextPart {
    ContextPart { part: part.into(), tokens, wanted_tokens, allotted_tokens: None, left_out }
}

pub fn context_assembled(iteration: u64, parts: &[ContextPart]) -> LoopEvent {
    let tokens = parts.iter().map(|part| part.tokens).sum();
    LoopEvent::ContextAssembled { iteration, tokens, budget: 8000, parts: parts.to_vec() }
}

pub fn handoff_saved(iteration: u64, source: HandoffSource, problems: &[&str]) -> LoopEvent {
    let file = format!(".ralph/runs/{RUN}/{iteration:03}-implement-US-002/handoff.json");
    let mut fields =
        json!({"iteration": iteration, "source": source, "problems": problems, "file": file});
    if source == HandoffSource::Runner {
        fields["claim"] = "partial".into();
        fields["text"] = "[US-002] The tax is rounded, the tests are not. Partial. 1 file.".into();
    }
    like("handoff-saved", fields)
}

pub fn compaction_started(reason: CompactionReason, handoffs: u64) -> LoopEvent {
    let text = match reason {
        CompactionReason::Docs => "the next story needs documentation of rust_decimal",
        CompactionReason::Bytes => "32768 bytes of handoffs, more than 32000",
        CompactionReason::Interval => "5 iterations since the last",
    };
    let folder = format!(".ralph/runs/{RUN}/004-memory");
    LoopEvent::CompactionStarted { reason, text: text.into(), handoffs, folder }
}

pub fn compaction_ended(outcome: CompactionOutcome, text: &str) -> LoopEvent {
    LoopEvent::CompactionEnded { outcome, text: text.into(), seconds: 42.0, cost_usd: 0.05 }
}

pub fn plan_amended(applied: &[&str], refused: &[&str]) -> LoopEvent {
    let lines = |texts: &[&str]| texts.iter().map(|&text| text.into()).collect();
    LoopEvent::PlanAmended { iteration: 3, applied: lines(applied), refused: lines(refused) }
}

pub fn rolled_back(left: &[&str]) -> LoopEvent {
    like("rolled-back", json!({"left": left}))
}

pub fn a_run_with_memory() -> Vec<Stamped> {
    let started = |iteration| iteration_started(iteration, 1, Mode::Implement);
    let first = [part("task", 640, 640, 0), part("output", 410, 410, 0)];
    let later = [
        part("task", 640, 640, 0),
        part("output", 410, 410, 0),
        part("skills", 1500, 2900, 1),
        part("previous", 480, 480, 0),
        part("compacted", 2950, 4100, 12),
    ];
    let events = vec![
        like("run-started", json!({"resumed": null})),
        started(3),
        context_assembled(3, &first),
        agent_called("claude -p", "Implement the story US-002."),
        agent_ended(AgentOutcome::Answered, "", &[]),
        handoff_saved(3, HandoffSource::Agent, &[]),
        plan_amended(
            &["story US-004 added after US-002: refunds need sums of their own"],
            &["refused: remove US-001: US-001 is done and may not change"],
        ),
        iteration_ended(3, Mode::Implement, IterationStatus::Accepted),
        compaction_started(CompactionReason::Interval, 5),
        agent_ended(AgentOutcome::Answered, "", &[]),
        compaction_ended(CompactionOutcome::Compacted, ""),
        started(4),
        context_assembled(4, &later),
        agent_ended(AgentOutcome::Crashed, "exit code 1", &[]),
        handoff_saved(4, HandoffSource::Runner, &[]),
        rolled_back(&["target/ (not tracked by git and changed)"]),
        iteration_ended(4, Mode::Implement, IterationStatus::ChecksFailed),
        compaction_started(CompactionReason::Docs, 0),
        time_warning(crate::TimedTask::Memory),
        agent_ended(AgentOutcome::TimedOut, "", &[]),
        compaction_ended(CompactionOutcome::Failed, "its answer does not have the required format"),
        started(5),
        handoff_saved(5, HandoffSource::Repaired, &["deviations[0].reason: missing"]),
        iteration_ended(5, Mode::Implement, IterationStatus::Accepted),
        run_ended(RunEnd::Interrupted),
    ];
    every(60, events)
}
