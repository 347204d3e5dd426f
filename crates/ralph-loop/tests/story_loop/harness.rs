//! A throw-away project with a task list and an agent that follows a scenario.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use assert_fs::TempDir;
use serde_json::{Value, json};
use simulator::{IGNORE_DENIALS_VARIABLE, SCENARIO_VARIABLE, Scenario};

use crate::outcome::Outcome;
use crate::stories::list;

/// As `ralph-loop init` writes it.
const IGNORED: &str = ".ralph-active\n.ralph/lock\n.ralph/state.json\n.ralph/state.md\n\
                       .ralph/runs/\n.ralph/settings.local.json\n.ralph-tmp-*\n";

/// Most checks here fail until the agent has worked, and no story is about them.
const NO_BASE_CHECKS: &str = "--base-checks=off";

/// No run of these tests takes a tenth of it.
const PATIENCE: Duration = Duration::from_secs(600);

/// Lies outside of git's sight: the project is a folder beside the scenario and the agent's home.
pub(crate) struct Project {
    dir: TempDir,
    before: String,
    /// For every run.
    flags: Vec<&'static str>,
}

impl Project {
    /// Nothing but a folder.
    pub(crate) fn empty() -> Self {
        let dir = TempDir::new().unwrap();
        for folder in ["project", "home", "bin"] {
            std::fs::create_dir(dir.path().join(folder)).unwrap();
        }
        let project = Self { dir, before: String::new(), flags: vec![NO_BASE_CHECKS] };
        project.agent(&Scenario::new());
        project
    }

    /// A repository with this task list in it, everything committed; the agent is honest.
    pub(crate) fn with_list(list: &Value) -> Self {
        let mut project = Self::empty();
        project.write("ralph/tasks.json", format!("{list:#}\n"));
        project.write("ralph/prd.md", "# What and why\n");
        project.write("ralph/prompt.md", "Go on. ${STORY}\n${FEEDBACK}\n${LAST_FAILURE}\n");
        project.write("ralph/progress.txt", "");
        project.write(".gitignore", IGNORED);
        project.write("src/code.txt", "code\n");
        project.write("mine.txt", "committed\n");
        project.repository();
        project.before = project.read("ralph/tasks.json");
        project
    }

    pub(crate) fn new(stories: impl IntoIterator<Item = Value>) -> Self {
        Self::with_list(&list(stories))
    }

    pub(crate) fn with_checks<const N: usize>(
        stories: impl IntoIterator<Item = Value>,
        commands: [&str; N],
    ) -> Self {
        let mut list = list(stories);
        list["verifyCommands"] = json!(Vec::from(commands));
        Self::with_list(&list)
    }

    /// Makes the folder a repository with everything in it committed.
    pub(crate) fn repository(&self) {
        test_repo::init_for_commits(&self.path());
        test_repo::commit_all(&self.path());
    }

    pub(crate) fn scenario(self, scenario: Scenario) -> Self {
        self.agent(&scenario);
        self
    }

    /// Gives these flags to every run.
    pub(crate) fn flags<const N: usize>(mut self, flags: [&'static str; N]) -> Self {
        self.flags.extend(flags);
        self
    }

    /// Runs the checks before the first story, as is usual.
    pub(crate) fn with_base_checks(mut self) -> Self {
        self.flags.retain(|flag| *flag != NO_BASE_CHECKS);
        self
    }

    /// Commits these settings.
    pub(crate) fn settings(self, settings: &Value) -> Self {
        self.write(".ralph/settings.json", settings.to_string());
        test_repo::commit_all(&self.path());
        self
    }

    /// Puts the simulated agent into PATH under this name: it answers as it is called.
    pub(crate) fn installed(self, name: &str) -> Self {
        let program = program("simulated-agent");
        let path = self.bin().join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        #[cfg(unix)]
        std::os::unix::fs::symlink(program, path).unwrap();
        #[cfg(not(unix))]
        std::fs::copy(program, path).map(drop).unwrap();
        self
    }

    /// The first folder in PATH.
    pub(crate) fn bin(&self) -> PathBuf {
        self.dir.path().join("bin")
    }

    pub(crate) fn agent(&self, scenario: &Scenario) {
        scenario.save(&self.dir.path().join("scenario.json")).unwrap();
    }

    /// Runs the loop with the simulated agent and reads the events it prints.
    pub(crate) fn run<const N: usize>(&self, args: [&str; N]) -> Outcome<'_> {
        let agent = program("simulated-agent");
        let program = ["--agent-program", agent.to_str().unwrap()];
        self.run_installed(program.into_iter().chain(args))
    }

