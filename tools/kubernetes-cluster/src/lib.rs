//! A Kubernetes cluster of two nodes for tests. It has networks, mounts and process ids of its own, and ends with its
//! value, or with the program that made it.
//!
//! The folder with its server programs is in `RALPH_TEST_KUBERNETES`; see scripts/test-kubernetes.sh.
#![cfg(target_os = "linux")]

mod configuration;
mod image;
mod namespace;
mod relay;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};

use configuration::{Network, User};
use namespace::Namespace;
use relay::Relay;

pub const NODES: [&str; 2] = ["n1", "n2"];

/// An image that both nodes have: empty folders, into which pods mount the `/usr` of the machine. User 1000 is `ralph`.
pub const IMAGE: &str = image::NAME;

/// Longer than the cluster takes for anything.
const PATIENCE: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(100);

/// How much of each log a failed test prints.
const LOG_LINES: usize = 20;
const LOG_WIDTH: usize = 300;

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

#[derive(Debug)]
pub struct Cluster {
    _relay: Relay,
    /// By name. Lost ones are not here.
    nodes: Vec<(&'static str, Namespace)>,
    control_plane: Namespace,
    dir: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

#[expect(clippy::unwrap_used, clippy::panic, reason = "a panic fails the test")]
impl Cluster {
    pub fn start() -> Self {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let programs = std::env::var("RALPH_TEST_KUBERNETES").unwrap_or_else(|_| {
            panic!("RALPH_TEST_KUBERNETES is not set; use scripts/test-kubernetes.sh")
        });
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_str().unwrap();
        let users = Users::new();
        users.write(dir.path());
        let log = dir.path().join("control-plane.out");
        let script = include_str!("control-plane.sh");
        let control_plane = Namespace::start(script, &log, &[path, &programs]).unwrap();
        let relay = Relay::start(&control_plane.network()).unwrap();
        users.write_configs(dir.path(), &relay);
        let nodes = NODES.iter().zip(1..).map(|(node, number)| {
            let network = Network::of_node(number);
            configuration::write_node(dir.path(), node, &network, &cgroup(dir.path())).unwrap();
            let config = users.nodes[number - 1].config(format!("{}:6443", network.gateway));
            fs::write(dir.path().join(format!("{node}.config")), config).unwrap();
            let log = dir.path().join(format!("{node}.out"));
            let script = include_str!("node.sh");
            (*node, Namespace::start(script, &log, &[path, &programs, node]).unwrap())
        });
        let nodes = nodes.collect();
        let mut cluster = Self { _relay: relay, nodes, control_plane, dir, _turn: turn };
        cluster.provide_image();
        cluster.connect();
        cluster
    }

    /// The configuration of a user who may do everything, for `kubectl --kubeconfig` or `KUBECONFIG`.
    pub fn config(&self) -> PathBuf {
        self.dir.path().join("admin.config")
    }

    /// The configuration of the user `coordinator`, who may do what a test allows: nothing at first.
    pub fn limited_config(&self) -> PathBuf {
        self.dir.path().join("coordinator.config")
    }

    /// A folder for files of the test.
    pub fn folder(&self) -> &Path {
        self.dir.path()
    }

    fn provide_image(&self) {
        let archive = image::write(self.dir.path()).unwrap().display().to_string();
        let args = ["--namespace=k8s.io", "images", "import", "--snapshotter=native", &archive];
        self.wait_until(|cluster| {
            cluster.nodes.iter().all(|(_, node)| node.run("ctr", &args).is_ok())
        });
    }

    fn connect(&mut self) {
        self.wait_until(|cluster| cluster.kubectl(&["get", "--raw=/readyz"]) == "ok");
        for ((node, namespace), number) in self.nodes.iter_mut().zip(1..) {
            let Network { address, gateway, pods } = Network::of_node(number);
            let pid = namespace.pid().to_string();
            for args in [
                &["link", "add", node, "type", "veth", "peer", "name", "eth0", "netns", &pid][..],
                &["address", "add", &format!("{gateway}/30"), "dev", node],
                &["link", "set", node, "up"],
                // The other end is not up yet.
                &["route", "add", &pods, "via", &address, "dev", node, "onlink"],
            ] {
                self.control_plane.run("ip", args).unwrap();
            }
            namespace.tell(&address).unwrap();
        }
        // A controller that saw a node before it is ready may later never evict the pods of a lost one: the ready node
        // stays first in its queue.
        let ready = r#"-o=jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}"#;
        self.wait_until(|cluster| cluster.kubectl(&["get", "nodes", ready]) == "True True");
        self.control_plane.tell("ready").unwrap();
        let usable = "-o=jsonpath={.items[*].metadata.name}{.items[*].spec.taints}";
        self.wait_until(|cluster| cluster.kubectl(&["get", "nodes", usable]) == NODES.join(" "));
        self.wait_until(|cluster| {
            !cluster.kubectl(&["get", "serviceaccount", "default", "-o=name"]).is_empty()
        });
    }

    /// What `kubectl` printed, with all permissions.
    pub fn kubectl(&self, args: &[&str]) -> String {
        self.kubectl_with(&self.config(), args, "")
    }

    /// What `kubectl` printed, with one of the configurations and a manifest as its input.
    #[expect(clippy::disallowed_methods, reason = "the one place where tests ask the cluster")]
    pub fn kubectl_with(&self, config: &Path, args: &[&str], input: &str) -> String {
        let mut file = tempfile::tempfile_in(self.dir.path()).unwrap();
        std::io::Write::write_all(&mut file, input.as_bytes()).unwrap();
        std::io::Seek::rewind(&mut file).unwrap();
        let mut kubectl = Command::new("kubectl");
        kubectl.arg("--kubeconfig").arg(config);
        kubectl.arg("--cache-dir").arg(self.dir.path().join("kubectl"));
        let log = self.dir.path().join("kubectl.out");
        let errors = fs::File::options().create(true).append(true).open(log).unwrap();
        let output = kubectl.args(args).stdin(Stdio::from(file)).stderr(errors).output();
        String::from_utf8(output.unwrap().stdout).unwrap().trim().to_owned()
    }

    /// Creates or changes what a manifest describes.
    #[track_caller]
    pub fn apply(&self, manifest: &str) {
        let done = self.kubectl_with(&self.config(), &["apply", "--filename=-"], manifest);
        assert!(!done.is_empty(), "{}", self.logs());
    }

    /// As if the machine lost power: its connections stay open without an answer.
    pub fn lose_node(&mut self, node: &str) {
        let position = self.nodes.iter().position(|(name, _)| *name == node).unwrap();
        let number = NODES.iter().position(|name| *name == node).unwrap() + 1;
        let address = Network::of_node(number).address;
        for args in [&["route", "add", &address, "dev", "lost"][..], &["link", "set", node, "down"]]
        {
            self.control_plane.run("ip", args).unwrap();
        }
        drop(self.nodes.remove(position));
    }

    #[track_caller]
    pub fn wait_until(&self, mut is_reached: impl FnMut(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_reached(self) {
            assert!(Instant::now() < deadline, "{}", self.logs());
            thread::sleep(POLL);
        }
    }

    /// What the cluster has, and the last lines of each program.
    fn logs(&self) -> String {
        let all = ["get", "nodes,jobs,pods,events", "--all-namespaces", "--output=wide"];
        let mut logs = self.kubectl(&all);
        for entry in fs::read_dir(self.dir.path()).unwrap().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|it| it == "out") {
                let log = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                let lines = log.lines().map(|line| line.chars().take(LOG_WIDTH).collect());
                let lines: Vec<String> = lines.collect();
                let last = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
                logs += &format!("\n==> {}\n{last}\n", path.display());
            }
        }
        logs
    }
}

/// Who reaches the API server.
#[derive(Debug)]
struct Users {
    admin: User,
    coordinator: User,
    nodes: Vec<User>,
}

#[expect(clippy::unwrap_used, reason = "a panic fails the test")]
impl Users {
    fn new() -> Self {
        let node = |name| User::new(format!("system:node:{name}"), "system:nodes").unwrap();
        Self {
            admin: User::new("admin", "system:masters").unwrap(),
            coordinator: User::new("coordinator", "people").unwrap(),
            nodes: NODES.map(node).into(),
        }
    }

