//! A sandbox according to settings and machine, and how a program is started in it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use isolation::{Isolation, NetworkKind};
use os_sandbox::bubblewrap::{self, NewNamespaces};
use os_sandbox::{Access, Network, Policy, Tools, Workplace, seatbelt};
use project::Layout;
use sandbox_network::entry::{Bridge, Entry};
use sandbox_network::{Address, Listen, Proxy, Rules};
use supervise::{Keeper, Launch, Recipient};
use vcs::AllowedChanges;

use super::confined::ConfinedProgram;
use super::container::{ContainerBackend, write_environment};
use super::variables::{PROXY_PORT, set, set_proxy};
use super::workplace::workplace;
use crate::RunError;

pub(super) const SEATBELT: &str = "/usr/bin/sandbox-exec";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    pub backend: Backend,
    /// The runner's program, which starts the others inside.
    pub entry: PathBuf,
    /// Outside the project.
    pub readable: Vec<PathBuf>,
    pub writable: Vec<PathBuf>,
    /// Writable folders, created if missing. Their names depend on the work tree ([`agents::in_project`]).
    pub folders: Vec<PathBuf>,
    /// The same inside a read-only folder of the project.
    pub project_folders: Vec<PathBuf>,
    /// Files of the user in the project that are writable nevertheless.
    pub project_files: Vec<PathBuf>,
    /// Files that are writable as a copy; the original stays unchanged.
    pub copied: Vec<PathBuf>,
    /// Names of variables that pass in addition to the default ones; a trailing `*` matches any rest.
    pub environment: Vec<String>,
    pub network: NetworkAccess,
    pub home: Option<PathBuf>,
    /// The runner's environment, which names the folders and sockets of tools.
    pub variables: Vec<(OsString, OsString)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backend {
    Bubblewrap { program: PathBuf, new_namespaces: NewNamespaces },
    Seatbelt,
    Container(ContainerBackend),
}

impl Backend {
    pub fn name(&self) -> String {
        match self {
            Self::Bubblewrap { .. } => "bubblewrap".into(),
            Self::Seatbelt => "Seatbelt".into(),
            Self::Container(backend) => backend.to_string(),
        }
    }

    pub fn kind(&self) -> Isolation {
        match self {
            Self::Bubblewrap { .. } | Self::Seatbelt => Isolation::Os,
            Self::Container(_) => Isolation::Container,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkAccess {
    Open,
    /// Named hosts, through the runner's proxy.
    Allowlist(Rules),
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

impl Sandbox {
    /// Puts the program of `launch` into the sandbox. The result must live as long as the program runs.
    pub(crate) fn confine(
        &self,
        launch: &mut Launch,
        layout: &Layout,
        allowed: &AllowedChanges,
    ) -> io::Result<ConfinedProgram> {
        let proxy = self.proxy()?;
        let temporary = tempfile::tempdir()?;
        let root = layout.root().canonicalize()?;
        let own = self.folders.iter().map(|folder| agents::in_project(folder, &root));
        let own: Vec<PathBuf> = own.collect();
        for folder in own.iter().chain(&self.project_folders) {
            std::fs::create_dir_all(folder)?;
        }
        let mut place = self.workplace(layout, allowed, proxy.as_ref(), temporary.path())?;
        place.writable.extend(own);
        self.set_identity(launch, layout);
        if let Some(proxy) = &proxy {
            set_proxy(launch, proxy.address());
        }
        let mut policy = Policy::of(&place, self.network_rules(proxy.as_ref()));
        let mut container = None;
        match &self.backend {
            Backend::Bubblewrap { program, new_namespaces } => {
                self.reduce_environment(launch);
                let inside = self.entry_arguments(launch, proxy.as_ref());
                launch.args = bubblewrap::arguments(&policy, &launch.folder, *new_namespaces);
                launch.args.push(self.entry.clone().into());
                launch.args.extend(inside);
                launch.program.clone_from(program);
                launch.recipient = Recipient::InSandbox;
            }
            Backend::Container(backend) => {
                let environment = self.container_environment(launch, &policy);
                let inside = self.entry_arguments(launch, proxy.as_ref());
                let file = temporary.path().join("environment");
                write_environment(&file, &environment)?;
                let command = (self.entry.as_path(), &inside[..]);
                container = Some(backend.start(launch, &policy, &file, command)?);
            }
            Backend::Seatbelt => {
                self.reduce_environment(launch);
                // One process tree cannot have a private `/tmp` here.
                policy.set(temporary.path().canonicalize()?, Access::Writable);
                set(launch, "TMPDIR", temporary.path().into());
                let mut args: Vec<OsString> = vec!["-p".into(), seatbelt::profile(&policy).into()];
                args.push(launch.program.clone().into());
                args.append(&mut launch.args);
                (launch.program, launch.args) = (SEATBELT.into(), args);
            }
        }
        Ok(ConfinedProgram { policy, proxy, container, _temporary: temporary })
    }

    /// Ends what a killed run may have left running.
    pub(crate) fn remove_leftovers(&self, keeper: &Keeper, root: &Path) -> Result<(), RunError> {
        match &self.backend {
            Backend::Container(backend) => backend.remove_leftovers(keeper, root),
            Backend::Bubblewrap { .. } | Backend::Seatbelt => Ok(()),
        }
    }

    fn workplace(
        &self,
        layout: &Layout,
        allowed: &AllowedChanges,
        proxy: Option<&Proxy>,
        temporary: &Path,
    ) -> io::Result<Workplace> {
        let is_container = matches!(self.backend, Backend::Container(_));
        let mut place = Workplace {
            home: self.home.clone(),
            tools: if is_container { Tools::OfImage } else { Tools::OfMachine },
            variables: self.variables.clone(),
            ..workplace(layout, allowed)
        };
        place.readable.extend(self.readable.iter().chain([&self.entry]).cloned());
        place.writable.extend(self.writable.iter().cloned());
        place.folders.extend(self.project_folders.iter().cloned());
        place.unwritable.retain(|path| !self.project_files.contains(path));
        place.copies = copies(&self.copied, temporary)?;
        if let Some(Address::Socket(socket)) = proxy.map(Proxy::address) {
            place.readable.extend(socket.parent().map(Into::into));
        }
        Ok(place)
    }

    fn proxy(&self) -> io::Result<Option<Proxy>> {
        let listen = match self.backend {
            Backend::Bubblewrap { .. } | Backend::Container(_) => Listen::Socket,
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
        let forbids_namespaces = match &self.backend {
            Backend::Bubblewrap { new_namespaces: NewNamespaces::Forbidden, .. }
            | Backend::Seatbelt => false,
            Backend::Bubblewrap { new_namespaces: NewNamespaces::Possible, .. }
            | Backend::Container(_) => true,
        };
        Entry { forbids_namespaces, bridge }.arguments(launch.program.as_os_str(), &launch.args)
    }
}

/// Of the existing files.
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
