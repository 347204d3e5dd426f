//! `ralph-loop run --agent codex`: a story from an empty repository to complete.

use serde_json::json;
use simulator::{Script, Turn};

#[cfg(target_os = "linux")]
use crate::podman;
use crate::run_setup::RunSetup;
use crate::stories::{approved, submitted};

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn a_story_is_built_checked_reviewed_and_done() {
    let setup = RunSetup::with_story();
    let mut stories = setup.stories();
    let build = stories.work("echo 'echo Hello $1' >greet.sh", 0, submitted());
    let review = stories.work("sh greet.sh Ada", 0, approved(1));
    let complete =
        "Approved, the last one.\n<promise>COMPLETE</promise>\n<verdict>approved</verdict>";
    let model = setup.model(
        Script::new([])
            .session("implement US-001", [build.with_lead_in("Working."), Turn::text("Submitted.")])
            .session("review US-001", [review, Turn::text(complete)]),
    );
    let output = setup.run("run", &[]);

    assert_eq!(output.exit_code, Some(0), "{output}");
    assert_eq!(output.other_lines, Vec::<String>::new());
    assert_eq!(output.each("run-started", "agent"), ["codex"], "{output}");
    #[cfg(target_os = "linux")]
    assert_eq!(
        output.each("isolation-chosen", "isolation"),
        ["os", "os"],
        "agent and checks; {output}"
    );
    assert_eq!(output.each("iteration-started", "mode"), ["implement", "review"], "{output}");
    assert_eq!(output.each("agent-text", "text"), ["Working.", "Submitted.", complete], "{output}");
    assert_eq!(output.each("tool-ended", "outcome"), ["ok", "ok"], "{output}");
    assert_eq!(output.each("agent-ended", "outcome"), ["answered"; 2], "{output}");
    assert_eq!(output.each("iteration-ended", "status"), ["accepted"; 2], "{output}");
    assert_eq!(output.all("completion-claimed")[0]["accepted"], true, "{output}");
    assert_eq!(output.each("run-ended", "end"), ["complete"], "{output}");
    assert_eq!(output.all("hook-missing").len(), 0, "{output}");
    let story = &setup.list()["userStories"][0];
    assert_eq!(story["reviewStatus"], "approved", "{story}");
    assert_eq!(story["passes"], true, "{story}");

    let gates = output.all("check-ended").len();
    assert!(gates >= 1, "{output}");
    assert_eq!(setup.checks(), gates, "the runner checks by itself");
    for ended in output.all("agent-ended") {
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
    let setup = RunSetup::with_story();
    setup.write(".ralph/settings.local.json", &podman::settings(&["~/checks"]));
    let mut stories = setup.stories();
    let build = stories.work("echo 'echo Hello $1' >greet.sh", 0, submitted());
    let review = stories.work("sh greet.sh Ada", 0, approved(1));
    let complete = "<promise>COMPLETE</promise>\n<verdict>approved</verdict>";
    let _model = setup.model(
        Script::new([])
            .session("implement US-001", [build, Turn::text("Submitted.")])
            .session("review US-001", [review, Turn::text(complete)]),
    );
    let program = crate::program();
    let args = ["--sandbox=container", "--agent-program", program.to_str().unwrap()];
    let output = setup.run("run", &args);
    assert_eq!(output.exit_code, Some(0), "{output}");
    assert_eq!(output.each("isolation-chosen", "isolation"), ["container"; 2], "{output}");
    assert_eq!(output.each("isolation-chosen", "network"), ["allowlist", "open"], "{output}");
    assert_eq!(output.each("run-ended", "end"), ["complete"], "{output}");
    assert_eq!(setup.checks(), output.all("check-ended").len());
    assert_eq!(podman::containers(&setup.project()), "");
}

#[test]
#[ignore = "needs RALPH_TEST_CODEX"]
fn work_that_fails_the_check_is_not_done() {
    let setup = RunSetup::with_story();
    let claim = setup.stories().work("echo 'echo Hello' >greet.sh", 0, submitted());
    let _model = setup.model(Script::new([claim, Turn::text("Submitted.")]));
    let output = setup.run("run", &["-n", "1"]);

    assert_eq!(output.exit_code, Some(1), "{output}");
    assert_eq!(output.each("checks-judged", "outcome"), ["failed"], "{output}");
    assert_eq!(output.each("iteration-ended", "status"), ["checks-failed"], "{output}");
    assert_eq!(setup.list()["userStories"][0]["reviewStatus"], json!(null), "{output}");
}