    fn write(&self, dir: &Path) {
        let users = [&self.admin, &self.coordinator].into_iter().chain(&self.nodes);
        fs::write(dir.join("tokens.csv"), users.map(User::line).collect::<String>()).unwrap();
        fs::write(dir.join("machine.config"), self.admin.config("127.0.0.1:6443")).unwrap();
    }

    fn write_configs(&self, dir: &Path, relay: &Relay) {
        for (name, user) in [("admin", &self.admin), ("coordinator", &self.coordinator)] {
            fs::write(dir.join(format!("{name}.config")), user.config(relay.address)).unwrap();
        }
    }
}

/// The cgroup of all pods, which no other cluster uses.
fn cgroup(dir: &Path) -> String {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    format!("ralph-kubernetes-{}", name.trim_start_matches('.'))
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.nodes.clear();
        // Only cgroups outlive the namespaces. One folder for each kind of resource, or one for all.
        let name = cgroup(self.dir.path());
        let root = Path::new("/sys/fs/cgroup");
        remove_cgroup(&root.join(&name));
        for kind in fs::read_dir(root).into_iter().flatten().flatten() {
            remove_cgroup(&kind.path().join(&name));
        }
    }
}

/// The kernel removes their files.
fn remove_cgroup(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_cgroup(&entry.path());
        }
    }
    let _ = fs::remove_dir(folder);
}
