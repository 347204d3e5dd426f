//! Asks the agent for a commit message, and checks that it changes nothing meanwhile.

use std::path::Path;

use agents::Request;
use events::{AgentOutcome, TimedTask};
use supervise::WaitResult;
use uuid::Uuid;

use super::Scm;
use crate::control::{AgentChoice, RunControl, UsageLimits};
use crate::options::{AgentOptions, ScmTask};
use crate::scm::commit_message;
use crate::session::{Allowance, ExpectedHooks, Session, SessionRequest};
use crate::{RunError, own_file};

#[derive(Default)]
pub(crate) struct PreparedCommit {
    pub(crate) message: CommitMessage,
    /// The sessions that were asked for the message.
    pub(crate) sessions: Vec<Session>,
    /// Whether the agent changed the work tree meanwhile.
    pub(crate) files_changed: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum CommitMessage {
    /// Nothing to commit, or commits are not configured.
    #[default]
    NotNeeded,
    Given(String),
    /// The agent gave none.
    Missing {
        why: String,
    },
    /// The user stopped the run before the agent answered.
    Stopped,
}

impl CommitMessage {
    /// Only from an answer: the agent's text about its own failure is no message.
    fn of(Session { conclusion, .. }: &Session) -> Self {
        let answer = conclusion.result.as_ref().map(|result| result.text.as_str());
        let given = match conclusion.outcome {
            AgentOutcome::Stopped => return Self::Stopped,
            AgentOutcome::Answered => commit_message::extract(answer.unwrap_or_default()),
            _ => None,
        };
        match given {
            Some(message) => Self::Given(message),
            None => Self::Missing { why: conclusion.detail.clone() },
        }
    }
}

impl RunControl<'_> {
    /// Asks for a commit message, if one is needed.
    pub(crate) fn prepare_commit(
        &mut self,
        scm: &Scm<'_>,
        limits: &mut UsageLimits,
        iteration: u64,
    ) -> Result<PreparedCommit, RunError> {
        if !scm.options.tasks.contains(&ScmTask::Commit) {
            return Ok(PreparedCommit::default());
        }
        let Some(before) = scm.pending(self)? else { return Ok(PreparedCommit::default()) };
        let mut sessions = Vec::new();
        // Retried like every failed session.
        let retries = self.options.policy.retries;
        let choice = AgentChoice::new(self.options, &self.options.agent);
        let mut number = 0;
        let message = loop {
            let agent = choice.choose(limits, events::now());
            let session = self.ask_for_message(scm.folder, agent, iteration)?;
            let message = CommitMessage::of(&session);
            let is_taken_over = choice.takes_over(agent, limits, &session.conclusion);
            sessions.push(session);
            if is_taken_over {
                continue;
            }
            let most = retries.most;
            number += 1;
            if !matches!(message, CommitMessage::Missing { .. }) || number > most {
                break message;
            }
            self.sink.warn(format!("the agent gave no commit message; retry {number} of {most}"));
            if self.switch.requests().wait(retries.wait(number)) == WaitResult::Stopped {
                break CommitMessage::Stopped;
            }
        };
        scm.tree.remove_special_files()?;
        let files_changed = scm.pending(self)? != Some(before);
        Ok(PreparedCommit { message, sessions, files_changed })
    }

    fn ask_for_message(
        &mut self,
        folder: &Path,
        agent: &AgentOptions,
        iteration: u64,
    ) -> Result<Session, RunError> {
        let options = self.options;
        let file = folder.join("commit-message-prompt.md");
        own_file::write(&file, commit_message::PROMPT).map_err(RunError::disk(file.display()))?;
        let request = Request {
            prompt: commit_message::PROMPT.to_owned(),
            folder: options.layout.root().to_path_buf(),
            session_id: Uuid::new_v4().to_string(),
            model: agent.model.clone(),
            extra_args: agent.extra_args.clone(),
            prompt_via: agent.prompt_via,
            prompt_file: file,
            ..Request::default()
        };
        let command = self.command(agent, request, iteration, Vec::new())?;
        self.run_session(SessionRequest {
            agent,
            command,
            prompt: commit_message::PROMPT,
            recording: &folder.join("commit-message.jsonl"),
            context_window: None,
            completion: None,
            expected_hooks: ExpectedHooks::of_commands(agent.agent),
            allowance: Allowance { what: TimedTask::Implement, limit: options.limits.implement },
        })
    }
}
