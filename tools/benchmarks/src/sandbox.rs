//! The cost of a sandbox: the same program started plainly, in the OS sandbox and in a container,
//! each with the policy of a check.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use os_sandbox::bubblewrap::{NewNamespaces, arguments};
use os_sandbox::container::{self, Container, ContainerUser, Engine};
use os_sandbox::{Network, Policy, Tools, Workplace};
use sandbox_network::entry::Entry;

use crate::launch::Program;
use crate::measure::{Entrant, Scenario};
use crate::toolbox::Toolbox;

/// Budgets: an empty process takes about a millisecond, the OS sandbox may add 20, a container 600.
const BUDGET: f64 = 20.0;
const CONTAINER_BUDGET: f64 = 600.0;

const BUBBLEWRAP: &str = "/usr/bin/bwrap";
const PODMAN: &str = "/usr/bin/podman";
const IMAGE: &str = "localhost/ralph-benchmark";

/// For root on machines where the default control groups and limits fail.
const OPTIONS: [&str; 2] = ["--ulimit=nofile=1024:1024", "--ulimit=nproc=1000:1000"];

pub(crate) fn scenario(toolbox: &Toolbox, rounds: usize) -> Scenario {
    let empty = toolbox.binary("empty-process").path;
    let plain = toolbox.invocation(Program::new(&empty), &toolbox.folder);
    let confined = confined(toolbox, &empty)
        .map(|program| toolbox.invocation(program, &toolbox.folder))
        .ok_or_else(|| format!("{BUBBLEWRAP} is not here"));
    let contained = contained(toolbox, &empty).map(|it| toolbox.invocation(it, &toolbox.folder));
    let entrant =
        |name: &str, budget, invocation| Entrant { name: name.into(), budget, invocation };
    Scenario {
        title: "the sandbox of a check".into(),
        sizes: "an empty process, started by itself, in bubblewrap with the rules that a check has here \
                (namespaces, read-only system, private home with its toolchains and caches), and in a new container \
                of Podman with a small image, which is removed after it."
            .into(),
        rounds,
        entrants: vec![
            entrant("empty process", None, Ok(plain)),
            entrant("in the sandbox", Some(BUDGET), confined),
            entrant("in a container", Some(CONTAINER_BUDGET), contained),
        ],
    }
}

fn confined(toolbox: &Toolbox, program: &Path) -> Option<Program> {
    let ralph_loop = toolbox.binary("ralph-loop").path;
    let workplace = Workplace {
        root: toolbox.folder.to_path_buf(),
        readable: vec![ralph_loop.clone(), program.to_path_buf()],
        home: std::env::home_dir(),
        variables: std::env::vars_os().collect(),
        ..Workplace::default()
    };
    let policy = Policy::of(&workplace, Network::Open);
    let mut args: Vec<OsString> = arguments(&policy, &toolbox.folder, NewNamespaces::Forbidden);
    args.push(ralph_loop.into());
    args.extend(Entry::default().arguments(program.as_os_str(), &[]));
    let bubblewrap = Path::new(BUBBLEWRAP).exists();
    bubblewrap.then(|| Program { path: BUBBLEWRAP.into(), arguments: args })
}

fn contained(toolbox: &Toolbox, program: &Path) -> Result<Program, String> {
    if !Path::new(PODMAN).exists() {
        return Err(format!("{PODMAN} is not here"));
    }
    let storage = toolbox.folder.join("containers");
    let import = import(toolbox, &storage).map_err(|error| error.to_string())?;
    if !import {
        return Err("podman cannot import an image".into());
    }
    let ralph_loop = toolbox.binary("ralph-loop").path;
    let project = toolbox.folder.join("contained");
    fs::create_dir_all(&project).map_err(|error| error.to_string())?;
    let workplace = Workplace {
        root: project.clone(),
        readable: vec!["/usr".into(), ralph_loop.clone(), program.to_path_buf()],
        home: std::env::home_dir(),
        tools: Tools::OfImage,
        ..Workplace::default()
    };
    let policy = Policy::of(&workplace, Network::Isolated { host_ports: Vec::new() });
    let entry = Entry { forbids_namespaces: true, bridge: None };
    let inside = entry.arguments(program.as_os_str(), &[]);
    let container = Container {
        engine: Engine::Podman,
        image: IMAGE,
        name: "",
        label: "ralph",
        owner: ContainerUser::Root,
        folder: &project,
        environment: Path::new("/dev/null"),
        options: &OPTIONS.map(str::to_owned),
        command: (&ralph_loop, &inside),
    };
    let args = container::arguments(&policy, &container).map_err(|error| error.to_string())?;
    let mut podman = podman(&storage);
    podman.arguments.extend(args);
    Ok(podman)
}

fn podman(storage: &Path) -> Program {
    let fixed = ["--storage-driver=vfs", "--cgroup-manager=cgroupfs", "--runtime=runc"];
    Program::new(PODMAN)
        .with(&["--root"])
        .with_path(&storage.join("images"))
        .with(&["--runroot"])
        .with_path(&storage.join("run"))
        .with(&fixed)
}

/// An image with only folders and links.
fn import(toolbox: &Toolbox, storage: &Path) -> io::Result<bool> {
    let root: PathBuf = storage.join("root");
    for folder in ["usr", "proc", "dev", "sys", "tmp", "root", "etc"] {
        fs::create_dir_all(root.join(folder))?;
    }
    for link in ["bin", "lib", "lib64"] {
        symlink(format!("usr/{link}"), root.join(link))?;
    }
    let archive = storage.join("root.tar");
    let tar = Program::new("tar").with(&["-C"]).with_path(&root).with(&["-cf"]).with_path(&archive);
    let packed = toolbox.invocation(tar.with(&["."]), &toolbox.folder).outcome()?;
    let import = podman(storage).with(&["import"]).with_path(&archive).with(&[IMAGE]);
    Ok(packed.success() && toolbox.invocation(import, &toolbox.folder).outcome()?.success())
}
