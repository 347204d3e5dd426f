//! A scratch project with a task list, and what can be asked about it afterwards.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assert_fs::TempDir;
use project::{Layout, RunLock};
use serde_json::{Value, json};
use simulator::{IGNORE_DENIALS_VARIABLE, SCENARIO_VARIABLE, Scenario};
use tasks::TaskList;

use super::{Finished, Runner, await_none_in, program, simulated_agent, tool};

pub(crate) struct Project {
    around: TempDir,
    root: PathBuf,
    /// Words before the runner's path.
    pub(crate) wrapper: Vec<String>,
    /// For every run.
    flags: Vec<&'static str>,
}

impl Project {
    /// As many stories, and these checks.
    pub(crate) fn new(stories: usize, checks: &[&str]) -> Self {
        let around = TempDir::new().unwrap();
        let root = around.path().canonicalize().unwrap().join("repo");
        Self::at(around, root, stories, checks)
    }

    /// In an existing folder.
    pub(crate) fn at(around: TempDir, root: PathBuf, stories: usize, checks: &[&str]) -> Self {
        let project = Self { around, root, wrapper: Vec::new(), flags: Vec::new() };
        for folder in ["home", "tmp"] {
            std::fs::create_dir_all(project.beside(folder)).unwrap();
        }
        let stories: Vec<Value> = (1..=stories)
            .map(|number| {
                json!({
                    "id": format!("US-{number}"), "title": format!("Story {number}"),
                    "acceptanceCriteria": ["its file is there"], "priority": number,
                    "passes": false, "reviewStatus": null, "reviewCount": 0,
                    "reviewFeedback": "", "notes": "",
                })
            })
            .collect();
        let list = json!({
            "project": "scratch", "branchName": "ralph/scratch", "description": "A scratch project.",
            "verifyCommands": checks, "userStories": stories,
        });
        project.write("ralph/tasks.json", &format!("{list:#}\n"));
        project.write("ralph/progress.txt", "");
        project.write(
            ".gitignore",
            ".ralph-active\n.ralph/lock\n.ralph/state.json\n.ralph/runs/\n.ralph-tmp-*\n",
        );
        test_repo::init_for_commits(project.root());
        test_repo::commit_all(project.root());
        project.scenario(&Scenario::new());
        project
    }

    /// The same elsewhere, as it is now.
    pub(crate) fn copy(&self) -> Self {
        let around = TempDir::new().unwrap();
        let everything = self.around.path().join(".");
        let copied = tool("cp").arg("-a").arg(everything).arg(around.path()).status().unwrap();
        assert!(copied.success(), "the project cannot be copied");
        let root = around.path().canonicalize().unwrap().join("repo");
        Self { around, root, wrapper: Vec::new(), flags: Vec::new() }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of the project and of what is beside it, such as the clones of its lanes.
    pub(crate) fn around(&self) -> PathBuf {
        self.around.path().canonicalize().unwrap()
    }

    /// Outside the project, for what is not part of it.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.around.path().join(name)
    }

    pub(crate) fn layout(&self) -> Layout {
        Layout::new(&self.root)
    }

    pub(crate) fn scenario(&self, scenario: &Scenario) {
        scenario.save(&self.beside("scenario.json")).unwrap();
    }

    /// Other checks, committed.
    pub(crate) fn set_checks(&self, checks: &[&str]) {
        let text = std::fs::read(self.layout().tasks()).unwrap();
        let mut list: Value = serde_json::from_slice(&text).unwrap();
        list["verifyCommands"] = json!(checks);
        self.write("ralph/tasks.json", &format!("{list:#}\n"));
        test_repo::commit_all(&self.root);
    }

    /// For tests in which the first check that runs is that of a story.
    pub(crate) fn without_base_checks(mut self) -> Self {
        self.flags.push("--base-checks=off");
        self
    }

    pub(crate) fn write(&self, path: &str, contents: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    }

    /// A runner with the simulated agent. Without a sandbox: agents and checks look at files beside the project.
    pub(crate) fn start(&self, args: &[&str]) -> Runner {
        self.start_with_agent(&simulated_agent(), args)
    }

    pub(crate) fn start_with_agent(&self, agent: &Path, args: &[&str]) -> Runner {
        let wrapper: Vec<&str> = self.wrapper.iter().map(String::as_str).collect();
        let mut command = program(&wrapper);
        command.args(["--output", "json", "--no-sandbox", "--agent-program"]).arg(agent);
        command.args(&self.flags).args(args);
        self.surround(&mut command);
        Runner::start(command, self.beside("stderr.txt"))
    }

    /// Any command of the program, to its end.
    pub(crate) fn call(&self, args: &[&str]) -> Output {
        let mut command = program(&[]);
        command.args(args);
        self.surround(&mut command);
        command.output().unwrap()
    }

    fn surround(&self, command: &mut Command) {
        command
            .current_dir(&self.root)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.beside("home"))
            .env("TMPDIR", self.beside("tmp"))
            .env("IS_SANDBOX", "1")
            .env(IGNORE_DENIALS_VARIABLE, "1")
            .env(SCENARIO_VARIABLE, self.beside("scenario.json"));
    }

    /// A whole run.
    pub(crate) fn run(&self, args: &[&str]) -> Finished {
        self.start(args).finish()
    }

    /// The task list, which must be valid.
    #[track_caller]
    pub(crate) fn list(&self) -> TaskList {
        let bytes = std::fs::read(self.layout().tasks()).unwrap();
        let inspection = tasks::inspect(&bytes);
        match inspection.list {
            Some(list) if inspection.problems.is_empty() => list,
            _ => panic!("{:?} in {}", inspection.problems, String::from_utf8_lossy(&bytes)),
        }
    }

    /// `.ralph/state.json`; it is complete if it exists.
    #[track_caller]
    pub(crate) fn state(&self) -> Option<Value> {
        let bytes = std::fs::read(self.layout().state()).ok()?;
        Some(serde_json::from_slice(&bytes).unwrap())
    }

    #[track_caller]
    pub(crate) fn counter(&self, name: &str) -> u64 {
        self.state().unwrap()["counters"][name].as_u64().unwrap()
    }

    /// No process, no lock, no marker: as after a regular end.
    #[track_caller]
    pub(crate) fn assert_quiet(&self) {
        let run = self.state().and_then(|state| Some(state["runId"].as_str()?.to_owned()));
        await_none_in(&self.root, run.as_deref());
        assert!(!RunLock::is_held(&self.layout()), "the lock is held");
        assert!(!self.layout().marker().exists(), "the marker is still there");
    }

    /// All stories are done, and the repository is in order.
    #[track_caller]
    pub(crate) fn assert_complete(&self) {
        self.assert_quiet();
        for story in self.list().stories {
            assert!(story.passes && story.review_count > 0, "{story:?}");
        }
        self.assert_sound_repository();
        let status = test_repo::git(&self.root, &["status", "--porcelain"]);
        assert_eq!(status, "", "the work tree is not clean");
    }

    #[track_caller]
    pub(crate) fn assert_sound_repository(&self) {
        assert!(!self.root.join(".git/index.lock").exists(), "the index is locked");
        test_repo::git(&self.root, &["fsck", "--strict", "--no-dangling"]);
    }
}
