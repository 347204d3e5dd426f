//! A temporary project with a loop, and the guard run in it.

use std::path::{Path, PathBuf};

use assert_cmd::cargo::cargo_bin;
use assert_fs::TempDir;
use serde_json::{Value, json};
use tasks::{Sha256Digest, Snapshot};

pub(crate) const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// The answer of the guard.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum GuardOutput {
    Nothing,
    Block(String),
    Deny(String),
    Warn(String),
}

#[derive(Debug)]
pub(crate) struct GuardAnswer {
    pub(crate) output: GuardOutput,
    pub(crate) stderr: String,
}

impl GuardAnswer {
    #[track_caller]
    pub(crate) fn reason(&self) -> &str {
        match &self.output {
            GuardOutput::Block(reason) => reason,
            other => panic!("not blocked: {other:?}\n{}", self.stderr),
        }
    }

    #[track_caller]
    pub(crate) fn assert_blocked_for(&self, part: &str) {
        assert!(self.reason().contains(part), "{part:?} is not in: {}", self.reason());
    }

    /// Allowed without output, for the reason on stderr.
    #[track_caller]
    pub(crate) fn assert_allowed(&self, because: &str) {
        assert_eq!(self.output, GuardOutput::Nothing, "{}", self.stderr);
        assert!(self.stderr.contains(because), "{because:?} is not in: {}", self.stderr);
    }
}

/// A project with a git repository, a task list and, once set, a marker.
pub(crate) struct Project {
    dir: TempDir,
    data: TempDir,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) input: Value,
}

impl Project {
    /// Two untouched stories, everything committed.
    pub(crate) fn new() -> Self {
        let project = Self::without_git();
        test_repo::init(project.path());
        project.commit_all();
        project
    }

    pub(crate) fn without_git() -> Self {
        let mut project = Self {
            dir: TempDir::new().unwrap(),
            data: TempDir::new().unwrap(),
            env: Vec::new(),
            input: json!({
                "session_id": SESSION,
                "hook_event_name": "Stop",
                "stop_hook_active": false,
                "background_tasks": [],
            }),
        };
        project.input["cwd"] = json!(project.path());
        project.write("ralph/prd.md", "the PRD");
        project.write("src/lib.rs", "// code");
        project.write_tasks(&list([story("US-001"), story("US-002")]));
        project
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.file(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    }

    pub(crate) fn write_tasks(&self, list: &Value) {
        self.write("ralph/tasks.json", serde_json::to_vec_pretty(list).unwrap());
    }

    pub(crate) fn tasks(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.file("ralph/tasks.json")).unwrap()).unwrap()
    }

    /// Edits the list as the agent, and commits.
    pub(crate) fn agent_edits(&self, edit: impl FnOnce(&mut Value)) {
        let mut list = self.tasks();
        edit(&mut list);
        self.write_tasks(&list);
        self.commit_all();
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        test_repo::git(self.path(), args)
    }

    pub(crate) fn commit_all(&self) {
        test_repo::commit_all(self.path());
    }

    /// The marker that the runner writes for this session, from the current list.
    pub(crate) fn marker(&self, mode: &str) -> Value {
        let list = tasks::inspect(self.tasks().to_string().as_bytes()).accepted().unwrap();
        let snapshot = Snapshot::of(&list);
        json!({
            "version": 1,
            "runId": "run-1",
            "sessionId": SESSION,
            "pid": std::process::id(),
            "iterationMode": mode,
            "reviewCap": 5,
            "skipReview": false,
            "preIterationSnapshot": snapshot.stories,
            "acceptanceCriteria": snapshot.criteria,
            "verifyCommands": snapshot.verify_commands,
            "protectedFiles": {"ralph/prd.md": Sha256Digest::of("the PRD")},
        })
    }

    pub(crate) fn write_marker(&self, marker: &Value) {
        self.write(".ralph-active", marker.to_string());
    }

    /// A project at the start of an iteration of `mode`.
    pub(crate) fn in_iteration(mode: &str, stories: impl IntoIterator<Item = Value>) -> Self {
        let project = Self::new();
        project.write_tasks(&list(stories));
        project.commit_all();
        project.write_marker(&project.marker(mode));
        project
    }

    pub(crate) fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    pub(crate) fn stop(&self) -> GuardAnswer {
        self.stop_with(self.input.to_string())
    }

    pub(crate) fn stop_with(&self, stdin: impl Into<Vec<u8>>) -> GuardAnswer {
        self.stop_by(assert_cmd::Command::new(cargo_bin("stop-guard")), stdin)
    }

    /// Runs the guard with an address space of at most `megabytes`.
    #[cfg(target_os = "linux")]
    pub(crate) fn stop_within_megabytes(&self, megabytes: u64) -> GuardAnswer {
        let mut command = assert_cmd::Command::new("sh");
        let limited = format!("ulimit -v {} && exec \"$0\"", megabytes * 1024);
        command.arg("-c").arg(limited).arg(cargo_bin("stop-guard"));
        self.stop_by(command, self.input.to_string())
    }

    fn stop_by(&self, mut command: assert_cmd::Command, stdin: impl Into<Vec<u8>>) -> GuardAnswer {
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("CLAUDE_PROJECT_DIR", self.path())
            .env("CLAUDE_PLUGIN_DATA", self.data.path())
            .envs(self.env.iter().cloned())
            .write_stdin(stdin)
            .timeout(std::time::Duration::from_secs(120));
        answer(&command.output().unwrap())
    }
}

