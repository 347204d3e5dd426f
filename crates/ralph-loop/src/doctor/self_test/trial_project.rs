//! Sets up the self-test as a run does: a project with a marker, the plugin with the hooks, a scripted model.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use project::{Layout, Marker, env};
use serde_json::json;
use simulator::{ScratchFolders, Script, ScriptedModel, Turn, Uuid};
use tasks::{Mode, Snapshot};
use vcs::WorkTree;

use super::TestedPrograms;

const RUN_ID: &str = "self-test";
const GIT_TIMEOUT: Duration = Duration::from_secs(20);

/// The first answer reports that three quarters of the window are full.
const WINDOW: u64 = 200_000;
const USED: u64 = 150_000;

/// Must be denied. If not, there is no remote to push to.
const FORBIDDEN: &str = "git push --force origin main";
/// Stays uncommitted, so the first stop is blocked. The second one passes.
const LEFT_OVER: &str = "echo uncommitted > left-over.txt";
const MOST_BLOCKS: u64 = 1;

pub(super) struct TrialProject {
    pub(super) folders: ScratchFolders,
    pub(super) model: ScriptedModel,
    pub(super) session: Uuid,
    pub(super) plugin: PathBuf,
    marker_sha256: String,
}

impl TrialProject {
    pub(super) fn create(programs: &TestedPrograms<'_>) -> Result<Self> {
        let folders = ScratchFolders::new("claude-home-")?;
        let session = Uuid::new_v4();
        let marker_sha256 = begin_iteration(&folders, session)?;
        let plugin = folders.home().join("plugin");
        engine::write_plugin(programs.hooks, &plugin)?;
        let turns = [
            // A hook judges a tool call by the previous answer, because the transcript is late.
            Turn::bash(FORBIDDEN).with_context_tokens(USED),
            Turn::bash(LEFT_OVER).with_context_tokens(USED),
            Turn::text("Finished."),
            Turn::text("It stays as it is."),
        ];
        let model = ScriptedModel::start(Script::new(turns))?;
        Ok(Self { folders, model, session, plugin, marker_sha256 })
    }

    /// The whole environment: no variable is inherited.
    pub(super) fn environment(&self) -> Vec<(OsString, OsString)> {
        let mut environment = self.folders.claude_environment(Some(&self.model));
        environment.extend([
            (env::RALPH_RUN_ID.into(), RUN_ID.into()),
            (env::RALPH_MARKER_SHA256.into(), OsString::from(&self.marker_sha256)),
            (env::RALPH_PROJECT_DIR.into(), self.folders.project().into()),
        ]);
        environment
    }
}

/// A repository with a task list and the marker of an iteration, whose hash is returned.
fn begin_iteration(folders: &ScratchFolders, session: Uuid) -> Result<String> {
    let deadline = Instant::now() + GIT_TIMEOUT;
    let layout = Layout::new(folders.project().canonicalize()?);
    let list = json!({
        "project": "self-test", "branchName": "ralph/self-test", "description": "",
        "verifyCommands": [],
        "userStories": [{
            "id": "US-001", "title": "Nothing to do", "acceptanceCriteria": ["nothing"],
            "priority": 1, "passes": false, "reviewStatus": null, "reviewCount": 0,
            "reviewFeedback": "", "notes": "",
        }],
    });
    let list = list.to_string();
    std::fs::create_dir_all(layout.ralph_dir())?;
    std::fs::write(layout.tasks(), &list)?;
    std::fs::write(layout.root().join(".gitignore"), ".ralph-active\n")?;
    let tree = WorkTree::init(layout.root(), deadline)?;
    let paths = [".gitignore".to_owned(), layout.tasks_name()];
    let head = tree.commit_paths(&paths, "the plan", deadline)?;
    let snapshot = tasks::inspect(list.as_bytes()).accepted().map(|list| Snapshot::of(&list));
    let marker = Marker {
        run_id: Some(RUN_ID.into()),
        session_id: Some(session.to_string()),
        pid: Some(std::process::id()),
        iteration_mode: Some(Mode::Implement),
        snapshot: snapshot.ok(),
        checkpoint: head.map(|head| head.as_str().to_owned()),
        max_blocks: Some(MOST_BLOCKS),
        context_window: Some(WINDOW),
        ..Marker::default()
    };
    Ok(marker.write(&layout)?.to_string())
}
