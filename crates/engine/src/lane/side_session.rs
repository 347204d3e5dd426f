//! Sessions outside the work on a story, of which only the answer is used. The hooks do not apply to them.
//! The caller restores what such a session must not change.

use std::path::PathBuf;

use agents::{Request, Value};
use uuid::Uuid;

use crate::control::RunControl;
use crate::lane::core::Lane;
use crate::options::AgentOptions;
use crate::session::{Allowance, ExpectedHooks, Session, SessionRequest};
use crate::{RunError, own_file};

pub(crate) struct SideSession<'q> {
    pub(crate) agent: &'q AgentOptions,
    pub(crate) prompt: String,
    pub(crate) prompt_file: PathBuf,
    pub(crate) recording: PathBuf,
    /// The iteration before or after which the session runs.
    pub(crate) iteration: u64,
    /// The MCP configuration file.
    pub(crate) servers: PathBuf,
    pub(crate) answer_schema: Option<&'static str>,
    pub(crate) allowance: Allowance,
}

impl Lane<'_> {
    pub(crate) fn run_side_session(
        &mut self,
        side: SideSession<'_>,
        unavailable_usd: f64,
        control: &mut RunControl<'_>,
    ) -> Result<Session, RunError> {
        let SideSession { agent, prompt, prompt_file, .. } = side;
        own_file::write(&prompt_file, &prompt).map_err(RunError::disk(prompt_file.display()))?;
        // The hooks apply the rules of an iteration only while the marker exists.
        self.remove_marker();
        let run = &self.options.run;
        let request = Request {
            prompt: prompt.clone(),
            folder: self.layout.root().to_path_buf(),
            session_id: Uuid::new_v4().to_string(),
            model: agent.model.clone(),
            fallback_model: agent.fallback_model.clone(),
            max_turns: agent.max_turns,
            max_budget_usd: run.budget_left(unavailable_usd),
            servers: self.servers(agent, side.servers),
            answer_schema: side.answer_schema,
            extra_args: agent.extra_args.clone(),
            prompt_via: agent.prompt_via,
            prompt_file,
            ..Request::default()
        };
        // It must read the committed objects.
        let no_replacements = ("GIT_NO_REPLACE_OBJECTS".into(), Value::Shown("1".into()));
        let command = control.command(agent, request, side.iteration, vec![no_replacements])?;
        control.run_session(SessionRequest {
            agent,
            command,
            prompt: &prompt,
            recording: &side.recording,
            context_window: None,
            completion: None,
            expected_hooks: ExpectedHooks::of_commands(agent.agent),
            allowance: side.allowance,
        })
    }
}
