//! Two lanes, each with sessions of the real Claude Code in a clone of the project.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use simulator::{Script, ScriptedModel, Turn};

use crate::run_output::RunOutput;
use crate::run_setup::RunSetup;
use crate::stories::{APPROVED, approved, submitted};

const STORIES: [&str; 2] = ["US-001", "US-002"];

/// The session of lane 1 approves its own work first. Sessions get their turns by their prompts, in any order.
fn model(setup: &RunSetup) -> ScriptedModel {
    let works = ["echo 'echo Hello $1' >greet.sh", "echo 'echo Bye' >bye.sh"];
    let mut script = Script::new([]);
    for (number, (story, work)) in STORIES.iter().zip(works).enumerate() {
        // Each clone has a list of its own.
        let mut list = setup.stories();
        let cheats = [list.work("true", number, approved(1)), Turn::text("Approved.")];
        let cheats = if number == 0 { Vec::from(cheats) } else { Vec::new() };
        let mut list = setup.stories();
        let submit = [list.work(work, number, submitted()), Turn::text("Submitted.")];
        let review = [list.work("true", number, approved(1)), Turn::text(APPROVED)];
        script = script
            .session(&format!(": implement {story}"), cheats.into_iter().chain(submit))
            .session(&format!(": review {story}"), review);
    }
    ScriptedModel::start(script).unwrap()
}

/// The lane of each event of this kind about the story.
fn lanes_of(output: &RunOutput, kind: &str, story: &str) -> BTreeSet<u64> {
    let about = output.all(kind).into_iter().filter(|event| event["story"] == story);
    about.map(|event| event["lane"].as_u64().unwrap()).collect()
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn two_stories_are_worked_on_in_two_lanes_and_the_hooks_guard_each_of_them() {
    let setup = RunSetup::with_plugin();
    let project = setup.project();
    let git = |args: &[&str]| test_repo::git(&project, args);
    let branch = setup.list()["branchName"].as_str().unwrap().to_owned();
    let before = (git(&["rev-parse", "HEAD"]), setup.list());
    let model = model(&setup);
    let output = setup.run(&model, &["-j", "2"]);
    assert_eq!(output.exit_code, Some(0), "{output}");
    assert_eq!(output.each("run-ended", "end"), ["complete"], "{output}");
    assert_eq!(output.each("iteration-ended", "status"), ["accepted"; 4], "{output}");
    assert_eq!((git(&["rev-parse", "HEAD"]), setup.list()), before, "{output}");

    let list: Value =
        serde_json::from_str(&git(&["show", &format!("{branch}:ralph/tasks.json")])).unwrap();
    for (story, file) in STORIES.iter().zip(["greet.sh", "bye.sh"]) {
        git(&["cat-file", "-e", &format!("{branch}:{file}")]);
        let stories = list["userStories"].as_array().unwrap();
        let done = stories.iter().find(|listed| listed["id"] == *story).unwrap();
        assert_eq!((&done["passes"], &done["reviewCount"]), (&json!(true), &json!(1)), "{done}");
    }
    let lane = |kind, story| {
        let lanes = lanes_of(&output, kind, story);
        assert_eq!(lanes.len(), 1, "{kind} of {story}: {output}");
        *lanes.first().unwrap()
    };
    let lanes = STORIES.map(|story| lane("iteration-started", story));
    assert_eq!(BTreeSet::from(lanes), BTreeSet::from([1, 2]), "{output}");
    assert_eq!(STORIES.map(|story| lane("story-merged", story)), lanes);

    // The Stop hook blocks the session that approved its own work, and no other.
    assert_eq!(output.all("hook-missing").len(), 0, "{output}");
    assert_eq!(output.hook_answers(), ["blocked"], "{output}");
    assert_eq!(output.all("hook-answered")[0]["lane"], lanes[0], "{output}");
    for folder in output.each("iteration-started", "folder") {
        let stream = setup.read(format!("{folder}/stream.jsonl"));
        let answers = stream.lines().filter(|line| line.contains("\"stderr\":\"stop-guard: "));
        let is_cheat = folder.ends_with("implement-US-001");
        assert_eq!(answers.count(), if is_cheat { 2 } else { 1 }, "{stream}");
    }
    let transcripts = std::fs::read_dir(setup.home.path().join(".claude/projects")).unwrap();
    let mut kept: Vec<String> =
        transcripts.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect();
    kept.sort();
    let of_lanes =
        |kept: &[String]| matches!(kept, [one, two] if one.ends_with("-1") && two.ends_with("-2"));
    assert!(of_lanes(&kept), "transcripts of both clones: {kept:?}");
}
