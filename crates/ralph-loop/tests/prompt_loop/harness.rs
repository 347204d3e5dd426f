//! A temporary project and an agent that runs the acts of the test.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_fs::TempDir;
use serde_json::Value;
use simulator::IGNORE_DENIALS_VARIABLE;

use crate::outcome::Outcome;

/// The agent of these tests leaves its traces beside the project.
const UNCONFINED: &str = "--sandbox=guard";

/// Whatever it is called, this is the agent.
pub(crate) const AGENT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/prompt_loop/programs/agent");

const STREAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../agents/tests/streams");

/// No run of these tests takes a tenth of it.
const PATIENCE: Duration = Duration::from_secs(180);

/// A prompt file that knows its tag.
pub(crate) const TASK: &str = "Do it. At the end say <promise>COMPLETE</promise>\n";

/// The final message of the agent, for `prompt FILE` and for `-p` and `-f`.
pub(crate) const PROMISE: &str = "echo '<promise>COMPLETE</promise>'";
pub(crate) const DONE: &str = "echo '<response>DONE</response>'";

/// The project is a folder beside the agent's notes and its home.
pub(crate) struct Project {
    dir: TempDir,
}

impl Project {
    /// Nothing but a folder.
    pub(crate) fn without_git() -> Self {
        let dir = TempDir::new().unwrap();
        for folder in ["project", "home", "agent", "bin"] {
            std::fs::create_dir(dir.path().join(folder)).unwrap();
        }
        let project = Self { dir };
        project.write("task.md", TASK);
        project.agent([PROMISE]).message("echo 'Add things'")
    }

    /// A repository with everything committed; the agent prints the completion tag.
    pub(crate) fn new() -> Self {
        let project = Self::without_git();
        // As `ralph-loop init` writes it.
        project.write(
            ".gitignore",
            ".ralph/lock\n.ralph/prompt-state.json\n.ralph/runs/\n.ralph/settings.local.json\n",
        );
        test_repo::init_for_commits(&project.path());
        test_repo::commit_all(&project.path());
        project
    }

    /// The acts of the agent in its first, second … and every later session.
    pub(crate) fn agent<const N: usize>(self, acts: [&str; N]) -> Self {
        for (index, act) in acts.iter().enumerate() {
            std::fs::write(self.beside(&format!("agent/work-{}.sh", index + 1)), act).unwrap();
        }
        std::fs::write(self.beside("agent/work.sh"), acts.last().unwrap()).unwrap();
        self
    }

    /// The acts when it is asked for a commit message.
    pub(crate) fn message(self, act: &str) -> Self {
        std::fs::write(self.beside("agent/message.sh"), act).unwrap();
        self
    }

    /// The agent is called `name`, and prints what the real one printed.
    pub(crate) fn replaying(self, name: &str, stream: &str) -> Self {
        symlink(AGENT, self.beside("bin").join(name)).unwrap();
        let act = format!("cat '{STREAMS}/{name}/{stream}.jsonl'");
        self.agent([&act])
    }

    pub(crate) fn settings(self, settings: &Value) -> Self {
        self.write(".ralph/settings.json", settings.to_string());
        self
    }

    pub(crate) fn local_settings(self, settings: &Value) -> Self {
        self.write(".ralph/settings.local.json", settings.to_string());
        self
    }

    /// Runs a loop with the agent and reads the events it prints.
    #[track_caller]
    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        Outcome::of(&self.call(&self.with_agent(args)))
    }

    /// The same with an agent of a known name, or with the one of the settings.
    #[track_caller]
    pub(crate) fn run_as_it_is(&self, args: &[&str]) -> Outcome {
        let mut all = args.to_vec();
        all.extend(["--output", "json", UNCONFINED]);
        Outcome::of(&self.call(&all))
    }

    pub(crate) fn with_agent<'a>(&self, args: &[&'a str]) -> Vec<&'a str> {
        let mut all = args.to_vec();
        all.extend(["--output", "json", "--retry-wait", "1ms", "--agent", AGENT, UNCONFINED]);
        all
    }

    /// Runs any command of the program, without the environment of the user.
    pub(crate) fn call(&self, args: &[&str]) -> std::process::Output {
        self.call_in(&self.path(), args)
    }

    /// The same from another folder than the project's root.
    pub(crate) fn call_in(&self, folder: &Path, args: &[&str]) -> std::process::Output {
        let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin("ralph-loop"));
        let command = command.env_clear().envs(self.environment()).args(args);
        command.current_dir(folder).timeout(PATIENCE).output().unwrap()
    }

    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        let path = std::env::var("PATH").unwrap();
        vec![
            ("PATH", format!("{}:{path}", self.beside("bin").display())),
            ("HOME", self.beside("home").display().to_string()),
            ("IS_SANDBOX", "1".into()),
            (IGNORE_DENIALS_VARIABLE, "1".into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
        ]
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.beside("project").canonicalize().unwrap()
    }

    /// Outside of the project.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    }

    #[track_caller]
    pub(crate) fn read(&self, name: &str) -> String {
        read(&self.path().join(name))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }

    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        test_repo::git(&self.path(), args)
    }

    /// The prompts the agent was given, in order; those for commit messages left out.
    pub(crate) fn prompts(&self) -> Vec<String> {
        self.given("work")
    }

    /// Those for commit messages.
    pub(crate) fn message_prompts(&self) -> Vec<String> {
        self.given("message")
    }

    fn given(&self, kind: &str) -> Vec<String> {
        let paths = (1..).map(|number| self.beside(&format!("agent/{kind}-{number}.prompt")));
        paths.take_while(|path| path.exists()).map(|path| read(&path)).collect()
    }

    /// Every file of the project, also git's own.
    pub(crate) fn listing(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        walk(&self.path(), &mut found);
        found.sort();
        found
    }

    /// The files of the last run, the run's own folder left out of their names.
    #[track_caller]
    pub(crate) fn run_file(&self, name: &str) -> String {
        read(&self.run_folder().join(name))
    }

    #[track_caller]
    pub(crate) fn run_folder(&self) -> PathBuf {
        let state: Value = serde_json::from_str(&self.read(".ralph/prompt-state.json")).unwrap();
        self.path().join(".ralph/runs").join(state["runId"].as_str().unwrap())
    }
}

#[track_caller]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, found);
        }
        found.push(path);
    }
}
