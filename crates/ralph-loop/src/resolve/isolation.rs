//! Chooses the isolation of each agent from the settings and from what this machine supports.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use agents::Agent;
use anyhow::Result;
use engine::isolation::docker::{DockerOptions, SandboxContext, survey};
use engine::isolation::{Backend, ContainerQuery, survey_container, survey_os_sandbox};
use engine::{AgentOptions, ChosenIsolation, HookPrograms, SessionIsolation, StopSwitch};
use isolation::{
    Availability, Choice, Isolation, IsolationRequest, Obstacle, Survey, Unavailable, choose,
};
use project::Layout;
use settings::Settings;
use supervise::Keeper;

use super::docker::{self, docker_options, obstacle, with_hooks};
use super::hosts::model_addresses;
use super::{command_rules, sandbox};
use crate::command_error::{self, precondition};
use crate::programs;

/// The image of `--sandbox=container` if the settings name none.
const DEFAULT_IMAGE: &str = "localhost/ralph-agent";

/// The isolation that the settings request and what this machine supports. Each program is queried once.
pub(crate) struct Machine {
    layout: Layout,
    keeper: Keeper,
    docker: Result<DockerOptions, Obstacle>,
    settings: Settings,
    hooks: Option<HookPrograms>,
    found_os: OnceCell<Result<Backend, Obstacle>>,
    found_container: OnceCell<Result<Backend, Obstacle>>,
    found_docker: OnceCell<Availability>,
}

impl Machine {
    /// Without hooks, the command guard is no fallback.
    pub(crate) fn new(
        settings: &Settings,
        layout: &Layout,
        hooks: Option<&HookPrograms>,
    ) -> Result<Self> {
        let isolation = &settings.isolation;
        let writable = command_rules::writable(settings, layout.root())?;
        Ok(Self {
            layout: layout.clone(),
            keeper: programs::keeper()?,
            docker: docker_options(isolation, &writable, layout.root()),
            settings: settings.clone(),
            hooks: hooks.cloned(),
            found_os: OnceCell::new(),
            found_container: OnceCell::new(),
            found_docker: OnceCell::new(),
        })
    }

    /// Every kind of isolation, with its availability for an agent.
    pub(crate) fn survey(&self, agent: Agent) -> Survey {
        let docker = match agent {
            Agent::Claude => self.docker(),
            _ => missing("supports Claude Code only", None),
        };
        let untested = "the macOS profile is untested";
        let os = match self.os() {
            Ok(Backend::Seatbelt) => Availability::OnRequest {
                by: Backend::Seatbelt.name(),
                why: obstacle(untested, "pass --sandbox=os to use it anyway"),
            },
            found => availability(found),
        };
        [
            (Isolation::Docker, docker),
            (Isolation::Container, self.container_for_choice()),
            (Isolation::Os, os),
            (Isolation::Guard, self.guard(agent)),
        ]
    }

    fn os(&self) -> &Result<Backend, Obstacle> {
        let path = || path_outside(self.layout.root());
        self.found_os.get_or_init(|| survey_os_sandbox(&self.keeper, path().as_deref()))
    }

    /// Without an image in the settings, a container is searched only on request.
    fn container_for_choice(&self) -> Availability {
        let container = &self.settings.isolation.container;
        if container.image.is_none() && self.settings.isolation.kind != IsolationRequest::Container
        {
            let fix = "set isolation.container.image (see docs/isolation.md)";
            return missing("no image is configured", Some(fix));
        }
        availability(self.container())
    }

    fn container(&self) -> &Result<Backend, Obstacle> {
        self.found_container.get_or_init(|| {
            let container = &self.settings.isolation.container;
            let unknown = |error| command_error::obstacle(&error);
            let entry = programs::this_program().map_err(unknown)?;
            let path = path_outside(self.layout.root());
            let readable = command_rules::readable(&self.settings, self.layout.root());
            let readable = readable.map_err(unknown)?;
            let query = ContainerQuery {
                keeper: &self.keeper,
                path: path.as_deref(),
                image: container.image.as_deref().unwrap_or(DEFAULT_IMAGE),
                engine: container.engine.as_deref(),
                options: &container.options,
                entry: &entry,
                readable: &readable,
                user: user(),
            };
            survey_container(&query).map(Backend::Container)
        })
    }

    /// A container if sessions use one.
    pub(super) fn backend_for_checks(&self) -> &Result<Backend, Obstacle> {
        let has_image = self.settings.isolation.container.image.is_some();
        match self.settings.isolation.kind {
            IsolationRequest::Container => self.container(),
            IsolationRequest::Auto | IsolationRequest::Required
                if has_image && self.container().is_ok() =>
            {
                self.container()
            }
            _ => self.os(),
        }
    }

