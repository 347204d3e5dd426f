//! The configuration of the cluster: its users, the kubelets and their containerd.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use data_encoding::HEXLOWER;

use crate::image;

/// Each node has a network of its own that leads to the control plane.
#[derive(Debug, Clone)]
pub(crate) struct Network {
    /// Of the node.
    pub address: String,
    /// The control plane, as this node sees it.
    pub gateway: String,
    /// The addresses of the pods.
    pub pods: String,
}

impl Network {
    pub(crate) fn of_node(number: usize) -> Self {
        Self {
            address: format!("10.77.{number}.2"),
            gateway: format!("10.77.{number}.1"),
            pods: format!("10.88.{number}.0/24"),
        }
    }
}

/// What the API server knows a user by.
#[derive(Debug)]
pub(crate) struct User {
    name: String,
    group: &'static str,
    token: String,
}

impl User {
    pub(crate) fn new(name: impl Into<String>, group: &'static str) -> io::Result<Self> {
        let mut token = [0; 16];
        File::open("/dev/urandom")?.read_exact(&mut token)?;
        Ok(Self { name: name.into(), group, token: HEXLOWER.encode(&token) })
    }

    /// Its line in the file of tokens.
    pub(crate) fn line(&self) -> String {
        let Self { name, group, token } = self;
        format!("{token},{name},{name},\"{group}\"\n")
    }

    /// The configuration with which it reaches the API server.
    pub(crate) fn config(&self, server: impl Display) -> String {
        let Self { name, token, .. } = self;
        format!(
            "apiVersion: v1
kind: Config
current-context: test
clusters:
- name: test
  cluster: {{server: 'https://{server}', insecure-skip-tls-verify: true}}
users:
- name: {name:?}
  user: {{token: {token:?}}}
contexts:
- name: test
  context: {{cluster: test, user: {name:?}, namespace: default}}
"
        )
    }
}

/// The files that the programs of a node read.
pub(crate) fn write_node(
    dir: &Path,
    node: &str,
    network: &Network,
    cgroup: &str,
) -> io::Result<()> {
    let plugins = dir.join(format!("{node}.network"));
    fs::create_dir(&plugins)?;
    fs::write(plugins.join("pods.conflist"), pod_network(&network.pods))?;
    fs::write(dir.join(format!("{node}.containerd")), containerd(&plugins))?;
    fs::write(dir.join(format!("{node}.resolv")), "")?;
    fs::write(dir.join(format!("{node}.kubelet")), kubelet(dir, node, network, cgroup))
}

fn pod_network(pods: &str) -> String {
    format!(
        r#"{{"cniVersion": "0.4.0", "name": "pods", "plugins": [{{"type": "ptp",
  "ipam": {{"type": "host-local", "subnet": "{pods}", "dataDir": "/run/pods", "routes": [{{"dst": "0.0.0.0/0"}}]}}}}]}}
"#
    )
}

/// The snapshotter is the one that works on all file systems.
fn containerd(plugins: &Path) -> String {
    format!(
        r#"version = 2
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]
[plugins."io.containerd.internal.v1.opt"]
path = "/run/opt"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "{image}"
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "native"
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = {plugins:?}
"#,
        image = image::NAME,
    )
}

/// Nothing here depends on the machine: neither its free disk space nor its swap.
fn kubelet(dir: &Path, node: &str, network: &Network, cgroup: &str) -> String {
    let (dir, address) = (dir.display(), &network.address);
    format!(
        "apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: {address}
authentication: {{anonymous: {{enabled: true}}, webhook: {{enabled: false}}}}
authorization: {{mode: AlwaysAllow}}
cgroupDriver: cgroupfs
cgroupRoot: /{cgroup}
cgroupsPerQOS: false
enforceNodeAllocatable: []
evictionHard: {{}}
failSwapOn: false
healthzPort: 0
imageGCHighThresholdPercent: 100
kubeAPIBurst: 100
kubeAPIQPS: 100
makeIPTablesUtilChains: false
nodeLeaseDurationSeconds: 4
nodeStatusUpdateFrequency: 1s
oomScoreAdj: 0
resolvConf: {dir}/{node}.resolv
volumePluginDir: /run/volume-plugins
"
    )
}
