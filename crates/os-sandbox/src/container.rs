//! Turns a policy into arguments of `podman run` or `docker run`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::bubblewrap::is_device;
use crate::{Access, Network, Policy};

/// A container for one process tree.
#[derive(Debug, Clone, Copy)]
pub struct Container<'c> {
    pub engine: Engine,
    pub image: &'c str,
    /// If empty, the engine chooses one.
    pub name: &'c str,
    /// Shown to users and used for cleanup.
    pub label: &'c str,
    /// The owner of files that the process tree creates.
    pub owner: ContainerUser,
    /// The working directory, without links.
    pub folder: &'c Path,
    pub environment: &'c Path,
    /// Engine options of the user.
    pub options: &'c [String],
    /// The program and its arguments.
    pub command: (&'c Path, &'c [OsString]),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Podman,
    Docker,
}

/// The user of the container's processes, so that their files belong to the user outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContainerUser {
    /// A user of the machine by number.
    User { uid: u32, gid: u32 },
    /// The same for a rootless engine, which must map the numbers.
    Mapped { uid: u32, gid: u32 },
    /// Root in the container is the user outside.
    Root,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{} cannot be mounted in a container: its name has a comma, a colon or a quotation mark", .0.display())]
pub struct Unmountable(pub PathBuf);

pub fn arguments(policy: &Policy, container: &Container<'_>) -> Result<Vec<OsString>, Unmountable> {
    let mut args: Vec<OsString> = [
        "run",
        "--rm",
        "--interactive",
        // An init process reaps children and passes on signals.
        "--init",
        "--pull=never",
        "--log-driver=none",
        "--cap-drop=all",
        "--security-opt=no-new-privileges",
        // Project files have no SELinux label for containers.
        "--security-opt=label=disable",
    ]
    .map(Into::into)
    .to_vec();
    args.extend(container.owner.arguments());
    if policy.network != Network::Open {
        args.push("--network=none".into());
    }
    if !container.name.is_empty() {
        args.push(format!("--name={}", container.name).into());
    }
    args.push(format!("--label={}", container.label).into());
    args.push(joined("--env-file=", container.environment));
    args.push(joined("--workdir=", container.folder));
    for (path, access) in mounts(policy) {
        args.push(mount(path, path, access, container.engine)?);
    }
    for (path, copy) in &policy.copies {
        args.push(mount(path, copy, Access::Writable, container.engine)?);
    }
    args.extend(container.options.iter().map(Into::into));
    let (program, rest) = container.command;
    args.push(joined("--entrypoint=", program));
    args.push(container.image.into());
    args.extend(rest.iter().cloned());
    Ok(args)
}

/// The rules that need a mount. Unmounted paths are hidden anyway, except for the home, which must exist.
fn mounts(policy: &Policy) -> impl Iterator<Item = (&Path, Access)> {
    policy.rules().filter(|(path, access)| match access {
        Access::Private | Access::Hidden => {
            policy.home() == Some(path) || policy.mount_around(path).is_some()
        }
        Access::ReadOnly | Access::Writable => *path != Path::new("/"),
    })
}

fn mount(
    path: &Path,
    source: &Path,
    access: Access,
    engine: Engine,
) -> Result<OsString, Unmountable> {
    for path in [path, source] {
        if path.to_string_lossy().contains([',', ':', '"', '\n']) {
            return Err(Unmountable(path.to_path_buf()));
        }
    }
    let bind = |source: &Path, more: &str| {
        let mut text = joined("--mount=type=bind,source=", source);
        text.push(joined(",destination=", path));
        text.push(more);
        text
    };
    Ok(match access {
        Access::Private => {
            let mut text = joined("--tmpfs=", path);
            text.push(":rw,exec,mode=1777");
            // Podman would copy the folder's contents, for example a key.
            text.push(if engine == Engine::Podman { ",notmpcopyup" } else { "" });
            text
        }
        Access::Hidden => bind(Path::new("/dev/null"), ",readonly"),
        Access::ReadOnly => bind(source, ",readonly"),
        Access::Writable if is_device(path) => joined("--device=", path),
        Access::Writable => bind(source, ""),
    })
}

fn joined(flag: &str, path: &Path) -> OsString {
    let mut text = OsString::from(flag);
    text.push(path);
    text
}

impl ContainerUser {
    fn arguments(self) -> Vec<OsString> {
        let user = |uid: u32, gid: u32| OsString::from(format!("--user={uid}:{gid}"));
        match self {
            Self::User { uid, gid } => vec![user(uid, gid)],
            Self::Mapped { uid, gid } => vec!["--userns=keep-id".into(), user(uid, gid)],
            Self::Root => vec![user(0, 0)],
        }
    }
}

