//! What confines each agent: what the settings ask for, and what this machine has.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use agents::Agent;
use anyhow::Result;
use engine::isolation::docker::{DockerOptions, Ground, survey};
use engine::isolation::{Backend, ContainerQuery, Sandbox, survey_container, survey_os_sandbox};
use engine::{AgentOptions, ChosenIsolation, HookPrograms, SessionIsolation, StopSwitch};
use isolation::{Availability, Choice, Isolation, Obstacle, Survey, Unavailable, Wanted, choose};
use project::Layout;
use settings::{IsolationChoice, Settings};
use supervise::Keeper;

use super::addresses::needed_addresses;
use super::docker::{self, docker_options, with_hooks};
use super::{command_rules, sandbox};
use crate::command_error::{self, precondition};
use crate::programs;

/// What `--sandbox=container` uses if the settings name no image.
const DEFAULT_IMAGE: &str = "localhost/ralph-agent";

/// Whether the hooks of a run are fit to guard it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guards {
    Here,
    Missing,
}

/// What is asked for, and what there is. Programs are asked once.
pub(crate) struct Machine {
    wanted: Wanted,
    layout: Layout,
    keeper: Keeper,
    docker: Result<DockerOptions, Obstacle>,
    guards: Guards,
    settings: Settings,
    hooks: Option<HookPrograms>,
    found_os: OnceCell<Result<Backend, Obstacle>>,
    found_container: OnceCell<Result<Backend, Obstacle>>,
    found_docker: OnceCell<Availability>,
}

impl Machine {
    pub(crate) fn new(settings: &Settings, layout: &Layout) -> Result<Self> {
        let isolation = &settings.isolation;
        let writable = command_rules::writable(settings, layout.root())?;
        Ok(Self {
            wanted: wanted(isolation.kind),
            layout: layout.clone(),
            keeper: programs::keeper()?,
            docker: docker_options(isolation, &writable, layout.root()),
            guards: Guards::Here,
            settings: settings.clone(),
            hooks: None,
            found_os: OnceCell::new(),
            found_container: OnceCell::new(),
            found_docker: OnceCell::new(),
        })
    }

    /// A run that has no guard has none to fall back on.
    pub(crate) fn guarded_by(self, hooks: Option<&HookPrograms>) -> Self {
        let guards = if hooks.is_some() { Guards::Here } else { Guards::Missing };
        Self { guards, hooks: hooks.cloned(), ..self }
    }

    /// Everything that could stand around an agent.
    pub(crate) fn survey(&self, agent: Agent) -> Survey {
        let of_claude = |found: &dyn Fn() -> Availability| match agent {
            Agent::Claude => found(),
            _ => missing("it runs Claude Code only".into(), None),
        };
        Survey {
            docker: of_claude(&|| self.docker()),
            container: self.container_for_choice(),
            os: match self.os() {
                Ok(Backend::Seatbelt) => Availability::OnRequest {
                    by: Backend::Seatbelt.name(),
                    why: Obstacle {
                        why: "its profile for macOS has not been run yet".into(),
                        fix: Some("`--sandbox=os` uses it all the same".into()),
                    },
                },
                Ok(backend) => Availability::Ready { by: backend.name() },
                Err(obstacle) => Availability::Missing(obstacle.clone()),
            },
            guard: self.guard(agent),
        }
    }

    fn os(&self) -> &Result<Backend, Obstacle> {
        let path = || path_outside(self.layout.root());
        self.found_os.get_or_init(|| survey_os_sandbox(&self.keeper, path().as_deref()))
    }

    /// Without an image in the settings it is not looked for unless it was asked for.
    fn container_for_choice(&self) -> Availability {
        let container = &self.settings.isolation.container;
        if container.image.is_none() && self.wanted != Wanted::Exactly(Isolation::Container) {
            let fix = "isolation.container.image names one; docs/isolation.md says what it needs";
            return missing("the settings name no image".into(), Some(fix));
        }
        match self.container() {
            Ok(backend) => Availability::Ready { by: backend.name() },
            Err(obstacle) => Availability::Missing(obstacle.clone()),
        }
    }

