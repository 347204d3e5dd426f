//! A sandbox as the settings and the machine make it, and how a program is started in it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use os_sandbox::bubblewrap::{self, NewNamespaces};
use os_sandbox::{Access, Network, Policy, Workplace, environment, seatbelt};
use project::{Layout, env};
use sandbox_network::entry::{Bridge, Entry};
use sandbox_network::{Address, Listen, Proxy, Rules};
use serde::{Deserialize, Serialize};
use supervise::{Launch, Recipient};
use tempfile::TempDir;
use vcs::{AllowedChanges, Identity, WorkTree};

use super::confined::Confined;
use super::workplace::workplace;
use crate::house::deadline;

/// Where the proxy is found on the loopback of a sandbox.
const PROXY_PORT: u16 = 3128;

pub(super) const SEATBELT: &str = "/usr/bin/sandbox-exec";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OsSandbox {
    pub backend: Backend,
    /// This program, which starts the others inside.
    pub entry: PathBuf,
    /// Outside the project.
    pub readable: Vec<PathBuf>,
    pub writable: Vec<PathBuf>,
    /// Folders that may be written and are made if they are missing.
    pub folders: Vec<PathBuf>,
    /// The same in the project, in a folder that may not be written.
    pub project_folders: Vec<PathBuf>,
    /// Files that may be written, without a trace on the file itself.
    pub copied: Vec<PathBuf>,
    /// Names of variables that pass besides the usual ones; a `*` at the end stands for any rest.
    pub environment: Vec<String>,
    pub network: NetworkAccess,
    pub home: Option<PathBuf>,
    /// The environment of the runner: variables name folders of tools and sockets.
    pub variables: Vec<(OsString, OsString)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backend {
    Bubblewrap { program: PathBuf, new_namespaces: NewNamespaces },
    Seatbelt,
}

impl Backend {
    /// For people.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Bubblewrap { .. } => "bubblewrap",
            Self::Seatbelt => "Seatbelt",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkAccess {
    Open,
    /// Named hosts, through a proxy of the runner.
    Allowlist(Rules),
    None,
}

/// The same in events and messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkKind {
    Open,
    Allowlist,
    None,
}

impl NetworkAccess {
    pub fn kind(&self) -> NetworkKind {
        match self {
            Self::Open => NetworkKind::Open,
            Self::Allowlist(_) => NetworkKind::Allowlist,
            Self::None => NetworkKind::None,
        }
    }
}

impl OsSandbox {
    /// Puts the program of `launch` into the sandbox. What is returned has to live as long as the program runs.
    pub(crate) fn confine(
        &self,
        launch: &mut Launch,
        layout: &Layout,
        allowed: &AllowedChanges,
    ) -> io::Result<Confined> {
        let proxy = self.proxy()?;
        let temporary = self.temporary_folder()?;
        for folder in self.folders.iter().chain(&self.project_folders) {
            std::fs::create_dir_all(folder)?;
        }
        let mut place = Workplace {
            home: self.home.clone(),
            variables: self.variables.clone(),
            ..workplace(layout, allowed)
        };
        place.readable.extend(self.readable.iter().chain([&self.entry]).cloned());
        place.writable.extend(self.writable.iter().chain(&self.folders).cloned());
        place.folders.extend(self.project_folders.iter().cloned());
        if let Some(temporary) = &temporary {
            place.copies = copies(&self.copied, temporary.path())?;
        }
        if let Some(Address::Socket(socket)) = proxy.as_ref().map(Proxy::address) {
            place.readable.extend(socket.parent().map(Into::into));
        }
        self.reduce_environment(launch);
        self.set_identity(launch, layout);
        let mut policy = Policy::of(&place, self.network_rules(proxy.as_ref()));
        match &self.backend {
            Backend::Bubblewrap { program, new_namespaces } => {
                let inside = self.entry_arguments(launch, proxy.as_ref());
                launch.args = bubblewrap::arguments(&policy, &launch.folder, *new_namespaces);
                launch.args.push(self.entry.clone().into());
                launch.args.extend(inside);
                launch.program.clone_from(program);
                launch.recipient = Recipient::InSandbox;
            }
            Backend::Seatbelt => {
                if let Some(folder) = &temporary {
                    policy.set(folder.path().canonicalize()?, Access::Writable);
                    set(launch, "TMPDIR", folder.path().into());
                }
                let mut args: Vec<OsString> = vec!["-p".into(), seatbelt::profile(&policy).into()];
                args.push(launch.program.clone().into());
                args.append(&mut launch.args);
                (launch.program, launch.args) = (SEATBELT.into(), args);
            }
        }
        if let Some(proxy) = &proxy {
            set_proxy(launch, proxy.address());
        }
        Ok(Confined { policy, proxy, _temporary: temporary })
    }

    /// For copies of files, and on macOS for temporary files: it has no private `/tmp` for one process tree.
    fn temporary_folder(&self) -> io::Result<Option<TempDir>> {
        let is_needed = self.backend == Backend::Seatbelt || !self.copied.is_empty();
        is_needed.then(tempfile::tempdir).transpose()
    }

    fn proxy(&self) -> io::Result<Option<Proxy>> {
        let listen = match self.backend {
            Backend::Bubblewrap { .. } => Listen::Socket,
            Backend::Seatbelt => Listen::Loopback,
        };
        match &self.network {
            NetworkAccess::Allowlist(rules) => Proxy::start(rules.clone(), listen).map(Some),
            NetworkAccess::Open | NetworkAccess::None => Ok(None),
        }
    }

    fn network_rules(&self, proxy: Option<&Proxy>) -> Network {
        let port = proxy.and_then(|proxy| match proxy.address() {
            Address::Loopback(port) => Some(*port),
            Address::Socket(_) => None,
        });
        match &self.network {
            NetworkAccess::Open => Network::Open,
            NetworkAccess::Allowlist(rules) => {
                let host_ports = rules.host_ports.iter().copied().chain(port).collect();
                Network::Isolated { host_ports }
            }
            NetworkAccess::None => Network::Isolated { host_ports: Vec::new() },
        }
    }

    fn entry_arguments(&self, launch: &Launch, proxy: Option<&Proxy>) -> Vec<OsString> {
        let bridge = proxy.and_then(|proxy| match (proxy.address(), &self.network) {
            (Address::Socket(socket), NetworkAccess::Allowlist(rules)) => Some(Bridge {
                socket: socket.clone(),
                proxy_port: PROXY_PORT,
                host_ports: rules.host_ports.clone(),
            }),
            _ => None,
        });
        Entry { bridge }.arguments(launch.program.as_os_str(), &launch.args)
    }

    /// Settings of git with a secret in them are hidden, and with them the name and address for commits.
    fn set_identity(&self, launch: &mut Launch, layout: &Layout) {
        let hidden = |name: &str| {
            let file = self.home.as_ref().map(|home| home.join(name));
            file.is_some_and(|file| file.is_file() && os_sandbox::holds_secret(&file))
        };
        if ![".gitconfig", ".config/git/config"].into_iter().any(hidden) {
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

    /// Variables of this program's own environment that do not reach the sandbox.
    pub fn hidden_variables(&self) -> Vec<String> {
        let hidden = self.removed_variables();
        hidden.map(|name| plain_text::plain(&name.to_string_lossy())).collect()
    }

    fn removed_variables(&self) -> impl Iterator<Item = OsString> {
        let passes = |name: &OsString, value: &OsString| {
            let (name, value) = (name.to_str(), value.to_string_lossy());
            name.is_some_and(|name| {
                !env::KEPT_BACK.contains(&name)
                    && environment::passes(name, &value, &self.environment)
            })
        };
        let removed = std::env::vars_os().filter(move |(name, value)| !passes(name, value));
        removed.map(|(name, _)| name)
    }

    /// What is inherited and not on the list is removed. What the launch itself sets stays.
    fn reduce_environment(&self, launch: &mut Launch) {
        let mut reduced: Vec<_> = self.removed_variables().map(|name| (name, None)).collect();
        let withheld = environment::withheld_git_settings(&self.variables).into_iter();
        reduced.extend(withheld.map(|(name, value)| (name, Some(value))));
        reduced.append(&mut launch.environment);
        launch.environment = reduced;
    }
}

/// Of the files that exist.
fn copies(files: &[PathBuf], folder: &Path) -> io::Result<Vec<(PathBuf, PathBuf)>> {
    let files = files.iter().filter(|file| file.is_file());
    files
        .zip(0..)
        .map(|(file, number)| {
            let copy = folder.join(number.to_string());
            std::fs::copy(file, &copy)?;
            Ok((file.clone(), copy))
        })
        .collect()
}

fn set(launch: &mut Launch, name: &str, value: OsString) {
    launch.environment.push((name.into(), Some(value)));
}

/// Programs know these variables in either spelling.
fn set_proxy(launch: &mut Launch, address: &Address) {
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
