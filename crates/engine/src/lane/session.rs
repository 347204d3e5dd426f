//! Runs the agent's session on one story: prompt, command line, cost.

use std::ffi::OsString;
use std::path::PathBuf;

use agents::{CommandLine, Request, Servers, Value};
use events::{ContextPart, LoopEvent};
use memory::Assembly;
use project::{ProtectedFiles, env};
use serde::{Deserialize, Serialize};
use tasks::Mode;

use crate::control::RunControl;
use crate::control::node_jobs::Submission;
use crate::lane::core::Lane;
use crate::lane::iteration::Iteration;
use crate::lane::mcp_servers::can_limit_servers;
use crate::lane::prompt::{AnswerFormat, Prompt, completion};
use crate::lane::story_context::StoryContext;
use crate::options::{AgentOptions, McpServers};
use crate::session::{ExpectedHooks, Session, SessionRequest};
use crate::{RunError, own_file};

/// Default of the Stop hook.
const DEFAULT_MAX_BLOCKS: u64 = 6;

/// Claude Code's own limit of answers that do not match the schema.
const CLAUDE_ANSWER_LIMIT: u64 = 5;

/// What a session gets from the coordinator, which may be on another machine.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionInput {
    pub(super) prompt: String,
    /// For the agent's system prompt; may be empty.
    pub(super) system: String,
    pub(super) budget_usd: Option<f64>,
    /// Size in tokens, as reported by an earlier session.
    pub(crate) context_window: Option<u64>,
    /// The commit from which the story's first iteration started.
    pub(crate) began_at: Option<String>,
    /// The files of the story's proof, which the session must not change.
    #[serde(default)]
    pub(crate) proof_files: ProtectedFiles,
}

