//! The handoff of a session, built from what it really did.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::assignment::Assignment;
use super::stream::with;

/// Changed files, relative to the project, with the action.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FilesTouched(BTreeMap<String, FileAction>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FileAction {
    Created,
    Modified,
}

impl FileAction {
    /// The change that a tool is about to make.
    pub(super) fn of(path: &Path) -> Self {
        if path.exists() { Self::Modified } else { Self::Created }
    }
}

impl FilesTouched {
    /// A file that the session created stays "created".
    pub(super) fn add(&mut self, path: &Path, root: &Path, action: FileAction) {
        let path = path.strip_prefix(root).unwrap_or(path);
        self.0.entry(path.to_string_lossy().into_owned()).or_insert(action);
    }

    fn listing(&self) -> Vec<Value> {
        self.0.iter().map(|(path, action)| json!({"path": path, "action": action})).collect()
    }
}

/// A complete handoff that agrees with the task list; `fields` replace its own.
pub(super) fn handoff(
    assignment: &Assignment,
    files: &FilesTouched,
    fields: &Map<String, Value>,
) -> Value {
    let story = assignment.stored_story();
    let text = |field: &str| story[field].as_str().unwrap_or_default();
    let summary = [text("notes"), text("title")].into_iter().find(|text| !text.is_empty());
    let is_complete =
        ["needs_review", "approved"].contains(&text("reviewStatus")) || story["passes"] == true;
    let task = json!({
        "task_id": assignment.story_id(), "summary": summary.unwrap_or("Nothing was done."),
        "fully_complete": is_complete,
    });
    let handoff = json!({
        "task_completed": task, "files_touched": files.listing(), "deviations": [],
        "bugs_encountered": [], "architectural_notes": [], "unfinished_business": [],
        "recommendations": [], "plan_amendments": [], "tests_added": [],
        "constraints_discovered": [],
    });
    with(handoff, Value::Object(fields.clone()))
}

#[cfg(test)]
mod tests {
    use project::Layout;
    use tasks::StoryId;

    use super::*;

    fn handed_off(story: &Value, fields: &Map<String, Value>) -> Value {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir(layout.ralph_dir()).unwrap();
        std::fs::write(layout.tasks(), json!({"userStories": [story]}).to_string()).unwrap();
        let story = StoryId::new("US-1").ok();
        let assignment = Assignment { story, layout, ..Assignment::default() };
        handoff(&assignment, &FilesTouched::default(), fields)
    }

    #[test]
    fn a_submitted_story_is_complete() {
        for (status, passes, complete) in [
            (json!(null), false, false),
            (json!("changes_requested"), false, false),
            (json!("needs_review"), false, true),
            (json!("approved"), true, true),
            (json!(null), true, true),
        ] {
            let story = json!({"id": "US-1", "reviewStatus": status, "passes": passes});
            let handoff = handed_off(&story, &Map::new());
            assert_eq!(handoff["task_completed"]["fully_complete"], complete, "{story}");
        }
    }

    #[test]
    fn it_contains_story_notes_and_fields_of_the_scenario() {
        let story = json!({"id": "US-1", "title": "One", "notes": "Wrote it."});
        let fields = Map::from_iter([("deviations".to_owned(), json!(["d"]))]);
        let handoff = handed_off(&story, &fields);
        let done = &handoff["task_completed"];
        assert_eq!((&done["task_id"], &done["summary"]), (&json!("US-1"), &json!("Wrote it.")));
        assert_eq!(handoff["deviations"], json!(["d"]));
        assert_eq!(handoff.as_object().unwrap().len(), 10);
        assert_eq!(
            handed_off(&json!({"id": "US-1", "title": "One"}), &Map::new())["task_completed"]["summary"],
            "One"
        );
    }

    #[test]
    fn a_created_file_stays_created() {
        let (root, mut files) = (Path::new("/p"), FilesTouched::default());
        files.add(Path::new("/p/b.txt"), root, FileAction::Created);
        files.add(Path::new("/p/b.txt"), root, FileAction::Modified);
        files.add(Path::new("/p/a.txt"), root, FileAction::Modified);
        let expected = [
            json!({"path": "a.txt", "action": "modified"}),
            json!({"path": "b.txt", "action": "created"}),
        ];
        assert_eq!(files.listing(), expected);
    }
}
