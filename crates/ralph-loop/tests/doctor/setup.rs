//! An isolated machine for one checkup: a home, a project, and a PATH with only the programs of the test.

use std::ffi::OsString;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use assert_fs::TempDir;
use serde_json::Value;

pub(crate) const HOOKS: [&str; 3] = ["stop-guard", "context-monitor", "command-guard"];

/// Creates a file if it is started for anything but its version.
const CLAUDE: &str = "case $* in --version) echo '2.1.325 (Claude Code)';; \
                      *) : > \"$HOME/started\";; esac";

const TASKS: &str = r#"{
  "project": "greeter", "branchName": "ralph/greeter", "description": "A greeter.",
  "verifyCommands": ["sh test.sh"],
  "userStories": [{
    "id": "US-001", "title": "Greet", "acceptanceCriteria": ["`greet.sh` prints hello"],
    "priority": 1, "passes": false, "reviewStatus": null, "reviewCount": 0,
    "reviewFeedback": "", "notes": "see the shell"
  }]
}
"#;

pub(crate) struct DoctorSetup {
    dir: TempDir,
}

pub(crate) struct DoctorOutput {
    pub(crate) exit_code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl DoctorSetup {
    /// Without problems and without a project.
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().unwrap();
        for folder in ["bin", "home", "project"] {
            std::fs::create_dir(dir.path().join(folder)).unwrap();
        }
        let setup = Self { dir };
        test_repo::place_program(&cargo_bin("ralph-loop"), &setup.bin().join("ralph-loop"));
        let path = std::env::var_os("PATH").unwrap();
        let mut folders = std::env::split_paths(&path);
        let git = folders.find_map(|folder| folder.join("git").canonicalize().ok()).unwrap();
        symlink(git, setup.bin().join("git")).unwrap();
        for hook in HOOKS {
            setup.program(hook, &format!("echo {hook} {}", env!("CARGO_PKG_VERSION")));
        }
        setup.program("claude", CLAUDE);
        setup
    }

    /// With a project that is set up.
    pub(crate) fn with_project() -> Self {
        let setup = Self::new();
        let init = setup.call(&["init", "--yes"]);
        assert_eq!(init.exit_code, Some(0), "{}", init.stderr);
        setup.write("ralph/tasks.json", TASKS);
        test_repo::init(&setup.project());
        for (key, value) in [("user.name", "a"), ("user.email", "a@localhost")] {
            test_repo::git(&setup.project(), &["config", key, value]);
        }
        test_repo::commit_all(&setup.project());
        setup
    }

    pub(crate) fn bin(&self) -> PathBuf {
        self.dir.path().join("bin")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    pub(crate) fn program(&self, name: &str, script: &str) {
        let path = self.bin().join(name);
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.project().join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Commits the task list with `from` replaced by `to`.
    pub(crate) fn change_tasks(&self, from: &str, to: &str) {
        self.write("ralph/tasks.json", &TASKS.replace(from, to));
        self.commit();
    }

    pub(crate) fn commit(&self) {
        test_repo::commit_all(&self.project());
    }

    /// Starts a run without a sandbox.
    pub(crate) fn run(&self) -> DoctorOutput {
        self.call(&["run", "--no-sandbox", "-n", "1"])
    }

    pub(crate) fn doctor(&self) -> DoctorOutput {
        self.call(&["doctor", "--json", "--no-self-test"])
    }

    pub(crate) fn call(&self, args: &[&str]) -> DoctorOutput {
        self.call_with(args, &[])
    }

    pub(crate) fn call_with(&self, args: &[&str], variables: &[(&str, OsString)]) -> DoctorOutput {
        let output = assert_cmd::Command::new(self.bin().join("ralph-loop"))
            .env_clear()
            .env("PATH", self.bin())
            .env("HOME", self.home())
            // Tests may be root.
            .env("IS_SANDBOX", "1")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.project())
            .args(args)
            .timeout(Duration::from_secs(180))
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        DoctorOutput {
            exit_code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl DoctorOutput {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// The line with this title.
    #[track_caller]
    pub(crate) fn line(&self, title: &str) -> Value {
        let json = self.json();
        let lines = json["checks"].as_array().unwrap();
        let line = lines.iter().find(|line| line["title"] == title);
        line.cloned().unwrap_or_default()
    }

    /// `[state, found, fix]` of the line with this title.
    #[track_caller]
    pub(crate) fn about(&self, title: &str) -> [String; 3] {
        let line = self.line(title);
        ["state", "found", "fix"].map(|key| line[key].as_str().unwrap_or_default().to_owned())
    }

    /// The titles of the problems.
    #[track_caller]
    pub(crate) fn problems(&self) -> Vec<String> {
        let json = self.json();
        let lines = json["checks"].as_array().unwrap().iter();
        let problems = lines.filter(|line| line["state"] == "problem");
        problems.map(|line| line["title"].as_str().unwrap().to_owned()).collect()
    }
}
