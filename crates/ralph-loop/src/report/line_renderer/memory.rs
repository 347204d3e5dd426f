//! Lines about prompts, handoffs, compactions, plan changes and rollbacks.

use events::{CompactionOutcome, ContextPart, HandoffSource, LoopEvent, compacting};

use super::{LineRenderer, duration};
use crate::report::format::{listed, short_id};
use crate::report::{Line, Role, count, money};

impl LineRenderer {
    pub(super) fn about_memory(&self, event: &LoopEvent) -> Vec<Line> {
        let marks = self.look.marks;
        match event {
            LoopEvent::ContextAssembled { tokens, budget, parts, .. } => {
                self.context_assembled(*tokens, *budget, parts)
            }
            LoopEvent::HandoffSaved { source, text, problems, .. } => {
                let by = source_note(*source, problems.len() as u64);
                let text = sanitize::line(text);
                self.note(Role::Accent, marks.moved, &format!("handoff: {text}{by}"))
            }
            LoopEvent::CompactionStarted { text, handoffs, .. } => {
                let text = format!("{}: {}", compacting(*handoffs), sanitize::line(text));
                self.toned_note(Role::Dim, marks.start, Role::Dim, &text)
            }
            LoopEvent::CompactionEnded { outcome, text, seconds, cost_usd } => {
                self.compaction_ended(*outcome, text, *seconds, *cost_usd)
            }
            LoopEvent::PlanAmended { applied, refused, .. } => {
                let plan = |role, mark, text: &String| {
                    self.note(role, mark, &format!("plan: {}", sanitize::line(text)))
                };
                let applied = applied.iter().flat_map(|text| plan(Role::Good, marks.ok, text));
                let refused = refused.iter().flat_map(|text| plan(Role::Warn, marks.warning, text));
                applied.chain(refused).collect()
            }
            LoopEvent::RolledBack { .. } => self.rolled_back(event),
            _ => Vec::new(),
        }
    }

    fn context_assembled(&self, tokens: u64, budget: u64, parts: &[ContextPart]) -> Vec<Line> {
        if tokens > budget {
            let text = format!(
                "the prompt has {tokens} tokens, over its budget of {budget}: the parts that are never \
                cut exceed it"
            );
            return self.note(Role::Warn, self.look.marks.warning, &text);
        }
        let text = format!("prompt: {tokens} of {budget} tokens{}", omitted(parts));
        self.text_block(&text, 2, Role::Dim)
    }

    fn compaction_ended(
        &self,
        outcome: CompactionOutcome,
        text: &str,
        seconds: f64,
        cost_usd: f64,
    ) -> Vec<Line> {
        let marks = self.look.marks;
        // 0 also means that the agent reports no cost.
        let cost = if cost_usd > 0.0 { format!(", {}", money(cost_usd)) } else { String::new() };
        let took = format!("{}{cost}", duration(seconds));
        match outcome {
            CompactionOutcome::Compacted => {
                self.note(Role::Good, marks.ok, &format!("compacted ({took})"))
            }
            CompactionOutcome::Stopped => self.text_block("compaction stopped", 2, Role::Dim),
            CompactionOutcome::Failed => {
                let why = sanitize::line(text);
                let text = format!("compaction failed, retrying later: {why} ({took})");
                self.note(Role::Warn, marks.warning, &text)
            }
        }
    }

    fn rolled_back(&self, event: &LoopEvent) -> Vec<Line> {
        let LoopEvent::RolledBack { iteration, to, backup, removed, restored, left, .. } = event
        else {
            return Vec::new();
        };
        let marks = self.look.marks;
        let to = short_id(to);
        let text =
            format!("rolled back iteration {iteration} to {to}{}", files(*removed, *restored));
        let mut lines = self.note(Role::Accent, marks.back, &text);
        if !backup.is_empty() {
            let text = format!("its changes are kept in {backup}");
            lines.extend(self.text_block(&text, 6, Role::Plain));
        }
        for text in left {
            let text = format!("not restored: {}", sanitize::line(text));
            lines.extend(self.note(Role::Warn, marks.warning, &text));
        }
        lines
    }
}

/// `; omitted: 2 of compacted and 1 of earlier`, or nothing.
fn omitted(parts: &[ContextPart]) -> String {
    let cut = parts.iter().filter(|part| part.left_out > 0);
    let cut: Vec<String> = cut.map(|part| format!("{} of {}", part.left_out, part.part)).collect();
    if cut.is_empty() { String::new() } else { format!("; omitted: {}", listed(&cut)) }
}

fn source_note(source: HandoffSource, problems: u64) -> String {
    match (source, problems) {
        (HandoffSource::Agent, _) => String::new(),
        (HandoffSource::Repaired, problems) => {
            format!(" ({} ignored)", count(problems, "invalid part", "invalid parts"))
        }
        (HandoffSource::Runner, 0) => " (written by the runner: the agent wrote none)".to_owned(),
        (HandoffSource::Runner, _) => {
            " (written by the runner: the agent's was invalid)".to_owned()
        }
    }
}

/// `: 2 files removed, 1 restored`
fn files(removed: u64, restored: u64) -> String {
    let removed = (removed > 0).then(|| format!("{} removed", count(removed, "file", "files")));
    let restored = match (&removed, restored) {
        (_, 0) => None,
        (Some(_), restored) => Some(format!("{restored} restored")),
        (None, restored) => Some(format!("{} restored", count(restored, "file", "files"))),
    };
    let files: Vec<String> = removed.into_iter().chain(restored).collect();
    if files.is_empty() { String::new() } else { format!(": {}", files.join(", ")) }
}
