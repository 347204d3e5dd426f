//! Policies for folders on disk.

use assert_fs::TempDir;
use assert_fs::prelude::*;

use super::*;

fn workplace(dir: &TempDir) -> Workplace {
    let dir = dir.path().canonicalize().unwrap();
    Workplace { root: dir.join("home/shop"), home: Some(dir.join("home")), ..Workplace::default() }
}

fn machine() -> TempDir {
    let dir = TempDir::new().unwrap();
    let files = [
        "home/.ssh/id_ed25519",
        "home/.config/gh/hosts.yml",
        "home/.config/shop/key",
        "home/.cargo/registry/index",
        "home/shop/.git/config",
        "home/shop/src/main.rs",
        "home/shared/lib.rs",
    ];
    for file in files {
        dir.child(file).touch().unwrap();
    }
    dir
}

fn access(policy: &Policy, workplace: &Workplace, name: &str) -> Access {
    policy.access(&workplace.home().unwrap().join(name))
}

#[test]
fn the_home_is_private_but_for_the_project_and_package_caches() {
    let dir = machine();
    let mut workplace = workplace(&dir);
    workplace.unwritable = vec![workplace.root.join(".git/config")];
    let policy = Policy::of(&workplace, Network::Open);
    let access = |name: &str| access(&policy, &workplace, name);
    assert_eq!(access(".ssh/id_ed25519"), Access::Private);
    assert_eq!(access(".cargo/registry/index"), Access::Writable);
    assert_eq!(access("shop/src/main.rs"), Access::Writable);
    assert_eq!(access("shop/.git/config"), Access::ReadOnly);
    assert_eq!(access("shared/lib.rs"), Access::Private);
    assert_eq!(policy.access(Path::new("/usr/bin/env")), Access::ReadOnly);
}

#[test]
fn credentials_stay_hidden_in_a_folder_that_is_allowed_unless_they_are_named() {
    let dir = machine();
    let mut workplace = workplace(&dir);
    let config = workplace.home().unwrap().join(".config");
    workplace.readable = vec![config.clone()];
    let policy = Policy::of(&workplace, Network::Open);
    assert_eq!(access(&policy, &workplace, ".config/shop/key"), Access::ReadOnly);
    assert_eq!(access(&policy, &workplace, ".config/gh/hosts.yml"), Access::Private);
    workplace.readable.push(config.join("gh"));
    let policy = Policy::of(&workplace, Network::Open);
    assert_eq!(access(&policy, &workplace, ".config/gh/hosts.yml"), Access::ReadOnly);
}

#[test]
fn credentials_are_hidden_in_a_project_that_is_the_home() {
    let dir = machine();
    let mut workplace = workplace(&dir);
    workplace.root = workplace.home().unwrap();
    let policy = Policy::of(&workplace, Network::Open);
    assert_eq!(access(&policy, &workplace, "shared/lib.rs"), Access::Writable);
    assert_eq!(access(&policy, &workplace, ".ssh/id_ed25519"), Access::Private);
}

#[test]
fn an_isolated_network_cannot_resolve_names() {
    let resolve = Path::new("/run/systemd/resolve");
    let has = |network| needed(&network).iter().any(|path| path == resolve);
    assert!(has(Network::Open));
    assert!(!has(Network::Isolated { host_ports: vec![] }));
    assert_eq!(needed(&Network::Isolated { host_ports: vec![] }).len(), NEEDED.len());
}

#[test]
fn a_folder_of_path_does_not_open_the_home() {
    let dir = machine();
    let mut workplace = workplace(&dir);
    let home = workplace.home().unwrap();
    for path in [home.clone(), home.parent().unwrap().to_path_buf()] {
        workplace.variables = vec![("PATH".into(), path.into())];
        let policy = Policy::of(&workplace, Network::Open);
        assert_eq!(access(&policy, &workplace, ".ssh/id_ed25519"), Access::Private);
    }
}

#[cfg(unix)]
#[test]
fn a_link_of_an_agent_exposes_nothing() {
    let dir = machine();
    let mut workplace = workplace(&dir);
    let (home, root) = (workplace.home().unwrap(), workplace.root.clone());
    for link in ["bin", "out", ".claude"] {
        std::os::unix::fs::symlink(home.join(".ssh"), root.join(link)).unwrap();
    }
    workplace.variables = vec![("PATH".into(), root.join("bin").into())];
    workplace.writable = vec![root.join("out")];
    workplace.unwritable = vec![root.join(".claude/id_ed25519")];
    let policy = Policy::of(&workplace, Network::Open);
    let below: Vec<&Path> =
        policy.rules().map(|(path, _)| path).filter(|path| path.starts_with(&root)).collect();
    assert_eq!(below, [root.as_path()]);
}

#[test]
fn the_socket_of_an_agent_is_hidden_wherever_it_is() {
    let dir = machine();
    let mut workplace = workplace(&dir);
    let socket = workplace.root.join("agent.sock");
    std::fs::write(&socket, "").unwrap();
    for value in [socket.display().to_string(), format!("unix://{}", socket.display())] {
        workplace.variables = vec![("SSH_AUTH_SOCK".into(), value.into())];
        let policy = Policy::of(&workplace, Network::Open);
        assert_eq!(policy.access(&socket), Access::Hidden);
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_a_visible_folder_exposes_its_target() {
    let dir = machine();
    let mut workplace = workplace(&dir);
    let home = workplace.home().unwrap();
    dir.child("home/bin/sh").touch().unwrap();
    dir.child("home/versions/2").touch().unwrap();
    let (link, target) = (home.join("bin/agent"), home.join("versions/2"));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    workplace.readable = vec![link.clone()];
    let paths = |workplace: &Workplace| -> Vec<PathBuf> {
        let policy = Policy::of(workplace, Network::Open);
        policy.rules().map(|(path, _)| path.to_path_buf()).collect()
    };
    assert!(paths(&workplace).contains(&link), "its folder is private");
    workplace.variables = vec![("PATH".into(), home.join("bin").into())];
    let paths = paths(&workplace);
    assert!(paths.contains(&target) && !paths.contains(&link), "{paths:?}");
}

#[cfg(unix)]
#[test]
fn the_target_of_a_linked_home_is_private() {
    let dir = machine();
    let mut workplace = workplace(&dir);
    let (real, link) = (workplace.home().unwrap(), dir.path().join("link"));
    std::os::unix::fs::symlink(&real, &link).unwrap();
    workplace.home = Some(link.clone());
    workplace.variables = vec![("TMPDIR".into(), dir.path().into())];
    let policy = Policy::of(&workplace, Network::Open);
    assert_eq!(policy.access(&real.join(".ssh/id_ed25519")), Access::Private);
    assert_eq!(policy.home_link, Some((link, real)));
}
