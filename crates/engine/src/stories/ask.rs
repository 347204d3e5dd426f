//! A session beside the work on a story, of which only its words are wanted: it is held to no rules of
//! the loop. What it may not touch is for whoever asks to see to.

use std::path::PathBuf;

use agents::Request;
use uuid::Uuid;

use crate::allowance::Allowance;
use crate::options::AgentOptions;
use crate::session::{Call, Session};
use crate::stories::run::Run;
use crate::watch::Guarded;
use crate::{RunError, own_file};

pub(crate) struct Question<'q> {
    pub(crate) agent: &'q AgentOptions,
    pub(crate) prompt: String,
    pub(crate) prompt_file: PathBuf,
    /// Where its stream is recorded.
    pub(crate) recording: PathBuf,
    /// The iteration that it comes before or after.
    pub(crate) iteration: u64,
    /// The MCP servers that it sees.
    pub(crate) servers: PathBuf,
    pub(crate) answer_schema: Option<&'static str>,
    pub(crate) allowance: Allowance,
}

impl Run<'_> {
    pub(crate) fn ask(&mut self, question: Question<'_>) -> Result<Session, RunError> {
        let Question { agent, prompt, prompt_file, .. } = question;
        own_file::write(&prompt_file, &prompt)
            .map_err(|error| RunError::Disk { path: prompt_file.display().to_string(), error })?;
        // No hook holds this session to the rules of an iteration.
        self.remove_marker();
        let run = &self.options.run;
        let request = Request {
            prompt: prompt.clone(),
            folder: self.layout.root().to_path_buf(),
            session_id: Uuid::new_v4().to_string(),
            model: agent.model.clone(),
            fallback_model: agent.fallback_model.clone(),
            max_turns: agent.max_turns,
            max_budget_usd: run.budget_left(self.state.counters.cost_usd),
            servers: self.servers(agent, question.servers),
            answer_schema: question.answer_schema,
            extra_args: agent.extra_args.clone(),
            prompt_via: agent.prompt_via,
            prompt_file,
            ..Request::default()
        };
        let command =
            self.session_context().command(agent, request, question.iteration, Vec::new())?;
        self.session_context().converse(Call {
            agent,
            command,
            prompt: &prompt,
            recording: &question.recording,
            context_window: None,
            completion: None,
            guarded: Guarded::of_commands(agent.agent),
            allowance: question.allowance,
        })
    }
}
