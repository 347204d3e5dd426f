//! Checks whether this machine has Docker Sandboxes, and whether a session in one could start.

use std::path::Path;
use std::time::Duration;

use isolation::docker::{Cli, CliDialect, SandboxName, Version};
use isolation::{Availability, Obstacle};
use supervise::{ProgramCall, ProgramError};

use super::caller::{Caller, hint_for};
use super::mounts::mounts;
use super::options::{DockerNetwork, DockerOptions};
use super::sandbox::SandboxContext;
use super::state_folder;
use crate::RunError;

const TIMEOUT: Duration = Duration::from_secs(20);

/// The available command line, and its description.
pub(super) struct FoundCli {
    pub(super) cli: Cli,
    by: String,
}

/// Calls the command lines and reads the disk; changes nothing.
pub fn survey(options: &DockerOptions, context: SandboxContext<'_>) -> Availability {
    match check_availability(options, context) {
        Ok(availability) => availability,
        Err(obstacle) => Availability::Missing(obstacle),
    }
}

fn check_availability(
    options: &DockerOptions,
    context: SandboxContext<'_>,
) -> Result<Availability, Obstacle> {
    let project = context.layout.root();
    reachable(project)?;
    let FoundCli { cli, by } = find(options, context)?;
    let state = state_folder::locate(options, project).map_err(obstacle)?;
    mounts(options, &state, project).map_err(obstacle)?;
    let name = SandboxName::of_project(project);
    let there = Caller { cli: &cli, context }.find(&name).map_err(obstacle)?;
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
        why: "not signed in to Claude Code in a sandbox".into(),
        fix: Some(format!(
            "create the sandbox with `--sandbox=docker`, then sign in once with `{}` and /login",
            cli.user_command("run", &name)
        )),
    };
    Ok(Availability::OnRequest { by, why })
}

/// The settings name hosts, but this command line limits the network only for the whole machine.
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

/// A sandbox sees only the project, not its parent folders.
fn reachable(project: &Path) -> Result<(), Obstacle> {
    let git = project.join(".git");
    let outside = vcs::WorkTree::open(project).is_ok() && !git.is_dir();
    if !outside {
        return Ok(());
    }
    Err(Obstacle {
        why:
            "the project's git repository is outside the project folder, so a sandbox cannot see it"
                .into(),
        fix: Some("run from the root of a repository that is not a linked work tree".into()),
    })
}

/// `sbx`, else `docker sandbox`.
pub(super) fn find(
    options: &DockerOptions,
    context: SandboxContext<'_>,
) -> Result<FoundCli, Obstacle> {
    let sbx =
        Cli { program: options.programs.sbx.clone(), dialect: CliDialect::Sbx(Version::NEWEST) };
    let trouble = match version(&sbx, context) {
        Ok(answer) => {
            let version = Version::read(&answer);
            let dialect = CliDialect::Sbx(version.unwrap_or(Version::NEWEST));
            let by = version.map_or_else(|| "sbx".into(), |version| format!("sbx {version}"));
            return Ok(FoundCli { cli: Cli { dialect, ..sbx }, by });
        }
        Err(trouble) => trouble,
    };
    let docker =
        Cli { program: options.programs.docker.clone(), dialect: CliDialect::DockerSandbox };
    if version(&docker, context).is_ok() {
        return Ok(FoundCli { by: docker.to_string(), cli: docker });
    }
    Err(match trouble {
        VersionError::NotInstalled => Obstacle {
            why: "neither `sbx` nor `docker sandbox` is installed".into(),
            fix: Some(format!("{INSTALL}, then run `sbx login`")),
        },
        VersionError::Failed(why) => {
            let fix = Some(hint_for(&sbx, &why));
            Obstacle { why: format!("`sbx version` failed: {why}"), fix }
        }
    })
}

const INSTALL: &str = if cfg!(target_os = "macos") {
    "install `sbx` with `brew install docker/tap/sbx`"
} else if cfg!(windows) {
    "install `sbx` with `winget install -h Docker.sbx`"
} else {
    "install `sbx` from Docker's repository with `sudo apt install docker-sbx` \
     (https://docs.docker.com/ai/sandboxes/install/)"
};

enum VersionError {
    NotInstalled,
    Failed(String),
}

fn version(cli: &Cli, context: SandboxContext<'_>) -> Result<String, VersionError> {
    let call = ProgramCall::new(&cli.program, cli.version(), TIMEOUT);
    match context.runner(context.switch.requests()).run(call) {
        Ok(answer) if answer.succeeded() => Ok(answer.stdout),
        Ok(answer) => Err(VersionError::Failed(answer.error_text())),
        Err(ProgramError::NotInstalled) => Err(VersionError::NotInstalled),
        Err(error) => Err(VersionError::Failed(error.to_string())),
    }
}

fn obstacle(error: RunError) -> Obstacle {
    Obstacle { fix: error.hint(), why: error.to_string() }
}

/// As the error of a run that requires Docker.
pub(super) fn as_error(obstacle: Obstacle) -> RunError {
    RunError::Precondition { what: obstacle.why, hint: obstacle.fix }
}
