//! Verbose lines about prompts, handoffs, compactions, plan changes and rollbacks.

use events::{CompactionOutcome, CompactionReason, HandoffClaim, LoopEvent};

use super::timed;

pub(super) fn texts(event: &LoopEvent) -> Vec<String> {
    match event {
        LoopEvent::ContextAssembled { iteration, tokens, budget, parts } => {
            let whole =
                format!("Prompt of iteration {iteration}: {tokens} tokens, budget {budget}");
            let parts = parts.iter().map(|part| {
                let (name, tokens, wanted) = (&part.part, part.tokens, part.wanted_tokens);
                format!("Section {name}: {tokens} of {wanted} tokens, omitted {}", part.left_out)
            });
            std::iter::once(whole).chain(parts).collect()
        }
        LoopEvent::HandoffSaved { iteration, source, claim, problems, file, .. } => {
            let claim = match claim {
                HandoffClaim::Complete => "complete",
                HandoffClaim::Partial => "partial",
            };
            let kept = format!("Handoff of iteration {iteration}: {claim}, by {source}, {file}");
            let problems = problems.iter().map(|problem| format!("Handoff problem: {problem}"));
            std::iter::once(kept).chain(problems).collect()
        }
        LoopEvent::CompactionStarted { reason, text, handoffs, folder } => {
            let reason = match reason {
                CompactionReason::Docs => "docs",
                CompactionReason::Bytes => "bytes",
                CompactionReason::Interval => "interval",
            };
            vec![format!(
                "Compaction starting: trigger {reason} ({text}), handoffs {handoffs}, files {folder}"
            )]
        }
        LoopEvent::CompactionEnded { outcome, text, seconds, .. } => {
            let outcome = match outcome {
                CompactionOutcome::Compacted => "done",
                CompactionOutcome::Failed => "failed",
                CompactionOutcome::Stopped => "stopped",
            };
            let colon = if text.is_empty() { "" } else { ": " };
            vec![format!("Compaction {outcome} {}{colon}{text}", timed(*seconds))]
        }
        LoopEvent::PlanAmended { iteration, applied, refused } => {
            let applied = applied.iter().map(|text| format!("Plan, iteration {iteration}: {text}"));
            let refused = refused.iter().map(|text| format!("Plan, iteration {iteration}: {text}"));
            applied.chain(refused).collect()
        }
        LoopEvent::RolledBack { iteration, story, to, backup, removed, restored, left } => {
            let backup = if backup.is_empty() { "none" } else { backup };
            let rolled = format!(
                "Rollback of iteration {iteration} ({story}): to {to}, removed {removed}, restored \
                 {restored}, backup {backup}"
            );
            let left = left.iter().map(|text| format!("Rollback, not restored: {text}"));
            std::iter::once(rolled).chain(left).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::report::test_events::a_run_with_memory;
    use crate::report::{Reporter, Verbose};

    #[test]
    fn a_run_with_memory_step_by_step() {
        let mut out = Vec::new();
        let mut verbose = Verbose::new(&mut out);
        a_run_with_memory().iter().for_each(|stamped| verbose.event(stamped).unwrap());
        let all = String::from_utf8(out).unwrap();
        let words = ["Prompt of", "Section", "Handoff", "Compaction", "Plan", "Rollback", "Soft"];
        let shown = all
            .lines()
            .filter(|line| words.iter().any(|word| line.starts_with(&format!("[ralph] {word}"))));
        let runs = ".ralph/runs/20261115-010000-ab12";
        let expected = format!(
            "\
[ralph] Prompt of iteration 3: 1050 tokens, budget 8000
[ralph] Section task: 640 of 640 tokens, omitted 0
[ralph] Section output: 410 of 410 tokens, omitted 0
[ralph] Handoff of iteration 3: complete, by the agent, {runs}/003-implement-US-002/handoff.json
[ralph] Plan, iteration 3: story US-004 added after US-002: refunds need sums of their own
[ralph] Plan, iteration 3: refused: remove US-001: US-001 is done and may not change
[ralph] Compaction starting: trigger interval (5 iterations since the last), handoffs 5, files {runs}/004-memory
[ralph] Compaction done (42.0s)
[ralph] Prompt of iteration 4: 5980 tokens, budget 8000
[ralph] Section task: 640 of 640 tokens, omitted 0
[ralph] Section output: 410 of 410 tokens, omitted 0
[ralph] Section skills: 1500 of 2900 tokens, omitted 1
[ralph] Section previous: 480 of 480 tokens, omitted 0
[ralph] Section compacted: 2950 of 4100 tokens, omitted 12
[ralph] Handoff of iteration 4: partial, by the runner, {runs}/004-implement-US-002/handoff.json
[ralph] Rollback of iteration 4 (US-002): to 0123456789abcdef, removed 2, restored 1, backup refs/ralph/20261115-010000-ab12/rolled-back-4-1
[ralph] Rollback, not restored: target/ (not tracked by git and changed)
[ralph] Compaction starting: trigger docs (the next story needs documentation of rust_decimal), handoffs 0, files {runs}/004-memory
[ralph] Soft limit: the compaction, 720s, hard limit 1200s
[ralph] Compaction failed (42.0s): its answer does not have the required format
[ralph] Handoff of iteration 5: complete, by the agent, in parts, {runs}/005-implement-US-002/handoff.json
[ralph] Handoff problem: deviations[0].reason: missing"
        );
        assert_eq!(shown.collect::<Vec<_>>().join("\n"), expected);
    }
}
