//! The environment of a run: `ralph-loop` alone, a home for Codex, and a project with one story.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use real_agents::Codex;
use serde_json::Value;
use simulator::{Script, ScriptedModel};
use tempfile::TempDir;

use crate::loop_process::LoopProcess;
use crate::run_output::RunOutput;
use crate::staged_plugin::{built, copy};
use crate::stories::Stories;

/// Many times the duration of a short run, for busy machines.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// The failure message of the project's check for a greeting without a name.
pub(crate) const COMPLAINT: &str = "Ada is not greeted";

/// Records each run in the home.
const CHECK: &str = "echo ran >>~/checks\n\
                     [ -e greet.sh ] || exit 0\n\
                     sh greet.sh Ada | grep -q Ada && exit 0\n\
                     printf '%s is not greeted' Ada\n\
                     exit 1\n";

pub(crate) struct RunSetup {
    pub(crate) codex: Codex,
    /// Without hooks: Codex runs none of them.
    programs: TempDir,
}

impl RunSetup {
    /// An empty repository.
    pub(crate) fn new() -> Self {
        let programs = tempfile::tempdir().unwrap();
        copy(&built("ralph-loop"), &programs.path().join("ralph-loop"));
        let setup = Self { codex: Codex::new(crate::program()).unwrap(), programs };
        let project = setup.project();
        test_repo::init(&project);
        // Agent and runner commit with their own git, which needs an identity.
        test_repo::git(&project, &["config", "user.name", "t"]);
        test_repo::git(&project, &["config", "user.email", "t@localhost"]);
        setup.write("check.sh", CHECK);
        // The only file of the home that the sandbox lets a check write.
        std::fs::write(setup.codex.home().join("checks"), "").unwrap();
        let local = r#"{"isolation": {"writablePaths": ["~/checks"]}}"#;
        setup.write(".ralph/settings.local.json", local);
        setup
    }

    /// An empty repository after `ralph-loop init`, with one story in the task list.
    pub(crate) fn with_story() -> Self {
        let setup = Self::new();
        let init = ["init", "--name", "demo", "--verify", "sh check.sh"];
        let init = setup.start(&init).wait(TIME_LIMIT);
        assert_eq!(init.exit_code, Some(0), "{init}");
        setup.write("ralph/prd.md", "# Greeter\n\nGreets people.\n");
        let two = Stories::new(setup.list()).text();
        let mut list: Value = serde_json::from_str(&two).unwrap();
        list["userStories"].as_array_mut().unwrap().truncate(1);
        setup.write("ralph/tasks.json", &format!("{list:#}\n"));
        setup.commit();
        setup
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.codex.project()
    }

    pub(crate) fn stories(&self) -> Stories {
        Stories::from(self.list())
    }

    /// The current task list.
    pub(crate) fn list(&self) -> Value {
        serde_json::from_str(&self.read("ralph/tasks.json")).unwrap()
    }

    pub(crate) fn read(&self, name: impl AsRef<Path>) -> String {
        std::fs::read_to_string(self.project().join(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        let path = self.project().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn commit(&self) {
        test_repo::commit_all(&self.project());
    }

    /// How often the project's check ran.
    pub(crate) fn checks(&self) -> usize {
        let ran = std::fs::read_to_string(self.codex.home().join("checks"));
        ran.unwrap_or_default().lines().count()
    }

    /// Sets the model of later sessions.
    pub(crate) fn model(&self, script: Script) -> ScriptedModel {
        let model = ScriptedModel::start(script).unwrap();
        self.codex.connect(&model).unwrap();
        model
    }

    /// Runs a loop of this kind to its end.
    pub(crate) fn run(&self, kind: &str, args: &[&str]) -> RunOutput {
        self.start_run(kind, args).wait(TIME_LIMIT)
    }

    pub(crate) fn start_run(&self, kind: &str, args: &[&str]) -> LoopProcess {
        self.start(&[&[kind, "--agent", "codex", "--output", "json"], args].concat())
    }

    fn start(&self, args: &[&str]) -> LoopProcess {
        let program = self.programs.path().join("ralph-loop");
        let mut environment = self.codex.environment();
        environment.push(("PATH".into(), self.search_path()));
        LoopProcess::start(&program, args, environment, &self.project())
    }

    /// The search path, with Codex in it.
    fn search_path(&self) -> OsString {
        let ours = std::env::var_os("PATH").unwrap_or_default();
        let codex = self.codex.program().parent().unwrap().to_owned();
        std::env::join_paths([codex].into_iter().chain(std::env::split_paths(&ours))).unwrap()
    }
}