    /// Runs the loop with the agents that are installed.
    pub(crate) fn run_installed<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Outcome<'_> {
        let fixed = ["run", "--output", "json"].into_iter().chain(self.flags.iter().copied());
        let mut all: Vec<&str> = fixed.chain(args).collect();
        // A simulated agent reads its scenario and leaves its traces beside the project.
        if !all.iter().any(|arg| arg.contains("sandbox")) {
            all.push("--sandbox=guard");
        }
        Outcome::of_run(self, &self.call(&all))
    }

    /// Runs any command of the program, without the environment of the user.
    pub(crate) fn call(&self, args: &[&str]) -> std::process::Output {
        for name in ["stop-guard", "context-monitor", "command-guard"] {
            program(name);
        }
        self.command(&program("ralph-loop")).args(args).output().unwrap()
    }

    /// Another copy of the program, or another PATH: a command that can still be changed.
    pub(crate) fn command(&self, ralph_loop: &Path) -> assert_cmd::Command {
        let mut command = assert_cmd::Command::new(ralph_loop);
        command.env_clear().envs(self.environment()).current_dir(self.path()).timeout(PATIENCE);
        command
    }

    /// All that the program gets to know of the machine.
    pub(crate) fn environment(&self) -> [(&'static str, OsString); 6] {
        let machine = std::env::var_os("PATH").unwrap();
        let path = std::iter::once(self.bin()).chain(std::env::split_paths(&machine));
        [
            ("PATH", std::env::join_paths(path).unwrap()),
            ("HOME", self.dir.path().join("home").into()),
            ("IS_SANDBOX", "1".into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            (SCENARIO_VARIABLE, self.dir.path().join("scenario.json").into()),
            // Tests the runner with actions that command-guard would deny.
            (IGNORE_DENIALS_VARIABLE, "1".into()),
        ]
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    }

    #[track_caller]
    pub(crate) fn read(&self, name: &str) -> String {
        let path = self.path().join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }

    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        test_repo::git(&self.path(), args)
    }

    #[track_caller]
    pub(crate) fn tasks(&self) -> Value {
        serde_json::from_str(&self.read("ralph/tasks.json")).unwrap()
    }

    #[track_caller]
    pub(crate) fn story(&self, id: &str) -> Value {
        story_in(&self.tasks(), id)
    }

    /// `[passes, reviewStatus, reviewCount, reviewFeedback]`
    #[track_caller]
    pub(crate) fn fields(&self, id: &str) -> Value {
        fields_of(&self.story(id))
    }

    /// The task list as the test wrote it.
    pub(crate) fn tasks_before(&self) -> &str {
        &self.before
    }

    pub(crate) fn state(&self) -> Value {
        serde_json::from_str(&self.read(".ralph/state.json")).unwrap()
    }

    pub(crate) fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }

    /// Subjects of the commits on the run's branch, the newest first.
    pub(crate) fn log(&self) -> Vec<String> {
        let log = self.git(&["log", "--format=%s", "ralph/demo"]);
        log.lines().map(str::to_owned).collect()
    }

    /// Every file with its contents, without what git keeps for itself.
    pub(crate) fn listing(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        walk(&self.path(), &mut found);
        found.sort();
        found
    }
}

/// A program of the workspace. Cargo builds only this package's own for its tests.
#[track_caller]
pub(crate) fn program(name: &str) -> PathBuf {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let path = cargo_bin("ralph-loop").with_file_name(name);
    assert!(
        path.is_file(),
        "{} is missing; is the workspace built? cargo build --workspace",
        path.display()
    );
    path
}

pub(crate) fn story_in(list: &Value, id: &str) -> Value {
    let stories = list["userStories"].as_array().unwrap();
    let story = stories.iter().find(|story| story["id"] == id);
    story.unwrap_or_else(|| panic!("no story {id} in {list:#}")).clone()
}

pub(crate) fn fields_of(story: &Value) -> Value {
    ["passes", "reviewStatus", "reviewCount", "reviewFeedback"]
        .iter()
        .map(|field| story[field].clone())
        .collect()
}

fn walk(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with(".git") {
            walk(&path, found);
        } else if path.is_file() {
            let contents = std::fs::read(&path).unwrap();
            found.push((path, contents));
        }
    }
}
