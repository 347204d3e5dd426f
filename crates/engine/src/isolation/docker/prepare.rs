//! Prepares a sandbox for the project: the existing one, or a new one. Every step can be repeated,
//! because a run may be killed between any two of them.

use std::path::Path;
use std::time::{Duration, Instant};

use isolation::docker::{
    Cli, FileSharing, GitIdentity, Mount, Record, SandboxName, SandboxStatus, Script,
};

use super::caller::{Caller, SandboxStep};
use super::hooks::SandboxHooks;
use super::mounts::mounts;
use super::options::{DockerNetwork, DockerOptions};
use super::sandbox::{DockerSandbox, SandboxContext, SyncState};
use super::survey::{as_error, find, not_limited};
use super::{records, state_folder};
use crate::RunError;

/// Measured delay of file changes from a sandbox to the host.
const SYNCED_AFTER: Duration = Duration::from_secs(3);

impl DockerSandbox {
    /// `warn` gets the warnings for the user.
    pub fn prepare(
        options: &DockerOptions,
        context: SandboxContext<'_>,
        warn: &mut dyn FnMut(String),
    ) -> Result<Self, RunError> {
        let project = context.layout.root();
        let state = state_folder::locate(options, project)?;
        let mounts = mounts(options, &state, project)?;
        let found = find(options, context).map_err(|obstacle| {
            context.stopped("looking for Docker").unwrap_or_else(|| as_error(obstacle))
        });
        let cli = found?.cli;
        state_folder::provide(&state, warn)?;
        options.hooks.iter().try_for_each(SandboxHooks::provide)?;
        let name = SandboxName::of_project(project);
        let identity = identity(project);
        let hosts = hosts(&options.network, &cli)?;
        let needs = SandboxSpec {
            name: &name,
            state: &state,
            project,
            mounts: &mounts,
            identity,
            hosts,
            must_be_limited: matches!(options.network, DockerNetwork::Only(_)),
        };
        let sync_state = needs.provide(&Caller { cli: &cli, context }, warn)?;
        let settle = options.settle.unwrap_or_else(|| settle(&cli));
        Ok(Self { cli, name, settle, sync_state })
    }
}

/// The required properties of the sandbox.
struct SandboxSpec<'n> {
    name: &'n SandboxName,
    state: &'n Path,
    project: &'n Path,
    mounts: &'n [Mount],
    identity: GitIdentity,
    /// The hosts that the network is limited to.
    hosts: Option<&'n [String]>,
    must_be_limited: bool,
}

impl SandboxSpec<'_> {
    fn provide(
        &self,
        caller: &Caller<'_>,
        warn: &mut dyn FnMut(String),
    ) -> Result<SyncState, RunError> {
        let there = caller.find(self.name)?;
        let begun = Record::begun(self.project, self.mounts, &self.identity, self.hosts);
        let known = records::read(self.state, self.name).filter(|_| there.is_some());
        match (there, &known) {
            (None, _) => {
                // Before the creation, so that an incomplete sandbox is recognized.
                records::write(self.state, self.name, &begun)?;
                let create = caller.cli.create(self.name, self.project, self.mounts);
                caller.call(SandboxStep::Create, create, Vec::new())?;
            }
            (Some(_), Some(known)) if known.can_become(&begun) => {}
            (Some(_), _) => return Err(mismatch_error(caller, self.name)),
        }
        let set_up = begun.set_up();
        let is_set_up = known.as_ref() == Some(&set_up);
        if !is_set_up {
            self.set_up(caller)?;
            match self.limit_network(caller) {
                Ok(()) => records::write(self.state, self.name, &set_up)?,
                // The next run tries again.
                Err(RunError::Precondition { what, .. }) if !self.must_be_limited => {
                    warn(format!("sessions are not limited to isolation.allowedHosts: {what}"));
                }
                Err(error) => return Err(error),
            }
        }
        match there {
            None => Ok(SyncState::UpToDate),
            Some(SandboxStatus::Stopped) if is_set_up => Ok(SyncState::Stopped),
            // Stopping ends whatever still runs since a run was killed, and the next session starts it with
            // the current files of the host.
            Some(_) => caller.stop(self.name).map(|()| SyncState::Stopped),
        }
    }

    fn set_up(&self, caller: &Caller<'_>) -> Result<(), RunError> {
        let link = Script::link_state(self.state);
        caller.exec(SandboxStep::LinkState, self.name, &link, Vec::new())?;
        let commits = Script::set_identity(&self.identity);
        caller.exec(SandboxStep::SetIdentity, self.name, &commits, Vec::new())
    }

    fn limit_network(&self, caller: &Caller<'_>) -> Result<(), RunError> {
        let limit = self.hosts.and_then(|hosts| caller.cli.limit_network(self.name, hosts));
        limit.map_or(Ok(()), |limit| {
            caller.call(SandboxStep::LimitNetwork, limit, Vec::new()).map(drop)
        })
    }
}

fn settle(cli: &Cli) -> Duration {
    match cli.sharing() {
        FileSharing::Direct => Duration::ZERO,
        FileSharing::Synced => SYNCED_AFTER,
    }
}

/// The hosts to limit the network to, if the command line can do that.
fn hosts<'w>(network: &'w DockerNetwork, cli: &Cli) -> Result<Option<&'w [String]>, RunError> {
    match network {
        DockerNetwork::Preferably(hosts) | DockerNetwork::Only(hosts) if cli.limits_network() => {
            Ok(Some(hosts))
        }
        DockerNetwork::Only(hosts) => Err(as_error(not_limited(cli, hosts))),
        DockerNetwork::Unlimited | DockerNetwork::Preferably(_) => Ok(None),
    }
}

/// The identity for commits in the sandbox: that of the host.
fn identity(project: &Path) -> GitIdentity {
    let deadline = Instant::now() + Duration::from_secs(10);
    let tree = vcs::WorkTree::open(project).ok();
    match tree.and_then(|tree| tree.identity(deadline).ok().flatten()) {
        Some(vcs::Identity { name, email }) => GitIdentity { name, email },
        None => GitIdentity::default(),
    }
}

/// Mounts are fixed when a sandbox is created, and only the user decides to remove one.
fn mismatch_error(caller: &Caller<'_>, name: &SandboxName) -> RunError {
    let remove = caller.cli.user_command("rm", name);
    RunError::precondition(
        format!("sandbox {name} has other mounts or more allowed hosts than the settings"),
        format!("remove it with `{remove}` (the project is kept); the next run creates it again"),
    )
}
