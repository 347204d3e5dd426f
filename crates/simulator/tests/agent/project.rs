//! A temporary project at the start of an iteration, and one session of the agent in it.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use simulator::{SCENARIO_VARIABLE, Scenario};
use tempfile::TempDir;

/// Many times the duration of a session, for busy machines.
const LIMIT: Duration = Duration::from_secs(90);

pub(crate) struct Project {
    dir: TempDir,
}

/// Output and exit code of a session.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) lines: Vec<Value>,
}

pub(crate) struct Run<'a> {
    project: &'a Project,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
}

impl Project {
    /// Two stories; the marker assigns the first.
    pub(crate) fn new(mode: &str, status: Value) -> Self {
        let project = Self { dir: tempfile::tempdir().unwrap() };
        let story = |id: &str, passes: bool, status: Value| {
            json!({
                "id": id, "title": format!("Title of {id}"), "acceptanceCriteria": ["it's there"],
                "priority": 1, "passes": passes, "reviewStatus": status, "reviewCount": 0,
                "reviewFeedback": "", "notes": "n",
            })
        };
        let stories = [story("US-001", false, status), story("US-002", true, json!("approved"))];
        let list = json!({
            "project": "demo", "branchName": "b", "description": "", "userStories": stories,
        });
        project.write("repo/ralph/tasks.json", &format!("{list:#}\n"));
        project.write("repo/.gitignore", ".ralph-active\n");
        test_repo::init(&project.path());
        test_repo::commit_all(&project.path());
        project.mark(json!({"iterationMode": mode, "storyId": "US-001", "iteration": 1}));
        project
    }

    pub(crate) fn implement() -> Self {
        Self::new("implement", Value::Null)
    }

    pub(crate) fn mark(&self, marker: Value) {
        self.write("repo/.ralph-active", &marker.to_string());
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    /// The parent folder of the project.
    pub(crate) fn around(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn write(&self, path: &str, contents: &str) {
        let path = self.dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.dir.path().join(path)).unwrap()
    }

    pub(crate) fn story(&self, index: usize) -> Value {
        let list: Value = serde_json::from_str(&self.read("repo/ralph/tasks.json")).unwrap();
        list["userStories"][index].clone()
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        test_repo::git(&self.path(), args)
    }

    /// A plugin with these hooks and shell scripts.
    pub(crate) fn plugin(&self, hooks: Value, scripts: &[(&str, &str)]) -> PathBuf {
        self.write("plugin/hooks/hooks.json", &json!({ "hooks": hooks }).to_string());
        let root = self.dir.path().join("plugin");
        for (name, script) in scripts {
            self.write(&format!("plugin/{name}"), &format!("#!/bin/sh\n{script}\n"));
            let permissions = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(root.join(name), permissions).unwrap();
        }
        root
    }

    pub(crate) fn run(&self) -> Run<'_> {
        let args = ["-p", "--output-format", "stream-json", "--verbose", "--include-hook-events"];
        let run = Run { project: self, args: args.map(OsString::from).into(), env: Vec::new() };
        run.env("CLAUDE_CONFIG_DIR", self.dir.path().join("config"))
    }

    pub(crate) fn play(&self, scenario: &Scenario) -> Run<'_> {
        let path = self.dir.path().join("scenario.json");
        scenario.save(&path).unwrap();
        self.run().env(SCENARIO_VARIABLE, path)
    }
}

impl Run<'_> {
    pub(crate) fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that starts the agent under test")]
    pub(crate) fn start(self) -> Child {
        Command::new(env!("CARGO_BIN_EXE_simulated-agent"))
            .args(self.args)
            .current_dir(self.project.path())
            .env_remove("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP")
            .env_remove("CLAUDE_CODE_MAX_RETRIES")
            .env_remove("MAX_STRUCTURED_OUTPUT_RETRIES")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .envs(self.env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    }

    pub(crate) fn complete(self) -> Ended {
        let mut child = self.start();
        drop(child.stdin.take().map(|mut stdin| stdin.write_all(b"Do the story.")));
        finish(child)
    }
}

/// Reads the rest of the stream and waits for the exit, with a time limit.
pub(crate) fn finish(mut child: Child) -> Ended {
    let mut pipe = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut stdout = Vec::new();
        pipe.read_to_end(&mut stdout).unwrap();
        stdout
    });
    let deadline = Instant::now() + LIMIT;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > deadline {
            child.kill().unwrap();
            panic!("the agent did not end");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let stdout = reader.join().unwrap();
    let text = String::from_utf8_lossy(&stdout).into_owned();
    let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    Ended { status, stdout, lines }
}

impl Ended {
    pub(crate) fn result(&self) -> &Value {
        let last = self.lines.last().unwrap();
        assert_eq!(last["type"], "result", "{last}");
        last
    }

    pub(crate) fn has_result(&self) -> bool {
        self.lines.iter().any(|line| line["type"] == "result")
    }

    pub(crate) fn of(&self, kind: &str, subtype: &str) -> Vec<&Value> {
        let lines = self.lines.iter();
        lines
            .filter(|line| {
                line["type"] == kind && (subtype.is_empty() || line["subtype"] == subtype)
            })
            .collect()
    }

    /// The called tools, in order.
    pub(crate) fn tools(&self) -> Vec<&str> {
        let contents = self.lines.iter().map(|line| &line["message"]["content"][0]);
        contents.filter_map(|content| content["name"].as_str()).collect()
    }

    /// The tool results.
    pub(crate) fn tool_results(&self) -> Vec<&str> {
        let contents = self.lines.iter().map(|line| &line["message"]["content"][0]);
        contents.filter_map(|content| content["content"].as_str()).collect()
    }

    /// The messages of hooks in the user's name.
    pub(crate) fn feedback(&self) -> Vec<&str> {
        let synthetic = self.lines.iter().filter(|line| line["isSynthetic"] == true);
        synthetic.filter_map(|line| line["message"]["content"][0]["text"].as_str()).collect()
    }
}