    fn sandbox(
        &self,
        agent: &AgentOptions,
        backend: &Result<Backend, Obstacle>,
    ) -> Result<SessionIsolation> {
        let (hooks, backend) = (self.hooks.as_ref(), backend.clone().map_err(refusal)?);
        let sandbox = sandbox::for_sessions(agent, hooks, backend, &self.settings, &self.layout)?;
        Ok(SessionIsolation::Sandbox(Box::new(sandbox)))
    }

    fn guard(&self, agent: Agent) -> Availability {
        match (agent.abilities().hooks, self.hooks.is_some()) {
            (true, true) => Availability::Ready { by: "command-guard".into() },
            (true, false) => missing(
                "command-guard is missing or of another version",
                Some("see `ralph-loop doctor`"),
            ),
            (false, _) => missing(
                "the agent supports no hooks, so its commands cannot be checked before they run",
                Some("use an agent that supports hooks (see docs/agents.md)"),
            ),
        }
    }

    /// `--no-sandbox` with an agent without hooks means no isolation at all.
    pub(crate) fn choose(&self, agent: Agent) -> Result<Choice, Unavailable> {
        let wanted = self.settings.isolation.kind;
        if wanted != IsolationRequest::Guard {
            return choose(wanted, &self.survey(agent));
        }
        // Without a search for the other kinds, which takes time.
        let kind = match self.guard(agent) {
            Availability::Missing(_) => Isolation::Open,
            _ => Isolation::Guard,
        };
        Ok(Choice { kind, passed_over: Vec::new() })
    }

    fn docker(&self) -> Availability {
        let survey = || {
            let isolation = match &self.docker {
                Ok(isolation) => isolation,
                Err(obstacle) => return Availability::Missing(obstacle.clone()),
            };
            let switch = StopSwitch::new(Duration::ZERO);
            let context =
                SandboxContext { layout: &self.layout, keeper: &self.keeper, switch: &switch };
            with_hooks(survey(isolation, context), isolation.hooks.as_ref())
        };
        self.found_docker.get_or_init(survey).clone()
    }
}

/// Sets the isolation of each agent, or reports why the requested one is not available.
pub(crate) fn choose_isolation<'a>(
    agents: impl IntoIterator<Item = &'a mut AgentOptions>,
    machine: &Machine,
) -> Result<()> {
    for agent in agents {
        let Choice { kind, passed_over } = machine.choose(agent.agent).map_err(|missing| {
            let what = format!("{}: {missing}", agent.name());
            precondition(what, missing.hint().unwrap_or_default())
        })?;
        let chosen = match kind {
            Isolation::Docker => {
                let options = machine.docker.clone().map_err(refusal)?;
                // Not those of git remotes: a session in the sandbox can write `.git/config`.
                let addresses = model_addresses(agent, None);
                let network = docker::network(&machine.settings.isolation, &addresses)?;
                SessionIsolation::Docker(Box::new(DockerOptions { network, ..options }))
            }
            Isolation::Container => {
                agent.program.clone_from(&agent.program_in_image);
                machine.sandbox(agent, machine.container())?
            }
            Isolation::Os => machine.sandbox(agent, machine.os())?,
            Isolation::Guard => SessionIsolation::Guard,
            Isolation::Open => SessionIsolation::Open,
        };
        agent.isolation = ChosenIsolation { chosen, passed_over };
    }
    Ok(())
}

fn user() -> (u32, u32) {
    #[cfg(unix)]
    return (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    #[cfg(not(unix))]
    (0, 0)
}

/// PATH without folders of the project, because an agent can change programs there.
fn path_outside(root: &Path) -> Option<OsString> {
    let path = project::env::path()?;
    let folders = std::env::split_paths(&path);
    let folders = folders.filter(|folder| folder.is_absolute() && !folder.starts_with(root));
    Some(std::env::join_paths(folders).unwrap_or_else(|_| path.clone()))
}

fn missing(why: &str, fix: Option<&str>) -> Availability {
    Availability::Missing(Obstacle { why: why.to_owned(), fix: fix.map(str::to_owned) })
}

fn availability(found: &Result<Backend, Obstacle>) -> Availability {
    match found {
        Ok(backend) => Availability::Ready { by: backend.name() },
        Err(obstacle) => Availability::Missing(obstacle.clone()),
    }
}

fn refusal(Obstacle { why, fix }: Obstacle) -> anyhow::Error {
    precondition(why, fix.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docker_and_command_guard_isolate_claude_code_only() {
        let dir = assert_fs::TempDir::new().unwrap();
        let machine = Machine::new(&Settings::default(), &Layout::new(dir.path()), None).unwrap();
        let survey = machine.survey(Agent::Codex);
        let [(_, docker), _, _, (_, guard)] = survey;
        for found in [docker, guard] {
            assert!(matches!(found, Availability::Missing(_)), "{found:?}");
        }
    }
}