pub(crate) fn answer(output: &std::process::Output) -> GuardAnswer {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "a hook never fails: {stderr}");
    let stdout = String::from_utf8(output.stdout.clone()).unwrap();
    let output = if stdout.is_empty() {
        GuardOutput::Nothing
    } else {
        let json: Value = serde_json::from_str(&stdout).unwrap();
        let specific = &json["hookSpecificOutput"];
        let denied = specific["permissionDecision"].as_str();
        match (json["decision"].as_str(), denied, json["systemMessage"].as_str()) {
            (Some("block"), None, None) => {
                GuardOutput::Block(json["reason"].as_str().unwrap().to_owned())
            }
            (None, Some("deny"), None) => {
                assert_eq!(specific["hookEventName"], "PreToolUse");
                GuardOutput::Deny(specific["permissionDecisionReason"].as_str().unwrap().to_owned())
            }
            (None, None, Some(message)) => GuardOutput::Warn(message.to_owned()),
            other => panic!("{other:?}: {stdout}"),
        }
    };
    GuardAnswer { output, stderr }
}

pub(crate) fn list(stories: impl IntoIterator<Item = Value>) -> Value {
    json!({
        "project": "demo", "branchName": "ralph/demo", "description": "",
        "verifyCommands": ["cargo test"],
        "userStories": stories.into_iter().collect::<Vec<_>>(),
    })
}

pub(crate) fn story(id: &str) -> Value {
    json!({
        "id": id, "title": id, "acceptanceCriteria": ["it works", "it is tested"], "priority": 1,
        "passes": false, "reviewStatus": null, "reviewCount": 0, "reviewFeedback": "", "notes": "",
    })
}

/// A story in a later state, with valid notes and feedback.
pub(crate) fn story_at(id: &str, passes: bool, status: Value, count: i64) -> Value {
    let mut story = story(id);
    move_to(&mut story, passes, status, count);
    story
}

pub(crate) fn move_to(story: &mut Value, passes: bool, status: Value, count: i64) {
    let returned = status == json!("changes_requested");
    story["reviewFeedback"] = json!(if returned { "fix the error path" } else { "" });
    story["passes"] = json!(passes);
    story["reviewStatus"] = status;
    story["reviewCount"] = json!(count);
    story["notes"] = json!("done");
}
