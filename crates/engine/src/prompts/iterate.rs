//! One iteration of a prompt loop: session, judgement, events.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use agents::Request;
use events::{
    AgentOutcome, IterationEnded, IterationMode, IterationStarted, IterationStatus, LoopEvent,
    TimedTask,
};
use project::record_protected;
use uuid::Uuid;
use vcs::ChangeOutcome;

use crate::control::{AgentChoice, IterationAttempt, IterationResult, Step};
use crate::drive::{OutcomeInput, iteration_status, outcome};
use crate::options::AgentOptions;
use crate::prompts::run::PromptRun;
use crate::session::{Allowance, ExpectedHooks, Session, SessionRequest};
use crate::{RunError, own_file, run_files};

pub(crate) struct PromptIteration<'o> {
    pub(crate) attempt: IterationAttempt,
    pub(crate) agent: &'o AgentOptions,
    pub(crate) mode: IterationMode,
    pub(crate) folder: PathBuf,
    pub(crate) session: String,
    /// The commit it started from; empty without git.
    pub(crate) checkpoint: String,
    /// Cost of the run before this iteration.
    spent_before_usd: f64,
}

impl<'a> PromptRun<'a> {
    pub(crate) fn iterate_prompt(
        &mut self,
        attempt: IterationAttempt,
    ) -> Result<IterationResult, RunError> {
        let began = Instant::now();
        self.check_time = Duration::ZERO;
        let prompt = self.prompt(attempt.iteration)?;
        self.warn_of_unknown(&prompt.unknown);
        let iteration = self.prepare(attempt)?;
        let session = self.session(&iteration, &prompt.text)?;
        self.keep_run_files(&iteration)?;
        let (outcome, resets_at) = (session.conclusion.outcome, session.conclusion.resets_at);
        let judged = match outcome {
            AgentOutcome::Answered | AgentOutcome::TurnLimit => self.judge(&iteration, &session),
            _ => Ok(Some(Step::None)),
        };
        let step = match judged {
            Ok(Some(step)) => step,
            Ok(None) => {
                self.account(&iteration, &session, IterationStatus::Stopped, began.elapsed());
                return Ok(IterationResult::stopped());
            }
            Err(error) => {
                self.account(&iteration, &session, IterationStatus::Failed, began.elapsed());
                return Err(error);
            }
        };
        let (policy, retries) = (&self.options.run.policy, self.state.counters.retries);
        let status = iteration_status::of(outcome, step, policy, retries);
        self.account(&iteration, &session, status, began.elapsed());
        let result = IterationResult::new(outcome, step, resets_at);
        Ok(self.agent_choice().after(iteration.agent, &mut self.state.usage_limits, result))
    }

