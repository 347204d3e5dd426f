//! The message of a commit: the agent is asked for it, and nothing may change meanwhile.

use std::path::Path;

use agents::Request;
use supervise::Waited;
use uuid::Uuid;

use super::Scm;
use crate::allowance::Allowance;
use crate::commit_message;
use crate::options::ScmTask;
use crate::session::{Call, Session};
use crate::session_context::SessionContext;
use crate::watch::Guarded;
use crate::{AgentOutcome, RunError, Timed, own_file};

/// What is needed before anything is committed.
pub(crate) struct Prepared {
    pub(crate) message: Message,
    /// Those that were asked for the message.
    pub(crate) sessions: Vec<Session>,
    pub(crate) meanwhile: Meanwhile,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Message {
    /// There is nothing to commit, or nobody asked for a commit.
    NotNeeded,
    Given(String),
    /// The agent was asked and gave none.
    Missing {
        why: String,
    },
    /// The user stopped the run before the agent had answered.
    Stopped,
}

/// What the agent did to the work tree while it was asked for words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meanwhile {
    Untouched,
    Changed,
}

impl Message {
    /// Only an answer has one: what an agent says about its own failure is no message.
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

impl SessionContext<'_, '_> {
    /// Asks for a commit message, if one is needed.
    pub(crate) fn prepare_commit(
        &mut self,
        scm: &Scm<'_>,
        iteration: u64,
    ) -> Result<Prepared, RunError> {
        let nothing = Prepared {
            message: Message::NotNeeded,
            sessions: Vec::new(),
            meanwhile: Meanwhile::Untouched,
        };
        if !scm.options.tasks.contains(&ScmTask::Commit) {
            return Ok(nothing);
        }
        let Some(before) = scm.pending(self)? else { return Ok(nothing) };
        let mut sessions = vec![self.ask_for_message(scm.folder, iteration)?];
        let mut message = sessions.last().map_or(Message::NotNeeded, Message::of);
        // As any session that fails, within the same bounds.
        let retries = self.options.policy.retries;
        for number in 1..=retries.most {
            if !matches!(message, Message::Missing { .. }) {
                break;
            }
            self.sink.warn(format!("no commit message; asked again, {number} of {}", retries.most));
            if self.switch.requests().wait(retries.wait(number)) == Waited::Stopped {
                message = Message::Stopped;
                break;
            }
            let session = self.ask_for_message(scm.folder, iteration)?;
            message = Message::of(&session);
            sessions.push(session);
        }
        scm.tree.remove_special_files()?;
        let untouched = scm.pending(self)? == Some(before);
        let meanwhile = if untouched { Meanwhile::Untouched } else { Meanwhile::Changed };
        Ok(Prepared { message, sessions, meanwhile })
    }

    fn ask_for_message(&mut self, folder: &Path, iteration: u64) -> Result<Session, RunError> {
        let options = self.options;
        let agent = &options.agent;
        let file = folder.join("commit-message-prompt.md");
        own_file::write(&file, commit_message::PROMPT)
            .map_err(|error| RunError::Disk { path: file.display().to_string(), error })?;
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
        self.converse(Call {
            agent,
            command,
            prompt: commit_message::PROMPT,
            recording: &folder.join("commit-message.jsonl"),
            context_window: None,
            completion: None,
            guarded: Guarded::of_commands(agent.agent),
            allowance: Allowance { what: Timed::Implement, limit: options.limits.implement },
        })
    }
}
