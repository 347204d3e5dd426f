//! A plugin with the real scripts and tiny programs, which cargo builds in a second. Each program
//! prints its name and version.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use assert_cmd::Command;
use rustix::process::{Pid, test_kill_process_group};
use tempfile::TempDir;

pub(crate) const VERSION: &str = "9.9.9";
pub(crate) const PROGRAMS: [&str; 4] =
    ["ralph-loop", "stop-guard", "context-monitor", "command-guard"];

/// Many times the duration of the slowest step, for busy machines.
const PATIENCE: Duration = Duration::from_secs(90);

/// Folder names contain shell metacharacters.
pub(crate) struct TinyPlugin {
    dir: TempDir,
}

impl TinyPlugin {
    /// With cargo on the PATH.
    pub(crate) fn new() -> Self {
        let plugin = Self::without_cargo();
        plugin.install_cargo("exec cargo \"$@\"");
        plugin
    }

    pub(crate) fn without_cargo() -> Self {
        let plugin = Self { dir: tempfile::tempdir().unwrap() };
        for folder in [".claude-plugin", "hooks", "bin", "scripts"] {
            copy_files(&repository().join(folder), &plugin.root().join(folder));
        }
        write(&plugin.root().join("README.md"), "A plugin of tiny programs.\n");
        write(&plugin.root().join("Cargo.toml"), "[workspace]\nmembers = [\"crates/*\"]\n");
        let greeting = r#"println!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))"#;
        for name in PROGRAMS {
            let main = plugin.root().join("crates").join(name).join("src/main.rs");
            write(&main, &format!("fn main() {{ {greeting}; }}\n"));
        }
        std::fs::create_dir(plugin.dir.path().join("home")).unwrap();
        std::fs::create_dir(plugin.tools()).unwrap();
        plugin.set_version(VERSION);
        plugin
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("it's a \"plugin\" $HOME")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.dir.path().join("home/.claude/plugins/data/ralph-it's \"here\"")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// The link that the entries of `bin/` use first.
    pub(crate) fn link(&self) -> PathBuf {
        self.data().join("native").join(VERSION)
    }

    /// The store of the background job.
    pub(crate) fn store(&self) -> PathBuf {
        self.data().join("native/obtain").join(VERSION)
    }

    pub(crate) fn set_version(&self, version: &str) {
        let manifest = self.root().join(".claude-plugin/plugin.json");
        let text = std::fs::read_to_string(&manifest).unwrap();
        let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
        json["version"] = version.into();
        write(&manifest, &serde_json::to_string_pretty(&json).unwrap());
        let mut lock = "version = 4\n".to_owned();
        for name in PROGRAMS {
            let package = format!("name = \"{name}\"\nversion = \"{version}\"\n");
            write(
                &self.root().join("crates").join(name).join("Cargo.toml"),
                &format!("[package]\n{package}edition = \"2024\"\n"),
            );
            lock += &format!("\n[[package]]\n{package}");
        }
        write(&self.root().join("Cargo.lock"), &lock);
    }

    /// A cargo that records each build and then runs this script; `cargo` in it is the real one.
    pub(crate) fn install_cargo(&self, then: &str) {
        let note = "[ \"$1\" != build ] || echo built >>\"${0%/*}/../builds\"";
        let real = real_cargo();
        let real = real.parent().unwrap().display();
        let script = format!("#!/bin/sh\n{note}\nPATH='{real}':$PATH\n{then}\n");
        write_program(&self.tools().join("cargo"), &script);
    }

    /// A cargo that waits before it builds, until [`Self::let_builds_go`].
    pub(crate) fn hold_builds(&self) {
        write(&self.gate(), "");
        let wait = "while [ \"$1\" = build ] && [ -e \"${0%/*}/../gate\" ]; do sleep 0.02; done";
        self.install_cargo(&format!("{wait}\nexec cargo \"$@\""));
    }

    pub(crate) fn let_builds_go(&self) {
        std::fs::remove_file(self.gate()).unwrap();
    }

    pub(crate) fn builds(&self) -> usize {
        let noted = std::fs::read_to_string(self.dir.path().join("builds"));
        noted.unwrap_or_default().lines().count()
    }

    /// The first folder of the `PATH`.
    pub(crate) fn tools(&self) -> PathBuf {
        self.dir.path().join("tools")
    }

    /// An entry of `bin/`, run as a hook.
    pub(crate) fn entry(&self, name: &str) -> Command {
        self.command(&self.root().join("bin").join(name))
    }

    pub(crate) fn script(&self, name: &str) -> Command {
        self.command(&self.root().join("scripts").join(name))
    }

    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", self.path())
            .env("CLAUDE_PLUGIN_ROOT", self.root())
            .env("CLAUDE_PLUGIN_DATA", self.data())
            .env("CLAUDE_PROJECT_DIR", self.home())
            .current_dir(self.home())
            .timeout(PATIENCE);
        command
    }

    /// Starts a session and returns its message, if any.
    pub(crate) fn start_session(&self) -> Option<String> {
        let output = self.script("provide.sh").assert().success().get_output().stdout.clone();
        system_message(&output)
    }

    /// Starts a session and waits until its programs exist.
    pub(crate) fn start_session_and_wait(&self) {
        self.start_session();
        eventually("the programs are there", || self.link().join("stop-guard").exists());
    }

    /// Starts a session whose job fails, waits for the job, and returns the message.
    pub(crate) fn start_session_that_fails(&self) -> Option<String> {
        let message = self.start_session();
        eventually("the failure is remembered", || self.store().join("failure").exists());
        self.wait_for_the_job();
        message
    }

    /// Waits until the job has ended.
    pub(crate) fn wait_for_the_job(&self) {
        let group = job_of(&self.store());
        eventually("the job has ended", || !any_runs_of(group));
    }

    fn gate(&self) -> PathBuf {
        self.dir.path().join("gate")
    }

    /// The search path.
    pub(crate) fn path(&self) -> OsString {
        let mut path = self.tools().into_os_string();
        path.push(":/usr/bin:/bin");
        path
    }
}

/// The first process of the job with this store. It leads a process group.
pub(crate) fn job_of(store: &Path) -> Pid {
    let mut links = std::fs::read_dir(store.join("lock")).unwrap();
    let holder = std::fs::read_link(links.next().unwrap().unwrap().path()).unwrap();
    let id = holder.to_string_lossy().split(' ').next().unwrap().parse().unwrap();
    Pid::from_raw(id).unwrap()
}

pub(crate) fn any_runs_of(group: Pid) -> bool {
    test_kill_process_group(group).is_ok()
}

/// The `systemMessage` of a hook that printed this.
pub(crate) fn system_message(stdout: &[u8]) -> Option<String> {
    if stdout.is_empty() {
        return None;
    }
    let answer: serde_json::Value = serde_json::from_slice(stdout).unwrap();
    Some(answer["systemMessage"].as_str().unwrap().to_owned())
}

/// Writes programs of this version that print their own folder.
pub(crate) fn write_programs(folder: &Path, version: &str) {
    for name in PROGRAMS {
        let script = format!(
            "#!/bin/sh\n[ \"$1\" != --version ] || exec echo {name} {version}\n\
             echo \"${{0%/*}}\"; printf '<%s>' \"$@\"; cat\n"
        );
        write_program(&folder.join(name), &script);
    }
}

pub(crate) fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

pub(crate) fn write_program(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    write(path, text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[track_caller]
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// From the toolchain folder, so that rustup needs no home.
pub(crate) fn real_cargo() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| env!("CARGO").into(), PathBuf::from)
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn copy_files(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}
