//! The policy: the access to each path, and the network.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::home::home_rules;
use crate::places::{CREDENTIAL_FILES, CREDENTIAL_FOLDERS};

/// Folders of other users and programs: temporary files, sockets, homes, other disks (among them the Windows
/// disk under WSL).
const PRIVATE: &str = "
    /dev/shm /tmp /var/tmp /run /home /root /mnt /media /private/tmp /private/var/folders /Users
";

/// Paths in the folders above that programs need.
const NEEDED: [&str; 2] = ["/run/current-system", "/run/opengl-driver"];

/// Host name resolution. It contains sockets, through which names could carry data out of an isolated network.
const RESOLVERS: [&str; 2] = ["/run/systemd/resolve", "/run/resolvconf"];

/// Variables that name a folder with temporary files or sockets.
const PRIVATE_VARIABLES: [&str; 2] = ["TMPDIR", "XDG_RUNTIME_DIR"];

/// Variables that name the socket of a program with the user's keys or permissions.
const SOCKET_VARIABLES: [&str; 4] =
    ["SSH_AUTH_SOCK", "DOCKER_HOST", "CONTAINER_HOST", "DBUS_SESSION_BUS_ADDRESS"];

/// The access of a process tree to a path and everything below it. The rule with the longest matching path applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// A folder that starts empty. Its contents are deleted when the process tree ends.
    Private,
    /// An empty file.
    Hidden,
    ReadOnly,
    Writable,
}

/// The folders of a process tree, and the user's additions. Paths are absolute.
#[derive(Debug, Clone, Default)]
pub struct Workplace {
    /// The project folder, which is writable.
    pub root: PathBuf,
    pub readable: Vec<PathBuf>,
    pub writable: Vec<PathBuf>,
    /// Writable folders of git and others. Each needs its own rule: a parent folder without one could be
    /// renamed and replaced.
    pub folders: Vec<PathBuf>,
    /// Read-only paths in writable folders.
    pub unwritable: Vec<PathBuf>,
    /// Files, each with the writable copy that is mounted in its place.
    pub copies: Vec<(PathBuf, PathBuf)>,
    pub home: Option<PathBuf>,
    pub tools: Tools,
    /// The runner's environment.
    pub variables: Vec<(OsString, OsString)>,
}