    fn agent_choice(&self) -> AgentChoice<'a> {
        AgentChoice::new(&self.options.run, &self.options.run.agent)
    }

    fn prepare(&mut self, attempt: IterationAttempt) -> Result<PromptIteration<'a>, RunError> {
        let mode = self.options.source.mode();
        let choice = self.agent_choice();
        let agent = choice.choose(&self.state.usage_limits, events::now());
        let replacement = choice.replacement(agent, &self.state.usage_limits, (None, Some(mode)));
        replacement.into_iter().for_each(|it| self.control.sink.emit(LoopEvent::AgentReplaced(it)));
        let name = format!("{:03}-{mode}", attempt.iteration);
        let folder =
            run_files::new_folder(self.layout, &self.state.run_id, &name, attempt.attempt)?;
        let (session, checkpoint) = (Uuid::new_v4().to_string(), self.head());
        self.state.user_instructions.give();
        self.state.settings_before = Some(record_protected(self.layout));
        self.state.save(self.layout)?;
        self.control.sink.emit(LoopEvent::IterationStarted(IterationStarted {
            iteration: attempt.iteration,
            attempt: attempt.attempt,
            mode,
            story: None,
            title: self.state.subject.clone(),
            model: agent.model.clone(),
            session: session.clone(),
            folder: self.layout.name_of(&folder),
            checkpoint: checkpoint.clone(),
        }));
        let spent_before_usd = self.state.counters.cost_usd;
        Ok(PromptIteration { attempt, agent, mode, folder, session, checkpoint, spent_before_usd })
    }

    fn session(
        &mut self,
        iteration: &PromptIteration<'_>,
        prompt: &str,
    ) -> Result<Session, RunError> {
        let file = iteration.folder.join("prompt.md");
        own_file::write(&file, prompt).map_err(RunError::disk(file.display()))?;
        let agent = iteration.agent;
        let request = self.request(agent, prompt, file, &iteration.session);
        let command =
            self.control.command(agent, request, iteration.attempt.iteration, Vec::new())?;
        let (options, context_window) = (self.options, self.state.context_window);
        let session = self.control.run_session(SessionRequest {
            agent,
            command,
            prompt,
            recording: &iteration.folder.join("stream.jsonl"),
            context_window,
            completion: Some(&options.completion),
            expected_hooks: ExpectedHooks::of_commands(agent.agent),
            allowance: Allowance {
                what: TimedTask::Implement,
                limit: options.run.limits.implement,
            },
        })?;
        self.record_session(&session);
        Ok(session)
    }

    pub(crate) fn request(
        &self,
        agent: &AgentOptions,
        prompt: &str,
        prompt_file: PathBuf,
        session: &str,
    ) -> Request {
        Request {
            prompt: prompt.to_owned(),
            folder: self.layout.root().to_path_buf(),
            session_id: session.to_owned(),
            model: agent.model.clone(),
            fallback_model: agent.fallback_model.clone(),
            max_turns: agent.max_turns,
            max_budget_usd: self.options.run.budget_left(self.state.counters.cost_usd),
            extra_args: agent.extra_args.clone(),
            prompt_via: agent.prompt_via,
            prompt_file,
            ..Request::default()
        }
    }

    pub(crate) fn record_session(&mut self, session: &Session) {
        let conclusion = &session.conclusion;
        self.control.agent_error = conclusion.detail.clone();
        let state = &mut self.state;
        state.counters.add_session(conclusion);
        state.counters.quota = conclusion.quota.or(state.counters.quota);
        state.tokens.add(conclusion.tokens());
        state.context_window = conclusion.context_window().or(state.context_window);
        if let Err(error) = state.save(self.layout) {
            self.control.sink.warn(error.to_string());
        }
    }

    /// Restores the runner's folders and the user's settings after agent code ran.
    pub(crate) fn keep_run_files(
        &mut self,
        iteration: &PromptIteration<'_>,
    ) -> Result<(), RunError> {
        run_files::make_folder(&iteration.folder, self.layout)?;
        run_files::keep_lock(&mut self.control.lock, self.layout, &self.control.sink)?;
        if let Some(tree) = &self.tree {
            let changes = tree.restore_control_files()?;
            let (left, restored): (Vec<_>, Vec<_>) =
                changes.into_iter().partition(|change| change.outcome == ChangeOutcome::Kept);
            let outside = "git settings outside the repository that name programs were changed";
            let inside = "git control files were changed and restored";
            for (text, changes) in [(inside, restored), (outside, left)] {
                if !changes.is_empty() {
                    let names: Vec<&str> =
                        changes.iter().map(|change| change.name.as_str()).collect();
                    self.control.sink.warn(format!("{text}: {}", names.join(", ")));
                }
            }
            run_files::remove_stale_git_locks(tree, self.layout, &self.control.sink)?;
        }
        for name in self.settings_snapshot.restore(self.layout)? {
            self.control.sink.warn(format!("the agent or its code changed {name}; restored it"));
        }
        Ok(())
    }

    fn account(
        &mut self,
        iteration: &PromptIteration<'_>,
        session: &Session,
        status: IterationStatus,
        elapsed: Duration,
    ) {
        let account = OutcomeInput {
            folder: &iteration.folder,
            iteration: iteration.attempt.iteration,
            attempt: iteration.attempt.attempt,
            mode: iteration.mode,
            story: None,
            session: &iteration.session,
            checkpoint: &iteration.checkpoint,
            status,
            agent: session.conclusion.outcome,
            check_seconds: self.check_time.as_secs_f64(),
        };
        outcome::write(&account, Some(session));
        self.state.settings_before = None;
        let commit =
            self.tree.as_ref().and_then(|tree| tree.head(run_files::deadline()).ok().flatten());
        self.control.sink.emit(LoopEvent::IterationEnded(IterationEnded {
            iteration: iteration.attempt.iteration,
            mode: iteration.mode,
            story: None,
            status,
            seconds: elapsed.as_secs_f64(),
            agent_seconds: session.elapsed.as_secs_f64(),
            check_seconds: self.check_time.as_secs_f64(),
            // Includes the session that wrote the commit message.
            cost_usd: self.state.counters.cost_usd - iteration.spent_before_usd,
            total_cost_usd: self.state.counters.cost_usd,
            done: 0,
            stories: 0,
            commit: commit.map(|commit| commit.to_string()),
        }));
    }
}
