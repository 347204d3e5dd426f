//! The command line of a session in its isolation, the environment of its hooks, and the files
//! that they need.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::SystemTime;

use agents::{Agent, CommandLine, Request, Value};
use project::{CommandRules, env};

use crate::RunError;
use crate::control::RunControl;
use crate::hooks::guard_plugin;
use crate::options::{AgentOptions, LaneVariables, RunOptions, SessionIsolation};
use crate::session::agent_settings;

const GIT_CONFIG_COUNT: &str = "GIT_CONFIG_COUNT";

impl RunControl<'_> {
    /// The command line of a session in its isolation, with the user's environment and the variables of the hooks.
    pub(crate) fn command(
        &self,
        options: &AgentOptions,
        request: Request,
        iteration: u64,
        more: Vec<(OsString, Value)>,
    ) -> Result<CommandLine, RunError> {
        let mut own = environment(self.options, &self.run_id, iteration);
        if has_hooks(options.agent) {
            let scope = options.isolation.chosen.scope();
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            let since = now.ok().and_then(|now| u64::try_from(now.as_millis()).ok());
            let rules = CommandRules { scope, since, ..self.options.commands.clone() };
            own.push((env::RALPH_COMMAND_RULES.into(), Value::Shown(rules.to_json().into())));
        }
        if let Some(run) = &self.trace {
            let span = run.session(&request.session_id).to_string();
            own.push((env::TRACEPARENT.into(), Value::Shown(span.into())));
        }
        own.extend(more);
        if let SessionIsolation::Sandbox(_) = options.isolation.chosen {
            // Signing keys and agents are not available, so signed commits would fail.
            own.extend(git_settings_off(&["commit.gpgSign", "tag.gpgSign"], git_settings(options)));
            // Claude Code requires it to work unattended as root.
            own.push(("IS_SANDBOX".into(), Value::Shown("1".into())));
        }
        let (isolation, settings) = (options.isolation.chosen.kind(), options.settings.as_ref());
        let settings = agent_settings::settings(isolation, settings, &own);
        let request =
            Request { plugin_dir: self.plugin(options), settings: Some(settings), ..request };
        let mut command = options
            .agent
            .command(&options.program, &request)
            .map_err(|error| RunError::Precondition { what: error.to_string(), hint: None })?;
        command.environment.extend(kept_back(options.agent));
        command.environment.extend(options.environment.iter().cloned());
        command.environment.extend(own);
        Ok(command)
    }

    /// The plugin that adds the hooks to an agent's sessions.
    fn plugin(&self, agent: &AgentOptions) -> Option<PathBuf> {
        self.options.guard.as_ref().filter(|_| has_hooks(agent.agent))?;
        match &agent.isolation.chosen {
            SessionIsolation::Docker(docker) => {
                docker.hooks.as_ref().map(|hooks| hooks.folder.clone())
            }
            SessionIsolation::Sandbox(_) | SessionIsolation::Guard | SessionIsolation::Open => {
                Some(self.plugin_folder())
            }
        }
    }

    fn plugin_folder(&self) -> PathBuf {
        let lane = self.options.lane.as_ref().map(|lane| lane.number);
        guard_plugin::folder(&self.options.layout.run_dir(&self.run_id), lane)
    }

    /// Writes the files of a session. Again for each, because the agent of the last one could have changed them.
    pub(crate) fn provide(&self, agent: &AgentOptions) -> Result<(), RunError> {
        if let (Some(guard), true) = (&self.options.guard, has_hooks(agent.agent)) {
            guard_plugin::write_plugin(guard, &self.plugin_folder())?;
        }
        Ok(())
    }
}

/// Removes the variables that agents must not get, except those by which this agent signs in.
pub fn kept_back(agent: Agent) -> impl Iterator<Item = (OsString, Value)> {
    let own = agent.needs().variables;
    let kept = env::KEPT_BACK.into_iter().filter(move |name| !own.contains(name));
    kept.filter(|name| env::variable(name).is_some()).map(|name| (name.into(), Value::Removed))
}

/// Variables of every session: the run's id and its progress.
fn environment(options: &RunOptions, run_id: &str, iteration: u64) -> Vec<(OsString, Value)> {
    let most = options.policy.max_iterations.to_string();
    let variables: [(&str, OsString); 4] = [
        (env::RALPH_RUN_ID, run_id.into()),
        (env::RALPH_ITERATION, iteration.to_string().into()),
        (env::RALPH_MAX_ITERATIONS, most.into()),
        (env::RALPH_PROJECT_DIR, options.layout.root().as_os_str().to_owned()),
    ];
    let of_lane = options.lane.into_iter().flat_map(LaneVariables::environment);
    let of_lane = of_lane.map(|(name, value)| (name, value.into()));
    let all = variables.into_iter().chain(of_lane);
    all.map(|(name, value)| (name.into(), Value::Shown(value))).collect()
}

/// Variables that turn these git settings off. `there` is the number of git settings that the environment already has.
pub fn git_settings_off(settings: &[&str], there: usize) -> Vec<(OsString, Value)> {
    let count = (there + settings.len()).to_string();
    let pairs = settings.iter().zip(there..).flat_map(|(key, number)| {
        [
            (format!("GIT_CONFIG_KEY_{number}"), *key),
            (format!("GIT_CONFIG_VALUE_{number}"), "false"),
        ]
    });
    let all = pairs.chain([(GIT_CONFIG_COUNT.to_owned(), count.as_str())]);
    all.map(|(name, value)| (name.into(), Value::Shown(value.into()))).collect()
}

/// The number of git settings in its environment.
fn git_settings(agent: &AgentOptions) -> usize {
    let own = agent.environment.iter().rev().find(|(name, _)| name == GIT_CONFIG_COUNT);
    let count = match own {
        Some((_, value)) => value.clone().into_inner().and_then(|count| count.into_string().ok()),
        None => env::variable(GIT_CONFIG_COUNT),
    };
    count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

pub(crate) fn has_hooks(agent: Agent) -> bool {
    agent.abilities().hooks
}
