//! The environment of a run: the programs of Ralph, a home for Claude Code, and a project with
//! stories.

use std::path::{Path, PathBuf};
use std::time::Duration;

use real_agents::{CLAUDE_PATH_VARIABLE, Home};
use serde_json::Value;
use simulator::{Script, ScriptedModel};
use tempfile::TempDir;

use crate::loop_process::LoopProcess;
use crate::run_output::RunOutput;
#[cfg(unix)]
use crate::staged_plugin::repository;
use crate::staged_plugin::{built, copy, staged};
use crate::stories::Stories;

/// Many times the duration of a short run, for busy machines.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// Runs the tests of the project and records the run in the home.
const CHECK: &str = "for test in tests/*.sh; do [ ! -e \"$test\" ] || sh \"$test\" || exit 1; done\n\
                     echo ran >>~/checks\n";

/// Installs or upgrades the programs below a prefix.
#[cfg(unix)]
pub(crate) fn install_command(prefix: &Path) -> String {
    let script = repository().join("scripts/install.sh");
    let programs = built("ralph-loop");
    let programs = programs.parent().unwrap();
    format!(
        "'{}' --from '{}' --prefix '{}'",
        script.display(),
        programs.display(),
        prefix.display()
    )
}

pub(crate) struct RunSetup {
    pub(crate) home: Home,
    /// The folder of the programs.
    pub(crate) programs: TempDir,
    ralph_loop: PathBuf,
    /// The first folder of the `PATH`.
    pub(crate) first_in_path: Option<PathBuf>,
}

impl RunSetup {
    /// `ralph-loop` in a build inside the plugin's folder: its sessions use that plugin.
    pub(crate) fn with_plugin() -> Self {
        Self::new(staged(), "target/debug/ralph-loop")
    }

    /// The programs in one folder, as if copied into a `bin`.
    pub(crate) fn with_programs() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["stop-guard", "context-monitor", "command-guard"] {
            copy(&built(name), &folder.path().join(name));
        }
        Self::new(folder, "ralph-loop")
    }

    /// The programs, installed by `scripts/install.sh`.
    #[cfg(unix)]
    pub(crate) fn with_installed_programs() -> Self {
        let prefix = tempfile::tempdir().unwrap();
        assert_cmd::Command::new("sh")
            .args(["-c", &install_command(prefix.path())])
            .timeout(TIME_LIMIT)
            .assert()
            .success();
        Self::around(prefix, "bin/ralph-loop")
    }

    /// Only `ralph-loop`.
    pub(crate) fn alone() -> Self {
        Self::new(tempfile::tempdir().unwrap(), "ralph-loop")
    }

    fn new(programs: TempDir, ralph_loop: &str) -> Self {
        copy(&built("ralph-loop"), &programs.path().join(ralph_loop));
        Self::around(programs, ralph_loop)
    }

    fn around(programs: TempDir, ralph_loop: &str) -> Self {
        let ralph_loop = programs.path().join(ralph_loop);
        let home = Home::new(&crate::claude()).unwrap();
        let setup = Self { home, programs, ralph_loop, first_in_path: None };
        setup.set_up_project();
        setup
    }

    /// An empty repository after `ralph-loop init`, with two stories in the task list.
    fn set_up_project(&self) {
        let project = self.project();
        test_repo::init(&project);
        // Agent and runner commit with their own git, which needs an identity.
        test_repo::git(&project, &["config", "user.name", "t"]);
        test_repo::git(&project, &["config", "user.email", "t@localhost"]);
        std::fs::write(project.join("check.sh"), CHECK).unwrap();
        // The files of the home that the sandbox lets checks and hooks write.
        for file in ["checks", "seen"] {
            std::fs::write(self.home.path().join(file), "").unwrap();
        }
        let local = r#"{"isolation": {"writablePaths": ["~/checks", "~/seen"]}}"#;
        std::fs::create_dir_all(project.join(".ralph")).unwrap();
        std::fs::write(project.join(".ralph/settings.local.json"), local).unwrap();
        let idle = ScriptedModel::start(Script::new([])).unwrap();
        let init = self.start(&idle, &["init", "--name", "demo", "--verify", "sh check.sh"]);
        let init = init.wait(TIME_LIMIT);
        assert_eq!(init.exit_code, Some(0), "{init}");
        std::fs::write(project.join("ralph/prd.md"), "# Greeter\n\nGreets people.\n").unwrap();
        let list = Stories::new(self.list()).text();
        std::fs::write(project.join("ralph/tasks.json"), list).unwrap();
        test_repo::commit_all(&project);
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home.project()
    }

    pub(crate) fn stories(&self) -> Stories {
        Stories::from(self.list())
    }

    /// The current task list.
    pub(crate) fn list(&self) -> Value {
        serde_json::from_str(&self.read("ralph/tasks.json")).unwrap()
    }

    /// A file of the project.
    pub(crate) fn read(&self, name: impl AsRef<Path>) -> String {
        std::fs::read_to_string(self.project().join(name)).unwrap()
    }

    /// Writes a file of the project as the user: committed, unless git ignores it.
    pub(crate) fn put(&self, name: &str, text: &str) {
        let path = self.project().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        test_repo::commit_all(&self.project());
    }

    /// The output of `ralph-loop status --json`.
    pub(crate) fn status(&self) -> Value {
        serde_json::from_str(&self.call(&["status", "--json"])).unwrap()
    }

    /// The output of a command that succeeds.
    #[track_caller]
    pub(crate) fn call(&self, args: &[&str]) -> String {
        let idle = ScriptedModel::start(Script::new([])).unwrap();
        let output = self.start(&idle, args).wait(TIME_LIMIT);
        assert_eq!(output.exit_code, Some(0), "{output}");
        output.other_lines.join("\n")
    }

    /// Turns and cost are the same in events, status and report.
    #[track_caller]
    pub(crate) fn assert_figures_add_up(&self, output: &RunOutput) {
        let ended = output.all("agent-ended");
        let turns: u64 = ended.iter().map(|ended| ended["turns"].as_u64().unwrap()).sum();
        let cost: f64 = ended.iter().map(|ended| ended["costUsd"].as_f64().unwrap()).sum();
        let counters = self.state()["counters"].clone();
        let run = self.status()["run"].clone();
        for output in [&counters, &run] {
            assert_eq!(output["turns"], turns, "{output}");
            assert!((output["costUsd"].as_f64().unwrap() - cost).abs() < 1e-9, "{cost}: {output}");
        }
    }

    fn state(&self) -> Value {
        serde_json::from_str(&self.read(".ralph/state.json")).unwrap()
    }

    /// Runs the loop to its end.
    pub(crate) fn run(&self, model: &ScriptedModel, args: &[&str]) -> RunOutput {
        self.start_run(model, args).wait(TIME_LIMIT)
    }

    pub(crate) fn start_run(&self, model: &ScriptedModel, args: &[&str]) -> LoopProcess {
        let claude = std::env::var(CLAUDE_PATH_VARIABLE).unwrap();
        let fixed = ["run", "--output", "json", "--agent-program", &claude];
        self.start(model, &[&fixed, args].concat())
    }

    fn start(&self, model: &ScriptedModel, args: &[&str]) -> LoopProcess {
        let mut environment = self.home.environment(model);
        if let Some(first) = &self.first_in_path {
            let machine = std::env::var_os("PATH").unwrap_or_default();
            let folders = std::iter::once(first.clone()).chain(std::env::split_paths(&machine));
            environment.push(("PATH".into(), std::env::join_paths(folders).unwrap()));
        }
        LoopProcess::start(&self.ralph_loop, args, environment, &self.project())
    }
}
