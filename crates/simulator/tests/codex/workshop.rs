//! Everything a run needs: `ralph-loop` alone, a home for Codex, and a project with one story.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use simulator::{Codex, Script, ScriptedModel};
use tempfile::TempDir;

use crate::loop_process::LoopProcess;
use crate::staged_plugin::{built, copy};
use crate::stories::Stories;
use crate::told::Told;

/// Many times what a run of a few sessions needs, also on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// What the project's check has against a greeting without a name.
pub(crate) const COMPLAINT: &str = "Ada is not greeted";

/// Says in the home that it ran.
const CHECK: &str = "echo ran >>~/checks\n\
                     [ -e greet.sh ] || exit 0\n\
                     sh greet.sh Ada | grep -q Ada && exit 0\n\
                     printf '%s is not greeted' Ada\n\
                     exit 1\n";

pub(crate) struct Workshop {
    pub(crate) codex: Codex,
    /// Without its hooks: Codex runs none of them.
    programs: TempDir,
}

impl Workshop {
    /// An empty repository.
    pub(crate) fn new() -> Self {
        let programs = tempfile::tempdir().unwrap();
        copy(&built("ralph-loop"), &programs.path().join("ralph-loop"));
        let workshop = Self { codex: Codex::new(crate::program()).unwrap(), programs };
        let project = workshop.project();
        test_repo::init(&project);
        // Agent and runner commit with a git of their own, which has to know who they are.
        test_repo::git(&project, &["config", "user.name", "t"]);
        test_repo::git(&project, &["config", "user.email", "t@localhost"]);
        workshop.write("check.sh", CHECK);
        // The one file of the home that its sandbox lets a check write.
        std::fs::write(workshop.codex.home().join("checks"), "").unwrap();
        let local = r#"{"isolation": {"writablePaths": ["~/checks"]}}"#;
        workshop.write(".ralph/settings.local.json", local);
        workshop
    }

    /// From an empty repository by `ralph-loop init`, with one story in the task list.
    pub(crate) fn with_story() -> Self {
        let workshop = Self::new();
        let init = ["init", "--name", "demo", "--verify", "sh check.sh"];
        let init = workshop.start(&init).wait(TIME_LIMIT);
        assert_eq!(init.exit_code, Some(0), "{init}");
        workshop.write("ralph/prd.md", "# Greeter\n\nGreets people.\n");
        let two = Stories::new(workshop.list()).text();
        let mut list: Value = serde_json::from_str(&two).unwrap();
        list["userStories"].as_array_mut().unwrap().truncate(1);
        workshop.write("ralph/tasks.json", &format!("{list:#}\n"));
        workshop.commit();
        workshop
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.codex.project()
    }

    pub(crate) fn stories(&self) -> Stories {
        Stories::from(self.list())
    }

    /// The task list as it is now.
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

    /// The model that all sessions talk to from now on.
    pub(crate) fn model(&self, script: Script) -> ScriptedModel {
        let model = ScriptedModel::start(script).unwrap();
        self.codex.connect(&model).unwrap();
        model
    }

    /// Runs a loop of this kind to its end.
    pub(crate) fn run(&self, kind: &str, args: &[&str]) -> Told {
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

    /// With Codex in it, as if it were installed.
    fn search_path(&self) -> OsString {
        let ours = std::env::var_os("PATH").unwrap_or_default();
        let codex = self.codex.program().parent().unwrap().to_owned();
        std::env::join_paths([codex].into_iter().chain(std::env::split_paths(&ours))).unwrap()
    }
}
