//! Memory compaction: an agent condenses the handoffs since the last compaction into one account for later
//! prompts. A failed compaction loses nothing and is tried again later.

use std::path::Path;

use events::{AgentOutcome, CompactionOutcome, CompactionReason, LoopEvent, TimedTask};
use memory::{CompactedContext, CompactionLimits, Docs, PromptPart, Trigger};
use project::record_protected;
use tasks::{Mode, Sha256Digest, Story};

use crate::coordinator::core::Coordinator;
use crate::coordinator::state::{SessionKind, SideSessionState};
use crate::lane::prompt::{self};
use crate::lane::{AnswerFormat, Assignment, CompactionInput, SideSession, TaskText, write_before};
use crate::memory::{compacted_context, compacted_file, handoffs};
use crate::options::MemoryOptions;
use crate::run_files::{deadline, no_commit};
use crate::session::{Allowance, Session};
use crate::workspace::{Actor, protected_contents};
use crate::{RunError, own_file, run_files};

/// Characters of handoffs that the prompt contains in full; older ones get one line each.
const WHOLE_HANDOFFS: usize = 200_000;

impl<'a> Coordinator<'a> {
    /// Compacts before a coding iteration if there is a reason.
    pub(crate) fn compact_if_due(&mut self, assignment: &Assignment) -> Result<(), RunError> {
        let options = self.options;
        let Some(memory) = &options.memory else { return Ok(()) };
        let expected = self.expected_tasks()?;
        let Some(story) = expected.list.story(&assignment.story) else { return Ok(()) };
        match self.compaction_due(assignment.mode, story) {
            Some(trigger) => self.compact(memory, assignment, story, &trigger, &expected),
            None => Ok(()),
        }
    }

    /// The reason to compact before an iteration on `story`, if any.
    pub(crate) fn compaction_due(&self, mode: Mode, story: &Story) -> Option<Trigger> {
        let options = self.options.memory.as_ref().filter(|_| mode != Mode::Review)?;
        let limits = CompactionLimits {
            bytes: options.compact_after_bytes,
            interval: options.compact_after_iterations,
        };
        memory::trigger(&self.state.memory.since_compaction(), &self.docs(story), &limits)
    }