/// Where toolchains, their settings and the system come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tools {
    #[default]
    OfMachine,
    OfImage,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Network {
    /// The machine's network.
    Open,
    /// A separate loopback, if the operating system supports it. `host_ports` of the machine's loopback are
    /// reachable through a proxy or, on macOS, directly.
    Isolated { host_ports: Vec<u16> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    rules: BTreeMap<PathBuf, Access>,
    home: Option<PathBuf>,
    /// A home that is a link, with its target: the folder that contains the link is private.
    pub(crate) home_link: Option<(PathBuf, PathBuf)>,
    /// Files, each with the file that is mounted in its place.
    pub(crate) copies: Vec<(PathBuf, PathBuf)>,
    pub network: Network,
}

impl Policy {
    /// Skips missing paths, because nothing can be mounted there.
    pub fn of(workplace: &Workplace, network: Network) -> Self {
        let (rules, copies) = (BTreeMap::new(), workplace.copies.clone());
        let home = workplace.home();
        let mut policy = Self { rules, home, home_link: None, copies, network };
        policy.set("/", Access::ReadOnly);
        policy.add_machine(workplace);
        if let Some(home) = workplace.home() {
            policy.add_home(&home, workplace);
        }
        policy.add_project(workplace);
        policy
    }

    /// Parents before their children.
    pub fn rules(&self) -> impl Iterator<Item = (&Path, Access)> {
        self.rules.iter().map(|(path, access)| (path.as_path(), *access))
    }

    /// Without links.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The nearest parent that has a rule and is visible, except the root.
    pub(crate) fn mount_around(&self, path: &Path) -> Option<&Path> {
        let mut above = path.ancestors().skip(1);
        let (above, access) = above
            .find_map(|above| self.rules.get_key_value(above))
            .filter(|(it, _)| it.parent().is_some())?;
        matches!(access, Access::ReadOnly | Access::Writable).then_some(above)
    }

    /// The access by the rule for the path or its nearest parent.
    pub fn access(&self, path: &Path) -> Access {
        let rule = path.ancestors().find_map(|above| self.rules.get(above));
        rule.copied().unwrap_or(Access::ReadOnly)
    }

    /// Replaces an earlier rule for the same path.
    pub fn set(&mut self, path: impl Into<PathBuf>, access: Access) {
        self.rules.insert(path.into(), access);
    }

    /// A link in a visible folder is already visible, so its target gets the rule. Elsewhere the target is
    /// mounted in place of the link.
    fn set_visible(&mut self, path: &Path, access: Access) {
        let above = path.parent().map_or(Access::ReadOnly, |above| self.access(above));
        let is_visible_link =
            path.is_symlink() && !matches!(above, Access::Private | Access::Hidden);
        match path.canonicalize() {
            Ok(target) if is_visible_link => self.set(target, access),
            _ => self.set(path, access),
        }
    }

    fn add_machine(&mut self, workplace: &Workplace) {
        let named = PRIVATE_VARIABLES.iter().filter_map(|name| workplace.variable(name));
        for folder in PRIVATE.split_whitespace().map(PathBuf::from).chain(named) {
            // A link's target has its own rule.
            let is_folder = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
            if is_folder && !folder.starts_with(&workplace.root) {
                self.set(folder, Access::Private);
            }
        }
        let needed = match workplace.tools {
            Tools::OfMachine => needed(&self.network),
            Tools::OfImage => Vec::new(),
        };
        for needed in needed {
            if needed.exists() && self.access(&needed) == Access::Private {
                self.set(needed, Access::ReadOnly);
            }
        }
        for socket in SOCKET_VARIABLES.iter().filter_map(|name| workplace.variable(name)) {
            if socket.is_absolute() && socket.exists() && !socket.is_dir() {
                self.set(socket, Access::Hidden);
            }
        }
    }

    fn add_home(&mut self, home: &Path, workplace: &Workplace) {
        let named = workplace.home.as_deref().unwrap_or(home);
        if named != home && self.access(named) == Access::Private {
            self.home_link = Some((named.to_path_buf(), home.to_path_buf()));
        }
        self.set(home, Access::Private);
        for (path, access) in home_rules(home, workplace) {
            // A PATH folder that contains the home would expose all of it.
            let holds_home = home.starts_with(&path);
            if !holds_home && !workplace.may_write_around(&path) && self.access(&path) != access {
                self.set_visible(&path, access);
            }
        }
    }

    fn add_project(&mut self, workplace: &Workplace) {
        for (paths, access) in
            [(&workplace.readable, Access::ReadOnly), (&workplace.writable, Access::Writable)]
        {
            for path in paths.iter().filter(|path| path.exists()) {
                if !workplace.may_write_around(path) {
                    self.set_visible(path, access);
                }
            }
        }
        self.set(&workplace.root, Access::Writable);
        for (paths, access) in
            [(&workplace.folders, Access::Writable), (&workplace.unwritable, Access::ReadOnly)]
        {
            // A link of the agent would lead to another file.
            let is_itself = |path: &&PathBuf| path.canonicalize().is_ok_and(|real| real == **path);
            for path in paths.iter().filter(is_itself) {
                // Each rule is a mount, which costs time.
                if access == Access::Writable || self.access(path) != access {
                    self.set(path, access);
                }
            }
        }
        self.hide_credentials(workplace);
    }

    /// Also in folders that the user allows, unless the user names the credential itself.
    fn hide_credentials(&mut self, workplace: &Workplace) {
        let Some(home) = workplace.home() else { return };
        for (path, access) in credentials() {
            let path = home.join(path);
            let is_open = !matches!(self.access(&path), Access::Private | Access::Hidden);
            let mut named = workplace.readable.iter().chain(&workplace.writable);
            if is_open && path.exists() && !named.any(|named| named.starts_with(&path)) {
                self.set(path, access);
            }
        }
    }
}

/// Whether the path is a credential or below one.
pub(crate) fn is_credential(path: &Path) -> bool {
    credentials().any(|(name, _)| path.ancestors().any(|above| above.ends_with(name)))
}

/// Relative to the home, with the access that hides each.
fn credentials() -> impl Iterator<Item = (&'static str, Access)> {
    let lists = [(CREDENTIAL_FILES, Access::Hidden), (CREDENTIAL_FOLDERS, Access::Private)];
    lists.into_iter().flat_map(|(list, access)| {
        list.split_whitespace().map(move |path| (path.trim_start_matches("~/"), access))
    })
}

impl Workplace {
    /// The path in a variable, without the scheme of a socket address.
    fn variable(&self, name: &str) -> Option<PathBuf> {
        let (_, value) = self.variables.iter().find(|(each, _)| each == name)?;
        let socket = value.to_str().and_then(|value| {
            let rest = ["unix:path=", "unix://"].iter().find_map(|it| value.strip_prefix(it))?;
            rest.split(',').next()
        });
        let path = socket.map_or_else(|| PathBuf::from(value), PathBuf::from);
        path.is_absolute().then_some(path)
    }

    /// Whether the path is in a writable folder, where it may be a link of an agent. It needs no rule either.
    fn may_write_around(&self, path: &Path) -> bool {
        let mut folders = self.writable.iter().chain([&self.root]);
        folders.any(|folder| path != folder && path.starts_with(folder))
    }

    /// Without links.
    fn home(&self) -> Option<PathBuf> {
        self.home.as_deref()?.canonicalize().ok()
    }
}

fn needed(network: &Network) -> Vec<PathBuf> {
    let always = NEEDED.map(PathBuf::from).into_iter();
    match network {
        Network::Open => {
            let resolver = Path::new("/etc/resolv.conf").canonicalize().ok();
            always.chain(RESOLVERS.map(PathBuf::from)).chain(resolver).collect()
        }
        Network::Isolated { .. } => always.collect(),
    }
}

#[cfg(test)]
mod tests;