impl Lane<'_> {
    pub(crate) fn run_session(
        &mut self,
        iteration: &Iteration,
        context: &StoryContext,
        control: &mut RunControl<'_>,
    ) -> Result<Session, RunError> {
        if iteration.assignment.mode == Mode::Review {
            self.workspace.write_notice_lists(&context.record.notices);
        }
        let prompt = self.prompt(&iteration.assignment, &iteration.before.list, context)?;
        self.report_context(iteration, prompt.assembly.as_ref());
        let input = self.session_input(&prompt, context, iteration.assignment.mode);
        self.run_prepared_session(iteration, &input, Submission::New, control)
    }

    pub(crate) fn session_input(
        &self,
        prompt: &Prompt,
        context: &StoryContext,
        mode: Mode,
    ) -> SessionInput {
        SessionInput {
            prompt: prompt.text.clone(),
            system: prompt.system.clone(),
            budget_usd: self.options.run.budget_left(context.unavailable_usd),
            context_window: context.context_window,
            began_at: context.record.began_at.clone(),
            proof_files: context.record.proof_files(mode),
        }
    }

    pub(crate) fn run_prepared_session(
        &mut self,
        iteration: &Iteration,
        input: &SessionInput,
        submission: Submission,
        control: &mut RunControl<'_>,
    ) -> Result<Session, RunError> {
        let system = self.write_system_prompt(iteration, &input.system)?;
        let path = iteration.folder.join("prompt.md");
        own_file::write(&path, &input.prompt).map_err(RunError::disk(path.display()))?;
        let agent = self.agent(&iteration.assignment);
        // With memory, the handoff claims completion.
        let completion = self.options.memory.is_none().then(completion);
        let call = SessionRequest {
            agent,
            command: self.command(iteration, input, system, control)?,
            prompt: &input.prompt,
            recording: &iteration.folder.join("stream.jsonl"),
            context_window: input.context_window,
            completion: completion.as_ref(),
            expected_hooks: ExpectedHooks::of_story(agent.agent),
            allowance: self.allowance(iteration.assignment.mode),
        };
        let session = match control.executor.session_jobs() {
            Some(jobs) => self.run_as_job(iteration, input, submission, &call, jobs, control)?,
            None => control.run_session(call)?,
        };
        self.workspace.restore_folder_permissions(&iteration.work());
        Ok(session)
    }

    /// The command line of an iteration, with the environment for the hooks.
    pub(crate) fn command(
        &self,
        iteration: &Iteration,
        input: &SessionInput,
        system_prompt_file: Option<PathBuf>,
        control: &mut RunControl<'_>,
    ) -> Result<CommandLine, RunError> {
        let story = iteration.story();
        let agent = self.agent(&iteration.assignment);
        let request = Request {
            prompt: input.prompt.clone(),
            folder: self.layout.root().to_path_buf(),
            session_id: iteration.session.clone(),
            model: self.model(&iteration.assignment, story),
            fallback_model: agent.fallback_model.clone(),
            max_turns: story.and_then(|story| story.max_turns).or(agent.max_turns),
            max_budget_usd: input.budget_usd,
            servers: self.servers(agent, self.layout.mcp_coding()),
            answer_schema: match (&self.options.memory, AnswerFormat::of(agent)) {
                (Some(_), AnswerFormat::Schema) => Some(memory::HANDOFF_SCHEMA),
                _ => None,
            },
            system_prompt_file,
            extra_args: agent.extra_args.clone(),
            prompt_via: agent.prompt_via,
            prompt_file: iteration.folder.join("prompt.md"),
            ..Request::default()
        };
        let more = self.session_environment(iteration, input.context_window, &request);
        let number = iteration.assignment.iteration;
        control.command(agent, request, number, more)
    }

    /// Environment variables for the hooks.
    fn session_environment(
        &self,
        iteration: &Iteration,
        context_window: Option<u64>,
        request: &Request,
    ) -> Vec<(OsString, Value)> {
        let marker = iteration.marker_sha256.map(|written| written.to_string());
        let marker = marker.map_or(Value::Removed, |written| Value::Shown(written.into()));
        // A reviewer must read the committed objects.
        let no_replacements = Value::Shown("1".into());
        let mut environment: Vec<(OsString, Value)> = vec![
            (env::RALPH_MARKER_SHA256.into(), marker),
            ("GIT_NO_REPLACE_OBJECTS".into(), no_replacements),
        ];
        // Claude Code counts each answer that the Stop hook denies as an invalid one.
        if request.answer_schema.is_some() {
            let denials = self.options.max_blocks.unwrap_or(DEFAULT_MAX_BLOCKS);
            let tries =
                Value::Shown(denials.saturating_add(CLAUDE_ANSWER_LIMIT).to_string().into());
            environment.push((env::MAX_STRUCTURED_OUTPUT_RETRIES.into(), tries));
        }
        // A value that the user set for all sessions applies until the agent reports one.
        if let Some(tokens) = context_window {
            let window = Value::Shown(tokens.to_string().into());
            environment.push((env::CLAUDE_CONTEXT_WINDOW.into(), window));
        }
        environment
    }

    pub(crate) fn servers(&self, agent: &AgentOptions, file: PathBuf) -> Servers {
        match self.options.servers {
            McpServers::Isolated if can_limit_servers(agent) => {
                Servers::Only(file.is_file().then_some(file))
            }
            McpServers::Isolated | McpServers::Inherited => Servers::Inherited,
        }
    }

    /// Writes the skills for an agent that reads them from a file.
    fn write_system_prompt(
        &self,
        iteration: &Iteration,
        text: &str,
    ) -> Result<Option<PathBuf>, RunError> {
        if text.is_empty() {
            return Ok(None);
        }
        let path = iteration.folder.join("skills.md");
        own_file::write(&path, text).map_err(RunError::disk(path.display()))?;
        Ok(Some(path))
    }

    fn report_context(&self, iteration: &Iteration, assembly: Option<&Assembly>) {
        let Some(assembly) = assembly else { return };
        if assembly.is_over_budget() {
            self.sink.warn(format!(
                "the task of {} and the answer format alone take {} tokens, more than the prompt budget of \
                 {}; everything else is left out",
                iteration.assignment.story,
                assembly.tokens(),
                assembly.budget
            ));
        }
        self.sink.emit(LoopEvent::ContextAssembled {
            iteration: iteration.assignment.iteration,
            tokens: assembly.tokens() as u64,
            budget: assembly.budget as u64,
            parts: context_parts(assembly),
        });
    }
}

pub(crate) fn context_parts(assembly: &Assembly) -> Vec<ContextPart> {
    let part = |fitted: &memory::FittedPart| ContextPart {
        part: fitted.part.name().to_owned(),
        tokens: fitted.tokens as u64,
        wanted_tokens: fitted.wanted_tokens as u64,
        allotted_tokens: (!fitted.part.never_cut())
            .then(|| fitted.part.allotment(assembly.budget) as u64),
        left_out: fitted.left_out as u64,
    };
    assembly.parts.iter().filter(|fitted| fitted.wanted_tokens > 0).map(part).collect()
}