    fn docs<'s>(&self, story: &'s Story) -> Docs<'s> {
        let needed = story.needs_docs || !story.libraries.is_empty();
        let looked_up = self.state.memory.docs_for.as_ref() == Some(&story.id);
        Docs { needed, libraries: &story.libraries, looked_up }
    }

    fn compact(
        &mut self,
        memory: &'a MemoryOptions,
        assignment: &Assignment,
        story: &Story,
        trigger: &Trigger,
        before: &TaskText,
    ) -> Result<(), RunError> {
        let name = format!("{:03}-memory", assignment.iteration);
        let folder = run_files::new_folder(self.layout, &self.state.run_id, &name, 1)?;
        self.control.sink.emit(LoopEvent::CompactionStarted {
            reason: match trigger {
                Trigger::Docs { .. } => CompactionReason::Docs,
                Trigger::Bytes { .. } => CompactionReason::Bytes,
                Trigger::Interval { .. } => CompactionReason::Interval,
            },
            text: trigger.to_string(),
            handoffs: self.state.memory.to_compact().count() as u64,
            folder: self.layout.name_of(&folder),
        });
        let head = self.lane.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        let protected = protected_contents(self.layout, []);
        write_before(self.layout, &folder, before, &protected)?;
        self.lane_state.side_session = Some(SideSessionState {
            kind: SessionKind::Compaction,
            folder: self.layout.name_of(&folder),
            head: head.to_string(),
            protected: record_protected(self.layout),
        });
        self.save()?;
        let snapshot = self.lane.workspace.snapshot(
            Actor::Compaction,
            Some(story.id.clone()),
            head,
            &before.text,
        );
        let session = self.ask_to_compact(memory, (assignment, story), &folder, trigger)?;
        for finding in self.lane.workspace.restore_unexpected_changes(&snapshot, &folder)? {
            self.control.sink.warn(format!("{finding}; restored"));
        }
        self.lane_state.side_session = None;
        let compacted = context_of(&session).and_then(|context| self.keep_compacted(&context));
        self.record_compaction(story, trigger, &session, compacted)
    }

    /// Oldest first. The newest are included in full, up to the size limit.
    fn to_compact(&self) -> Vec<String> {
        let mut budget = WHOLE_HANDOFFS;
        let newest_first = self.state.memory.to_compact().rev().filter_map(|kept| {
            let handoff = handoffs::kept(self.layout, kept)?;
            let result =
                kept.result.description().map(|text| format!(", {text}")).unwrap_or_default();
            let label =
                format!("Iteration {} ({} of {}){result}", kept.iteration, kept.mode, kept.story);
            let whole = memory::document(&handoff);
            let text = match budget.checked_sub(whole.len()) {
                Some(left) => {
                    budget = left;
                    crate::templates::fence::fenced(&whole)
                }
                None => {
                    budget = 0;
                    memory::line(&handoff)
                }
            };
            Some(format!("{label}:\n\n{text}"))
        });
        let mut all: Vec<String> = newest_first.collect();
        all.reverse();
        all
    }

    fn ask_to_compact(
        &mut self,
        memory: &'a MemoryOptions,
        (assignment, story): (&Assignment, &Story),
        folder: &Path,
        trigger: &Trigger,
    ) -> Result<Session, RunError> {
        // An MCP server that stores files there does not create the folder.
        let account = compacted_file(self.layout);
        own_file::clear_path(self.layout.root(), &account)
            .map_err(RunError::disk(self.layout.name_of(&account)))?;
        let before = compacted_context(self.layout, &self.state.memory);
        let own = self.lane.own_template(&self.layout.memory_prompt())?;
        let (handoffs, servers) = (self.to_compact(), self.layout.mcp_memory());
        let budget = usize::try_from(memory.context_tokens).unwrap_or(usize::MAX);
        let limit = self.options.run.limits.memory;
        self.run_aside(&memory.agent, &story.id, |agent| SideSession {
            agent,
            prompt: prompt::about_compaction(&CompactionInput {
                template: own.as_deref(),
                before: before.as_ref(),
                handoffs: &handoffs,
                story,
                looks_up: matches!(trigger, Trigger::Docs { .. })
                    .then_some(story.libraries.as_slice()),
                tokens: PromptPart::Compacted.allotment(budget),
                answer_format: AnswerFormat::of(agent),
            }),
            prompt_file: folder.join("prompt.md"),
            recording: folder.join("stream.jsonl"),
            iteration: assignment.iteration,
            servers: servers.clone(),
            answer_schema: match AnswerFormat::of(agent) {
                AnswerFormat::Schema => Some(memory::COMPACTED_SCHEMA),
                AnswerFormat::Block => None,
            },
            allowance: Allowance { what: TimedTask::Memory, limit },
        })
    }

    /// Writes the account to the history and to the file that prompts read.
    fn keep_compacted(&self, context: &CompactedContext) -> Result<Sha256Digest, String> {
        let text = serde_json::to_string_pretty(context).map_err(|error| error.to_string())? + "\n";
        let history = self.layout.memory_dir().join("history");
        let number = self.state.memory.compactions + 1;
        let kept = history.join(format!("{}-{number:03}.json", self.state.run_id));
        let write = |path: &Path| own_file::put(self.layout.project_root(), path, text.as_bytes());
        write(&kept)
            .and_then(|()| write(&compacted_file(self.layout)))
            .map_err(|error| format!("the account could not be written: {error}"))?;
        Ok(Sha256Digest::of(&text))
    }

    fn record_compaction(
        &mut self,
        story: &Story,
        trigger: &Trigger,
        session: &Session,
        compacted: Result<Sha256Digest, String>,
    ) -> Result<(), RunError> {
        let conclusion = &session.conclusion;
        let cost_usd = conclusion.cost_usd().unwrap_or_default();
        let state = &mut self.state;
        state.counters.add_session(conclusion);
        state.counters.quota = conclusion.quota.or(state.counters.quota);
        state.tokens.add(conclusion.tokens());
        let (outcome, text) = match compacted {
            Ok(account) => {
                let is_docs = matches!(trigger, Trigger::Docs { .. });
                state.memory.compacted(account, is_docs.then(|| story.id.clone()));
                (CompactionOutcome::Compacted, String::new())
            }
            // The session was stopped, so this is not a failure.
            Err(_) if conclusion.outcome == AgentOutcome::Stopped => {
                (CompactionOutcome::Stopped, String::new())
            }
            Err(why) => {
                state.memory.compaction_failed();
                (CompactionOutcome::Failed, why)
            }
        };
        let seconds = session.elapsed.as_secs_f64();
        self.control.sink.emit(LoopEvent::CompactionEnded { outcome, text, seconds, cost_usd });
        self.save()
    }
}

/// The account, or the reason why there is none.
fn context_of(session: &Session) -> Result<CompactedContext, String> {
    let conclusion = &session.conclusion;
    let structured = conclusion.result.as_ref().and_then(|result| result.structured.clone());
    let value =
        structured.or_else(|| memory::extract_json(session.last_message(), "project_summary"));
    match value.as_ref().map(memory::read_compacted) {
        Some((Some(context), _)) => Ok(context),
        Some((None, problems)) => {
            let problem = problems.into_iter().next().unwrap_or_default();
            Err(format!("the account is unusable: {problem}"))
        }
        None if conclusion.outcome == AgentOutcome::Answered => {
            Err("the agent gave no account in the requested format".into())
        }
        None if conclusion.detail.is_empty() => Err("the agent gave no answer".into()),
        None => Err(conclusion.detail.clone()),
    }
}