    fn container(&self) -> &Result<Backend, Obstacle> {
        self.found_container.get_or_init(|| {
            let container = &self.settings.isolation.container;
            let entry =
                programs::this_program().map_err(|error| command_error::obstacle(&error))?;
            let path = path_outside(self.layout.root());
            let readable = command_rules::readable(&self.settings, self.layout.root())
                .map_err(|error| command_error::obstacle(&error))?;
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

    /// A container where sessions have one.
    pub(super) fn backend_for_checks(&self) -> &Result<Backend, Obstacle> {
        let has_image = self.settings.isolation.container.image.is_some();
        match self.wanted {
            Wanted::Exactly(Isolation::Container) => self.container(),
            Wanted::Strongest | Wanted::Sandbox if has_image && self.container().is_ok() => {
                self.container()
            }
            _ => self.os(),
        }
    }

    fn sandbox(
        &self,
        agent: &AgentOptions,
        backend: &Result<Backend, Obstacle>,
    ) -> Result<Sandbox> {
        let backend = backend
            .clone()
            .map_err(|Obstacle { why, fix }| precondition(why, fix.unwrap_or_default()))?;
        let (hooks, settings) = (self.hooks.as_ref(), &self.settings);
        sandbox::for_sessions(agent, hooks, backend, settings, &self.layout)
    }

    /// What matters to the choice; nobody waits for the rest.
    fn survey_for_choice(&self, agent: Agent) -> Survey {
        match self.wanted {
            Wanted::Exactly(Isolation::Guard) => Survey {
                docker: missing(String::new(), None),
                container: missing(String::new(), None),
                os: missing(String::new(), None),
                guard: self.guard(agent),
            },
            _ => self.survey(agent),
        }
    }

    fn guard(&self, agent: Agent) -> Availability {
        match (agent.abilities().hooks, self.guards) {
            (true, Guards::Here) => Availability::Ready { by: "command-guard".into() },
            (true, Guards::Missing) => missing(
                "command-guard is missing or of another version".into(),
                Some("`ralph-loop doctor` shows how to have it"),
            ),
            (false, _) => missing(
                "the agent calls no hooks, so its commands cannot be checked before they run"
                    .into(),
                Some("use an agent that calls hooks: docs/agents.md has the table"),
            ),
        }
    }

    /// A user who wants no sandbox has nothing left to ask for where there is no guard either.
    pub(crate) fn choose(&self, agent: Agent) -> Result<Choice, Unavailable> {
        let survey = self.survey_for_choice(agent);
        let only_a_guard = self.wanted == Wanted::Exactly(Isolation::Guard);
        if only_a_guard && matches!(survey.guard, Availability::Missing(_)) {
            return Ok(Choice { kind: Isolation::Open, passed_over: Vec::new() });
        }
        choose(self.wanted, &survey)
    }

    fn docker(&self) -> Availability {
        let survey = || {
            let isolation = match &self.docker {
                Ok(isolation) => isolation,
                Err(obstacle) => return Availability::Missing(obstacle.clone()),
            };
            let switch = StopSwitch::new(Duration::ZERO);
            let ground = Ground { layout: &self.layout, keeper: &self.keeper, switch: &switch };
            with_hooks(survey(isolation, ground), isolation.hooks.as_ref())
        };
        self.found_docker.get_or_init(survey).clone()
    }
}

/// Puts a wall around each of them, or says why what was asked for cannot be had.
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
            Isolation::Docker => match &machine.docker {
                Ok(options) => {
                    let root = machine.layout.root();
                    let addresses = needed_addresses(agent, None, root);
                    let network = docker::network(&machine.settings.isolation, &addresses)?;
                    SessionIsolation::Docker(Box::new(DockerOptions { network, ..options.clone() }))
                }
                Err(Obstacle { why, fix }) => {
                    return Err(precondition(why, fix.clone().unwrap_or_default()));
                }
            },
            Isolation::Container => {
                agent.program.clone_from(&agent.program_in_image);
                SessionIsolation::Sandbox(Box::new(machine.sandbox(agent, machine.container())?))
            }
            Isolation::Os => {
                SessionIsolation::Sandbox(Box::new(machine.sandbox(agent, machine.os())?))
            }
            Isolation::Guard => SessionIsolation::Guard,
            Isolation::Open => SessionIsolation::Open,
        };
        agent.isolation = ChosenIsolation { chosen, passed_over };
    }
    Ok(())
}

fn wanted(kind: IsolationChoice) -> Wanted {
    match kind {
        IsolationChoice::Auto => Wanted::Strongest,
        IsolationChoice::Required => Wanted::Sandbox,
        IsolationChoice::Docker => Wanted::Exactly(Isolation::Docker),
        IsolationChoice::Container => Wanted::Exactly(Isolation::Container),
        IsolationChoice::Os => Wanted::Exactly(Isolation::Os),
        IsolationChoice::Guard => Wanted::Exactly(Isolation::Guard),
    }
}

#[cfg(unix)]
fn user() -> (u32, u32) {
    (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw())
}

#[cfg(not(unix))]
fn user() -> (u32, u32) {
    (0, 0)
}

/// PATH without the folders of the project, whose programs a session does not start either.
pub(super) fn path_outside(root: &Path) -> Option<OsString> {
    let path = project::env::path()?;
    let folders = std::env::split_paths(&path);
    let folders = folders.filter(|folder| folder.is_absolute() && !folder.starts_with(root));
    Some(std::env::join_paths(folders).unwrap_or_else(|_| path.clone()))
}

fn missing(why: String, fix: Option<&str>) -> Availability {
    Availability::Missing(Obstacle { why, fix: fix.map(str::to_owned) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls_of_claude_code_are_no_walls_of_others() {
        let dir = assert_fs::TempDir::new().unwrap();
        let machine = Machine::new(&Settings::default(), &Layout::new(dir.path())).unwrap();
        let survey = machine.survey(Agent::Codex);
        for found in [survey.docker, survey.guard] {
            assert!(matches!(found, Availability::Missing(_)), "{found:?}");
        }
    }
}