#[cfg(test)]
mod tests {
    use assert_fs::TempDir;
    use assert_fs::prelude::*;

    use super::*;
    use crate::{Tools, Workplace};

    fn workplace(dir: &TempDir) -> Workplace {
        for file in ["me/.ssh/key", "me/.cargo/registry/x", "me/.rustup/x", "me/shop/.git/config"] {
            dir.child(file).touch().unwrap();
        }
        let home = dir.path().canonicalize().unwrap().join("me");
        let root = home.join("shop");
        let unwritable = vec![root.join(".git/config")];
        Workplace {
            home: Some(home),
            root,
            unwritable,
            tools: Tools::OfImage,
            ..Workplace::default()
        }
    }

    fn words(place: &Workplace, network: Network, owner: ContainerUser) -> Vec<String> {
        let policy = Policy::of(place, network);
        let container = Container {
            engine: Engine::Podman,
            image: "shop",
            name: "ralph-1",
            label: "ralph",
            owner,
            folder: &place.root,
            environment: Path::new("/e"),
            options: &["--memory=1g".to_owned()],
            command: (Path::new("/bin/sh"), &["-c".into(), "true".into()]),
        };
        let args = arguments(&policy, &container).unwrap();
        args.into_iter().map(|arg| arg.into_string().unwrap()).collect()
    }

    #[test]
    fn the_project_is_mounted_and_of_the_home_the_caches_alone() {
        let dir = TempDir::new().unwrap();
        let place = workplace(&dir);
        let words = words(&place, Network::Open, ContainerUser::Root);
        let home = place.home.unwrap().display().to_string();
        let is_mount = |word: &&String| word.starts_with("--mount") || word.starts_with("--tmpfs");
        let mounts: Vec<&String> = words.iter().filter(is_mount).collect();
        let bind = |name: &str| {
            format!("--mount=type=bind,source={home}/{name},destination={home}/{name}")
        };
        let expected = [
            format!("--tmpfs={home}:rw,exec,mode=1777,notmpcopyup"),
            bind(".cargo/registry"),
            bind("shop"),
            bind("shop/.git/config") + ",readonly",
        ];
        assert_eq!(mounts, expected.each_ref());
        assert_eq!(&words[words.len() - 4..], ["--entrypoint=/bin/sh", "shop", "-c", "true"]);
        assert!(
            words.contains(&"--memory=1g".to_owned()) && words.contains(&"--cap-drop=all".into())
        );
    }

    #[test]
    fn credentials_in_a_folder_that_is_mounted_are_covered() {
        let dir = TempDir::new().unwrap();
        let mut place = workplace(&dir);
        place.root = place.home.clone().unwrap();
        let words = words(&place, Network::Open, ContainerUser::Root).join(" ");
        let ssh = place.root.join(".ssh");
        assert!(words.contains(&format!("--tmpfs={}:", ssh.display())), "{words}");
    }

    #[test]
    fn the_network_is_the_engines_where_it_is_open_alone() {
        let dir = TempDir::new().unwrap();
        let place = workplace(&dir);
        let none = "--network=none".to_owned();
        assert!(!words(&place, Network::Open, ContainerUser::Root).contains(&none));
        let isolated = Network::Isolated { host_ports: vec![] };
        assert!(words(&place, isolated, ContainerUser::Root).contains(&none));
    }

    #[test]
    fn files_belong_to_the_user_with_every_engine() {
        let dir = TempDir::new().unwrap();
        let place = workplace(&dir);
        let has =
            |owner, word: &str| words(&place, Network::Open, owner).iter().any(|each| each == word);
        let (uid, gid) = (1000, 100);
        assert!(has(ContainerUser::User { uid, gid }, "--user=1000:100"));
        assert!(!has(ContainerUser::User { uid, gid }, "--userns=keep-id"));
        assert!(has(ContainerUser::Mapped { uid, gid }, "--userns=keep-id"));
        assert!(has(ContainerUser::Root, "--user=0:0"));
    }

    #[test]
    fn a_path_that_an_option_cannot_hold_is_refused() {
        for name in ["/a,b", "/a\"b"] {
            let path = Path::new(name);
            assert_eq!(
                mount(path, path, Access::Writable, Engine::Docker),
                Err(Unmountable(path.into()))
            );
        }
    }
}
