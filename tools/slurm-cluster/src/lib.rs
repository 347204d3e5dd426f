//! A Slurm cluster of two nodes on loopback, for tests. It has its own key and ports, and ends with its value.
//!
//! One cluster at a time: another program could take its ports while it starts.
#![cfg(unix)]

mod configuration;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};

use rustix::process::{Pid, Signal, kill_process};

pub const NODES: [&str; 2] = ["n1", "n2"];

/// Longer than the cluster takes for anything.
const PATIENCE: Duration = Duration::from_secs(90);
const POLL: Duration = Duration::from_millis(50);

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

#[derive(Debug)]
pub struct Cluster {
    dir: tempfile::TempDir,
    /// Those of the nodes, by name, then the others.
    daemons: Vec<(String, Child)>,
    _turn: MutexGuard<'static, ()>,
}

#[expect(clippy::unwrap_used, clippy::panic, reason = "a panic fails the test")]
impl Cluster {
    pub fn start() -> Self {
        Self::with_cpus(2)
    }

    /// Each node claims as many processors, whatever the machine has.
    pub fn with_cpus(cpus: usize) -> Self {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let dir = tempfile::tempdir().unwrap();
        for folder in ["controller", "slurmd-n1", "slurmd-n2"] {
            fs::create_dir(dir.path().join(folder)).unwrap();
        }
        let mut cluster = Self { dir, daemons: Vec::new(), _turn: turn };
        fs::write(cluster.config(), configuration::text(cluster.dir.path(), cpus)).unwrap();
        cluster.start_key_service();
        let config = cluster.config().display().to_string();
        cluster.daemon("controller", "slurmctld", &["-D", "-f", &config]);
        for node in NODES {
            cluster.daemon(node, "slurmd", &["-D", "-f", &config, "-N", node]);
        }
        cluster.wait_until(|cluster| cluster.run("sinfo", &["-h", "-o", "%T %D"]) == "idle 2");
        cluster
    }

    /// For the variable `SLURM_CONF`.
    pub fn config(&self) -> PathBuf {
        self.dir.path().join("slurm.conf")
    }

    /// A folder for files of the test.
    pub fn folder(&self) -> &Path {
        self.dir.path()
    }

    fn start_key_service(&mut self) {
        let at = |name: &str| self.dir.path().join(name).display().to_string();
        let key = self.dir.path().join("key");
        fs::write(&key, (0..128).map(|byte| byte ^ 90).collect::<Vec<u8>>()).unwrap();
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        let files = [
            format!("--key-file={}", at("key")),
            format!("--socket={}", at("munge.sock")),
            format!("--pid-file={}", at("munge.pid")),
            format!("--log-file={}", at("munge.log")),
            format!("--seed-file={}", at("munge.seed")),
        ];
        let args = ["--foreground", "--force"].into_iter().chain(files.iter().map(String::as_str));
        self.daemon("munged", "munged", &args.collect::<Vec<_>>());
        self.wait_until(|cluster| cluster.dir.path().join("munge.sock").exists());
    }

    #[expect(clippy::disallowed_methods, reason = "the one place where tests start these daemons")]
    fn daemon(&mut self, name: &str, program: &str, args: &[&str]) {
        let log = fs::File::create(self.dir.path().join(format!("{name}.out"))).unwrap();
        let child = Command::new(program)
            .args(args)
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        self.daemons.push((name.to_owned(), child));
    }

    /// The output of one of the programs of Slurm.
    #[expect(clippy::disallowed_methods, reason = "the one place where tests ask the cluster")]
    pub fn run(&self, program: &str, args: &[&str]) -> String {
        let output = Command::new(program).args(args).env("SLURM_CONF", self.config()).output();
        String::from_utf8(output.unwrap().stdout).unwrap().trim().to_owned()
    }

    /// As if the machine lost power.
    pub fn lose_node(&mut self, node: &str) {
        let (_, daemon) = self.daemons.iter_mut().find(|(name, _)| name == node).unwrap();
        daemon.kill().unwrap();
        daemon.wait().unwrap();
        let name = format!("nodename={node}");
        self.run("scontrol", &["update", &name, "state=down", "reason=lost"]);
    }

    #[track_caller]
    pub fn wait_until(&self, mut is_reached: impl FnMut(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_reached(self) {
            assert!(Instant::now() < deadline, "{}", self.logs());
            thread::sleep(POLL);
        }
    }

    fn logs(&self) -> String {
        let logs = self.daemons.iter().map(|(name, _)| {
            let log = fs::read_to_string(self.dir.path().join(format!("{name}.out")));
            format!("{name}: {}", log.unwrap_or_default())
        });
        logs.collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Jobs have processes of their own.
        self.run("scancel", &["--full", "--signal=KILL", "--state=RUNNING"]);
        for (_, daemon) in &mut self.daemons {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
        // The processes of a lost node, which nothing else ends.
        for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let pid = process.file_name().to_str().and_then(|name| name.parse().ok());
            if let (true, Some(pid)) = (self.owns(&process.path()), pid.and_then(Pid::from_raw)) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}

impl Cluster {
    /// Whether a process, by its folder in `/proc`, knows the configuration or writes the log of a job.
    fn owns(&self, process: &Path) -> bool {
        let mark = format!("SLURM_CONF={}", self.config().display());
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        let files = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
        let mut targets = files.filter_map(|file| fs::read_link(file.path()).ok());
        environment.split(|byte| *byte == 0).any(|it| it == mark.as_bytes())
            || (process.file_name() != Some(std::process::id().to_string().as_ref())
                && targets.any(|target| target.starts_with(self.dir.path())))
    }
}
