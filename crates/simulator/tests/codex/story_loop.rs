//! `ralph-loop run --agent codex`: a story from an empty repository to complete.

use serde_json::json;
use simulator::{Script, Turn};

#[cfg(target_os = "linux")]
use crate::podman;
use crate::stories::{approved, submitted};
use crate::workshop::Workshop;

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn a_story_is_built_checked_reviewed_and_done() {
    let workshop = Workshop::with_story();
    let mut stories = workshop.stories();
    let build = stories.work("echo 'echo Hello $1' >greet.sh", 0, submitted());
    let review = stories.work("sh greet.sh Ada", 0, approved(1));
    let complete =
        "Approved, the last one.\n<promise>COMPLETE</promise>\n<verdict>approved</verdict>";
    let model = workshop.model(
        Script::new([])
            .session("implement US-001", [build.with_lead_in("Working."), Turn::text("Submitted.")])
            .session("review US-001", [review, Turn::text(complete)]),
    );
    let told = workshop.run("run", &[]);

    assert_eq!(told.exit_code, Some(0), "{told}");
    assert_eq!(told.other_lines, Vec::<String>::new());
    assert_eq!(told.each("run-started", "agent"), ["codex"], "{told}");
    #[cfg(target_os = "linux")]
    assert_eq!(
        told.each("isolation-chosen", "isolation"),
        ["os", "os"],
        "agent and checks; {told}"
    );
    assert_eq!(told.each("iteration-started", "mode"), ["implement", "review"], "{told}");
    assert_eq!(told.each("agent-text", "text"), ["Working.", "Submitted.", complete], "{told}");
    assert_eq!(told.each("tool-ended", "outcome"), ["ok", "ok"], "{told}");
    assert_eq!(told.each("agent-ended", "outcome"), ["answered"; 2], "{told}");
    assert_eq!(told.each("iteration-ended", "status"), ["accepted"; 2], "{told}");
    assert_eq!(told.each("completion-claimed", "claim"), ["true"], "{told}");
    assert_eq!(told.each("run-ended", "end"), ["complete"], "{told}");
    assert_eq!(told.all("hook-missing").len(), 0, "{told}");
    let story = &workshop.list()["userStories"][0];
    assert_eq!(story["reviewStatus"], "approved", "{story}");
    assert_eq!(story["passes"], true, "{story}");

    let gates = told.all("check-ended").len();
    assert!(gates >= 1, "{told}");
    assert_eq!(workshop.checks(), gates, "the runner checks by itself");
    for ended in told.all("agent-ended") {
        assert_eq!(ended["costUsd"], json!(null), "{ended}");
        assert_eq!(ended["tokens"]["output"], 40, "{ended}");
        assert_eq!(ended["leftovers"], json!([]), "{ended}");
    }
    assert_eq!(model.requests().len(), 4, "each session asked for exactly its turns");
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs RALPH_TEST_CODEX and Podman"]
fn a_story_is_done_in_a_container() {
    let workshop = Workshop::with_story();
    workshop.write(".ralph/settings.local.json", &podman::settings(&["~/checks"]));
    let mut stories = workshop.stories();
    let build = stories.work("echo 'echo Hello $1' >greet.sh", 0, submitted());
    let review = stories.work("sh greet.sh Ada", 0, approved(1));
    let complete = "<promise>COMPLETE</promise>\n<verdict>approved</verdict>";
    let _model = workshop.model(
        Script::new([])
            .session("implement US-001", [build, Turn::text("Submitted.")])
            .session("review US-001", [review, Turn::text(complete)]),
    );
    let program = crate::program();
    let args = ["--sandbox=container", "--agent-program", program.to_str().unwrap()];
    let told = workshop.run("run", &args);
    assert_eq!(told.exit_code, Some(0), "{told}");
    assert_eq!(told.each("isolation-chosen", "isolation"), ["container"; 2], "{told}");
    assert_eq!(told.each("isolation-chosen", "network"), ["allowlist", "open"], "{told}");
    assert_eq!(told.each("run-ended", "end"), ["complete"], "{told}");
    assert_eq!(workshop.checks(), told.all("check-ended").len());
    assert_eq!(podman::containers(&workshop.project()), "");
}

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn work_that_fails_the_check_is_not_done() {
    let workshop = Workshop::with_story();
    let claim = workshop.stories().work("echo 'echo Hello' >greet.sh", 0, submitted());
    let _model = workshop.model(Script::new([claim, Turn::text("Submitted.")]));
    let told = workshop.run("run", &["-n", "1"]);

    assert_eq!(told.exit_code, Some(1), "{told}");
    assert_eq!(told.each("checks-judged", "outcome"), ["failed"], "{told}");
    assert_eq!(told.each("iteration-ended", "status"), ["checks-failed"], "{told}");
    assert_eq!(workshop.list()["userStories"][0]["reviewStatus"], json!(null), "{told}");
}
