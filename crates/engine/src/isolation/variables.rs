//! The environment of a program in a sandbox.

use std::ffi::OsString;

use os_sandbox::{Policy, environment};
use project::{Layout, env};
use sandbox_network::Address;
use supervise::Launch;
use vcs::{Identity, WorkTree};

use super::sandbox::{Backend, Sandbox};
use crate::run_files::deadline;

/// The proxy's port on the loopback interface of a sandbox.
pub(super) const PROXY_PORT: u16 = 3128;

impl Sandbox {
    /// Git settings that contain a secret are hidden, and with them the identity for commits.
    pub(super) fn set_identity(&self, launch: &mut Launch, layout: &Layout) {
        let hidden = |name: &str| {
            let file = self.home.as_ref().map(|home| home.join(name));
            file.is_some_and(|file| file.is_file() && os_sandbox::holds_secret(&file))
        };
        let is_container = matches!(self.backend, Backend::Container(_));
        if !is_container && ![".gitconfig", ".config/git/config"].into_iter().any(hidden) {
            return;
        }
        let tree = WorkTree::open(layout.root()).ok();
        let Some(Identity { name, email }) =
            tree.and_then(|tree| tree.identity(deadline()).ok().flatten())
        else {
            return;
        };
        for role in ["AUTHOR", "COMMITTER"] {
            set(launch, &format!("GIT_{role}_NAME"), name.clone().into());
            set(launch, &format!("GIT_{role}_EMAIL"), email.clone().into());
        }
    }

    /// The variables of a container: the runner's variables that the image lacks, and those of the launch.
    pub(super) fn container_environment(
        &self,
        launch: &mut Launch,
        policy: &Policy,
    ) -> Vec<(OsString, OsString)> {
        let hidden: Vec<OsString> = self.removed_variables().collect();
        let inherited = std::env::vars_os().filter(|(name, _)| !hidden.contains(name));
        let home = policy.home().map(|home| ("HOME".into(), home.as_os_str().to_owned()));
        let mut all: Vec<(OsString, OsString)> = inherited.chain(home).collect();
        let withheld = environment::withheld_git_settings(&self.variables).into_iter();
        let withheld = withheld.map(|(name, value)| (name, Some(value)));
        for (name, value) in withheld.chain(launch.environment.drain(..)) {
            all.retain(|(each, _)| *each != name);
            all.extend(value.map(|value| (name, value)));
        }
        all
    }

    /// Variables of the runner's environment that do not reach the sandbox.
    pub fn hidden_variables(&self) -> Vec<String> {
        let hidden = self.removed_variables();
        hidden.map(|name| sanitize::plain(&name.to_string_lossy())).collect()
    }

    fn removed_variables(&self) -> impl Iterator<Item = OsString> {
        let passes_to = match self.backend {
            Backend::Container(_) => environment::passes_to_image,
            Backend::Bubblewrap { .. } | Backend::Seatbelt => environment::passes,
        };
        let passes = move |name: &OsString, value: &OsString| {
            let (name, value) = (name.to_str(), value.to_string_lossy());
            name.is_some_and(|name| {
                // Named only if the agent signs in by it; otherwise its launch removes it.
                let is_named = self.environment.iter().any(|each| each == name);
                let is_kept_back = env::KEPT_BACK.contains(&name) && !is_named;
                !is_kept_back && passes_to(name, &value, &self.environment)
            })
        };
        let removed = std::env::vars_os().filter(move |(name, value)| !passes(name, value));
        removed.map(|(name, _)| name)
    }

    /// Removes inherited variables that are not on the list. Variables set by the launch stay.
    pub(super) fn reduce_environment(&self, launch: &mut Launch) {
        let mut reduced: Vec<_> = self.removed_variables().map(|name| (name, None)).collect();
        let withheld = environment::withheld_git_settings(&self.variables).into_iter();
        reduced.extend(withheld.map(|(name, value)| (name, Some(value))));
        reduced.append(&mut launch.environment);
        launch.environment = reduced;
    }
}

pub(super) fn set(launch: &mut Launch, name: &str, value: OsString) {
    launch.environment.push((name.into(), Some(value)));
}

/// Programs read these variables in both spellings.
pub(super) fn set_proxy(launch: &mut Launch, address: &Address) {
    let port = match address {
        Address::Socket(_) => PROXY_PORT,
        Address::Loopback(port) => *port,
    };
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        for name in [name.to_owned(), name.to_lowercase()] {
            set(launch, &name, format!("http://127.0.0.1:{port}").into());
        }
    }
    for name in ["NO_PROXY", "no_proxy"] {
        set(launch, name, "localhost,127.0.0.1,::1".into());
    }
}
