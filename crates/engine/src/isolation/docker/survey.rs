//! Whether this machine has Docker Sandboxes, and whether a session in one could begin.

use std::path::Path;
use std::time::Duration;

use isolation::docker::{Cli, Dialect, SandboxName, Version};
use isolation::{Availability, Obstacle};

use super::caller::{Caller, way_out};
use super::mounts::mounts;
use super::{DockerNetwork, DockerOptions, Ground, state_folder};
use crate::RunError;
use crate::quick::{NoAnswer, Question};

const PATIENCE: Duration = Duration::from_secs(20);

/// The command line that answers, and what it is for people.
pub(super) struct Found {
    pub(super) cli: Cli,
    by: String,
}

/// Asks the command lines and looks at the disk; changes nothing.
pub fn survey(options: &DockerOptions, ground: Ground<'_>) -> Availability {
    match look(options, ground) {
        Ok(availability) => availability,
        Err(obstacle) => Availability::Missing(obstacle),
    }
}

fn look(options: &DockerOptions, ground: Ground<'_>) -> Result<Availability, Obstacle> {
    let project = ground.layout.root();
    reachable(project)?;
    let Found { cli, by } = find(options, ground)?;
    let state = state_folder::locate(options, project).map_err(obstacle)?;
    mounts(options, &state, project).map_err(obstacle)?;
    let name = SandboxName::of_project(project);
    let there = Caller { cli: &cli, ground }.find(&name).map_err(obstacle)?;
    if let (DockerNetwork::Only(hosts), false) = (&options.network, cli.limits_network()) {
        return Err(not_limited(&cli, hosts));
    }
    let by = match (&options.network, cli.limits_network()) {
        (DockerNetwork::Preferably(_), false) => {
            format!("{by}; hosts are limited by `sbx policy ls`, not by isolation.allowedHosts")
        }
        _ => by,
    };
    if there.is_some() || state_folder::has_credentials(&state) {
        return Ok(Availability::Ready { by });
    }
    let why = Obstacle {
        why: "nobody has signed in to Claude Code in a sandbox yet".into(),
        fix: Some(format!(
            "`--sandbox=docker` makes the sandbox, then `{}` and /login sign in once for all",
            cli.spoken("run", &name)
        )),
    };
    Ok(Availability::OnRequest { by, why })
}

/// The settings name hosts, and the network rules are those of the machine.
pub(super) fn not_limited(cli: &Cli, hosts: &[String]) -> Obstacle {
    let allow = format!("`sbx policy allow network \"{}\"`", hosts.join(","));
    Obstacle {
        why: format!("{cli} limits the network for the whole machine, not for one sandbox"),
        fix: Some(format!(
            "set isolation.network.sessions to \"auto\" and limit the machine: \
             `sbx policy set-default deny-all`, {allow}"
        )),
    }
}

/// A sandbox sees the project and not what is around it.
fn reachable(project: &Path) -> Result<(), Obstacle> {
    let git = project.join(".git");
    let outside = vcs::WorkTree::open(project).is_ok() && !git.is_dir();
    if !outside {
        return Ok(());
    }
    Err(Obstacle {
        why: "the project's repository lies outside of it, where a sandbox does not see it".into(),
        fix: Some("run from the root of a repository of its own, not of a linked work tree".into()),
    })
}

/// `sbx`, else `docker sandbox`.
pub(super) fn find(options: &DockerOptions, ground: Ground<'_>) -> Result<Found, Obstacle> {
    let sbx = Cli { program: options.programs.sbx.clone(), dialect: Dialect::Sbx(Version::NEWEST) };
    let trouble = match version(&sbx, ground) {
        Ok(answer) => {
            let version = Version::read(&answer);
            let dialect = Dialect::Sbx(version.unwrap_or(Version::NEWEST));
            let by = version.map_or_else(|| "sbx".into(), |version| format!("sbx {version}"));
            return Ok(Found { cli: Cli { dialect, ..sbx }, by });
        }
        Err(trouble) => trouble,
    };
    let docker = Cli { program: options.programs.docker.clone(), dialect: Dialect::DockerSandbox };
    if version(&docker, ground).is_ok() {
        return Ok(Found { by: docker.to_string(), cli: docker });
    }
    Err(match trouble {
        Trouble::NotThere => Obstacle {
            why: "neither `sbx` nor `docker sandbox` is installed".into(),
            fix: Some(format!("{INSTALL}, then `sbx login`")),
        },
        Trouble::Failed(why) => {
            let fix = Some(way_out(&sbx, &why));
            Obstacle { why: format!("`sbx version` failed: {why}"), fix }
        }
    })
}

const INSTALL: &str = if cfg!(target_os = "macos") {
    "`brew install docker/tap/sbx` installs `sbx`"
} else if cfg!(windows) {
    "`winget install -h Docker.sbx` installs `sbx`"
} else {
    "`sudo apt install docker-sbx` installs `sbx` from Docker's own repository \
     (https://docs.docker.com/ai/sandboxes/install/)"
};

enum Trouble {
    NotThere,
    Failed(String),
}

fn version(cli: &Cli, ground: Ground<'_>) -> Result<String, Trouble> {
    let question = Question {
        program: &cli.program,
        args: cli.version(),
        environment: Vec::new(),
        input: Vec::new(),
        limit: PATIENCE,
    };
    match ground.quick(ground.switch.requests()).ask(question) {
        Ok(answer) if answer.succeeded() => Ok(answer.stdout),
        Ok(answer) => Err(Trouble::Failed(answer.complaint())),
        Err(NoAnswer::NotThere) => Err(Trouble::NotThere),
        Err(error) => Err(Trouble::Failed(error.to_string())),
    }
}

fn obstacle(error: RunError) -> Obstacle {
    Obstacle { fix: error.hint(), why: error.to_string() }
}

/// One that stands in the way of a run that cannot do without.
pub(super) fn in_the_way(obstacle: Obstacle) -> RunError {
    RunError::Precondition { what: obstacle.why, hint: obstacle.fix }
}
