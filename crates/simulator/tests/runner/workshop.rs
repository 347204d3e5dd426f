//! Everything a run needs: the programs of Ralph, a home for Claude Code, and a project with stories.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use simulator::{CLAUDE_PATH_VARIABLE, Home, Script, ScriptedModel};
use tempfile::TempDir;

use crate::loop_process::LoopProcess;
#[cfg(unix)]
use crate::staged_plugin::repository;
use crate::staged_plugin::{built, copy, staged};
use crate::stories::Stories;
use crate::told::Told;

/// Many times what a run of a few sessions needs, also on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// Runs whatever tests the project has by now, and says in the home that it ran.
const CHECK: &str = "for test in tests/*.sh; do [ ! -e \"$test\" ] || sh \"$test\" || exit 1; done\n\
                     echo ran >>~/checks\n";

/// What puts the programs below a prefix, or upgrades them there.
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

pub(crate) struct Workshop {
    pub(crate) home: Home,
    /// Where the programs lie.
    pub(crate) programs: TempDir,
    ralph_loop: PathBuf,
    /// A folder before all others.
    pub(crate) first_in_path: Option<PathBuf>,
}

impl Workshop {
    /// `ralph-loop` in a build below the plugin's folder: its sessions use that plugin.
    pub(crate) fn with_plugin() -> Self {
        Self::new(staged(), "target/debug/ralph-loop")
    }

    /// The programs side by side in a folder of their own, as if they were copied into a `bin`.
    pub(crate) fn with_programs() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["stop-guard", "context-monitor", "command-guard"] {
            copy(&built(name), &folder.path().join(name));
        }
        Self::new(folder, "ralph-loop")
    }

    /// The programs as `scripts/install.sh` puts them below a prefix.
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

    /// `ralph-loop` and nothing else.
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
        let workshop = Self { home, programs, ralph_loop, first_in_path: None };
        workshop.set_up_project();
        workshop
    }

    /// From an empty repository by `ralph-loop init`, with two stories in the task list.
    fn set_up_project(&self) {
        let project = self.project();
        test_repo::init(&project);
        // Agent and runner commit with a git of their own, which has to know who they are.
        test_repo::git(&project, &["config", "user.name", "t"]);
        test_repo::git(&project, &["config", "user.email", "t@localhost"]);
        std::fs::write(project.join("check.sh"), CHECK).unwrap();
        // The files of the home that their sandbox lets checks and hooks write.
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

    /// The task list as it is now.
    pub(crate) fn list(&self) -> Value {
        serde_json::from_str(&self.read("ralph/tasks.json")).unwrap()
    }

    /// A file of the project.
    pub(crate) fn read(&self, name: impl AsRef<Path>) -> String {
        std::fs::read_to_string(self.project().join(name)).unwrap()
    }

    /// Writes a file of the project as its owner does: committed, unless git ignores it.
    pub(crate) fn put(&self, name: &str, text: &str) {
        let path = self.project().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        test_repo::commit_all(&self.project());
    }

    /// What `ralph-loop status --json` says.
    pub(crate) fn status(&self) -> Value {
        let idle = ScriptedModel::start(Script::new([])).unwrap();
        let status = self.start(&idle, &["status", "--json"]).wait(TIME_LIMIT);
        assert_eq!(status.exit_code, Some(0), "{status}");
        serde_json::from_str(&status.other_lines.join("\n")).unwrap()
    }

    /// Turns and cost of all sessions of the run add up, wherever they are told.
    #[track_caller]
    pub(crate) fn assert_figures_add_up(&self, told: &Told) {
        let ended = told.all("agent-ended");
        let turns: u64 = ended.iter().map(|ended| ended["turns"].as_u64().unwrap()).sum();
        let cost: f64 = ended.iter().map(|ended| ended["costUsd"].as_f64().unwrap()).sum();
        let counters = self.state()["counters"].clone();
        let run = self.status()["run"].clone();
        for told in [&counters, &run] {
            assert_eq!(told["turns"], turns, "{told}");
            assert!((told["costUsd"].as_f64().unwrap() - cost).abs() < 1e-9, "{cost}: {told}");
        }
    }

    fn state(&self) -> Value {
        serde_json::from_str(&self.read(".ralph/state.json")).unwrap()
    }

    /// Runs the loop to its end.
    pub(crate) fn run(&self, model: &ScriptedModel, args: &[&str]) -> Told {
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
