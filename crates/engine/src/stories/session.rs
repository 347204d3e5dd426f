//! The agent's session on one story: its prompt, its command, and what it cost.

use agents::{CommandLine, Purpose, Request, Value};
use project::env;
use tasks::Mode;

use crate::allowance::Allowance;
use crate::options::AgentOptions;
use crate::session::{self, Call, Session};
use crate::stories::guard_plugin;
use crate::stories::iteration::Iteration;
use crate::stories::prompt::completion;
use crate::stories::run::Run;
use crate::watch::Guarded;
use crate::{RunError, Timed, own_file};

impl Run<'_> {
    pub(crate) fn session(&mut self, iteration: &Iteration) -> Result<Session, RunError> {
        let prompt = self.prompt(&iteration.assignment, &iteration.before.list)?.text;
        let path = iteration.folder.join("prompt.md");
        own_file::write(&path, &prompt)
            .map_err(|error| RunError::Disk { path: path.display().to_string(), error })?;
        let agent = self.agent(iteration.assignment.mode);
        let guarded = guarded(agent);
        if let (Guarded::Yes, Some(guard)) = (guarded, &self.options.guard) {
            guard_plugin::provide(guard, &self.layout.run_dir(&self.state.run_id))?;
        }
        let (agent, command) = (agent.agent, self.command(iteration, prompt.clone())?);
        let call = Call {
            agent,
            command,
            prompt: &prompt,
            recording: &iteration.folder.join("stream.jsonl"),
            context_window: self.state.context_window,
            completion: Some(&completion()),
            guarded,
            allowance: self.allowance(iteration.assignment.mode),
        };
        let session = self.stage().converse(call);
        self.book(iteration, &session);
        Ok(session)
    }

    pub(crate) fn allowance(&self, mode: Mode) -> Allowance {
        let limits = &self.options.run.limits;
        match mode {
            Mode::Review => Allowance { what: Timed::Review, limit: limits.review },
            Mode::Implement | Mode::ReviewFix => {
                Allowance { what: Timed::Implement, limit: limits.implement }
            }
        }
    }

    /// Who works in this mode.
    pub(crate) fn agent(&self, mode: Mode) -> &AgentOptions {
        match (mode, &self.options.reviewer) {
            (Mode::Review, Some(reviewer)) => reviewer,
            _ => &self.options.run.agent,
        }
    }

    /// The command line of an iteration, with everything the hooks need to know in its environment.
    pub(crate) fn command(
        &mut self,
        iteration: &Iteration,
        prompt: String,
    ) -> Result<CommandLine, RunError> {
        let story = iteration.story();
        let agent = self.agent(iteration.assignment.mode).clone();
        let run_dir = self.layout.run_dir(&self.state.run_id);
        let guard = self.options.guard.as_ref().filter(|_| guarded(&agent) == Guarded::Yes);
        let request = Request {
            prompt,
            purpose: Purpose::Work,
            folder: self.layout.root().to_path_buf(),
            session_id: iteration.session.clone(),
            model: self.model(iteration.assignment.mode, story),
            max_turns: story.and_then(|story| story.max_turns).or(agent.max_turns),
            max_budget_usd: self.options.run.budget_left(self.state.counters.cost_usd),
            plugin_dir: guard.map(|guard| guard_plugin::folder(guard, &run_dir)),
            extra_args: agent.extra_args.clone(),
            prompt_via: agent.prompt_via,
            prompt_file: iteration.folder.join("prompt.md"),
            ..Request::default()
        };
        let mut command = self.stage().command(&agent, &request)?;
        let number = iteration.assignment.iteration;
        command.environment.extend(session::environment(
            &self.options.run,
            &self.state.run_id,
            number,
        ));
        let marker = iteration.marker_sha256.map(|written| written.to_string());
        let marker = marker.map_or(Value::Removed, |written| Value::Shown(written.into()));
        command.environment.push((env::RALPH_MARKER_SHA256.into(), marker));
        // What the user set for all sessions counts as long as nobody knows better.
        if let Some(tokens) = self.state.context_window {
            let window = Value::Shown(tokens.to_string().into());
            command.environment.push((env::CLAUDE_CONTEXT_WINDOW.into(), window));
        }
        Ok(command)
    }

    fn book(&mut self, iteration: &Iteration, session: &Session) {
        let conclusion = &session.conclusion;
        self.trouble = conclusion.detail.clone();
        let cost = conclusion.cost_usd().unwrap_or_default();
        let state = &mut self.state;
        state.counters.cost_usd += cost;
        state.counters.quota = conclusion.quota.or(state.counters.quota);
        state.tokens.add(conclusion.tokens());
        state.context_window = conclusion.context_window().or(state.context_window);
        state.story(&iteration.assignment.story).cost_usd += cost;
        if let Some(running) = &mut state.running {
            running.outcome = Some(conclusion.outcome);
        }
        // Whatever is wrong with the disk, what the agent left is judged first.
        if let Err(error) = state.save(self.layout) {
            self.teller.warn(error.to_string());
        }
    }
}

fn guarded(agent: &AgentOptions) -> Guarded {
    match agent.agent.abilities().hooks {
        agents::Ability::Yes => Guarded::Yes,
        agents::Ability::No => Guarded::No,
    }
}
