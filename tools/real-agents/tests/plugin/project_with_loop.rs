//! A git repository at the start of an iteration.

use std::path::Path;
use std::time::{Duration, SystemTime};

use project::{Layout, Marker, StoredMarker};
use real_agents::{Home, HookResponse, Outcome, Session};
use serde_json::{Value, json};
use simulator::{Script, ScriptedModel, Turn, Uuid};
use tasks::{Mode, Sha256Digest, Snapshot};
use tempfile::TempDir;

pub(crate) const RUN_ID: &str = "run-1";

pub(crate) struct ProjectWithLoop {
    dir: TempDir,
    /// The task list at the start.
    list: Value,
    pub(crate) session: Uuid,
    marker_sha256: Sha256Digest,
}

impl ProjectWithLoop {
    pub(crate) fn new(mode: Mode, stories: impl IntoIterator<Item = Value>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::new(dir.path());
        let list = json!({
            "project": "demo", "branchName": "ralph/demo", "description": "",
            "verifyCommands": [], "userStories": stories.into_iter().collect::<Vec<_>>(),
        });
        let text = serde_json::to_string_pretty(&list).unwrap();
        std::fs::create_dir(layout.ralph_dir()).unwrap();
        std::fs::write(layout.tasks(), &text).unwrap();
        std::fs::write(dir.path().join(".gitignore"), ".ralph-active\n").unwrap();
        test_repo::init(dir.path());
        // The agent commits with its own git, which needs an identity.
        test_repo::git(dir.path(), &["config", "user.name", "t"]);
        test_repo::git(dir.path(), &["config", "user.email", "t@localhost"]);
        let checkpoint = test_repo::commit_all(dir.path());

        let session = Uuid::new_v4();
        let checked = tasks::inspect(text.as_bytes()).accepted().unwrap();
        let marker = Marker {
            run_id: Some(RUN_ID.into()),
            session_id: Some(session.to_string()),
            pid: Some(std::process::id()),
            iteration_mode: Some(mode),
            snapshot: Some(Snapshot::of(&checked)),
            checkpoint: Some(checkpoint),
            ..Marker::default()
        };
        let marker_sha256 = marker.write(&layout).unwrap();
        Self { dir, list, session, marker_sha256 }
    }

    /// A session that has just passed its soft time limit, with this time left.
    pub(crate) fn late(mut self, left: Duration) -> Self {
        let layout = Layout::new(self.path());
        let mut marker = StoredMarker::load(&layout).unwrap().unwrap().parse().unwrap();
        let now = SystemTime::now();
        marker.soft_limit_at = Some(now);
        marker.hard_limit_at = now.checked_add(left);
        self.marker_sha256 = marker.write(&layout).unwrap();
        self
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn status(&self) -> String {
        test_repo::git(self.path(), &["status", "--porcelain"])
    }

    /// A Bash command that writes the initial list with these story fields changed, and commits.
    pub(crate) fn agent_sets(&self, stories: &[(usize, Value)]) -> Turn {
        let mut list = self.list.clone();
        for (index, fields) in stories {
            let story = list["userStories"][*index].as_object_mut().unwrap();
            story.extend(fields.as_object().unwrap().clone());
        }
        Turn::bash(format!("cat >ralph/tasks.json <<'END'\n{list:#}\nEND\ngit commit -qam work"))
    }

    /// The session of the loop, with the environment of the runner.
    pub(crate) fn loop_session<'a>(&self, home: &'a Home, model: &'a ScriptedModel) -> Session<'a> {
        home.session(model)
            .project(self.path())
            .session_id(self.session)
            .env("RALPH_RUN_ID", RUN_ID)
            .env("RALPH_MARKER_SHA256", self.marker_sha256.to_string())
            .prompt("Do the next story.")
    }
}

pub(crate) fn story(id: &str, status: Value) -> Value {
    json!({
        "id": id, "title": id, "acceptanceCriteria": ["it works"], "priority": 1, "passes": false,
        "reviewStatus": status, "reviewCount": 0, "reviewFeedback": "", "notes": "",
    })
}

pub(crate) fn approved(notes: &str) -> Value {
    json!({"passes": true, "reviewStatus": "approved", "reviewCount": 1, "notes": notes})
}

pub(crate) fn model(turns: impl IntoIterator<Item = Turn>) -> ScriptedModel {
    ScriptedModel::start(Script::new(turns)).unwrap()
}

/// The answers of the guard at each of these events.
pub(crate) fn guard_responses(outcome: &Outcome, event: &str) -> Vec<HookResponse> {
    let mut responses = outcome.hook_responses(event);
    responses.retain(|response| response.stderr.starts_with("stop-guard: "));
    assert!(responses.iter().all(|response| response.exit_code == Some(0)), "{responses:?}");
    responses
}

/// The reasons of the guard's blocks, in order; empty if it allowed the stop.
pub(crate) fn stops(outcome: &Outcome) -> Vec<String> {
    reasons(outcome, "Stop", "/reason")
}

/// The same for structured answers.
pub(crate) fn denials(outcome: &Outcome) -> Vec<String> {
    reasons(outcome, "PreToolUse", "/hookSpecificOutput/permissionDecisionReason")
}

fn reasons(outcome: &Outcome, event: &str, place: &str) -> Vec<String> {
    let reason = |stdout: &str| {
        let json: Value = serde_json::from_str(stdout).unwrap_or_default();
        json.pointer(place).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    guard_responses(outcome, event).iter().map(|response| reason(&response.stdout)).collect()
}
