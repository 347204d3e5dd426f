//! Reviews by another program, or another model, than the work: a second opinion.

use events::RunEnd;
use serde_json::{Value, json};

use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::{fields, story};

/// A story that names its own model.
fn particular() -> Value {
    let mut story = story("US-001");
    story["model"] = json!("haiku");
    story
}

#[track_caller]
fn two_calls(run: &Outcome<'_>) -> [String; 2] {
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
    assert_eq!(run.assignments(), ["implement US-001", "review US-001"]);
    run.calls().try_into().unwrap()
}

#[test]
fn another_program_reviews_with_its_own_arguments() {
    let project = Project::new([particular()]).installed("claude").installed("codex");
    let run = project.run_installed([
        "--agent-arg=--add-dir",
        "--agent-arg=../shared",
        "--review-agent",
        "codex",
        "--review-model",
        "gpt",
    ]);
    let [work, review] = two_calls(&run);
    assert!(work.starts_with("claude: ") && work.contains("--model haiku"), "{work}");
    assert!(work.contains("--add-dir ../shared") && work.contains("--plugin-dir"), "{work}");
    assert!(review.starts_with("codex: ") && review.contains("-m gpt"), "{review}");
    for part in ["--add-dir", "haiku", "--plugin-dir"] {
        assert!(!review.contains(part), "{part} is not for the reviewer: {review}");
    }
    assert_eq!(run.guards_missing(), 0);
}

#[test]
fn a_reviewer_without_a_model_of_its_own_does_not_get_the_storys() {
    let settings = json!({"agent": {"model": "opus"}, "review": {"agent": "codex"}});
    let project = Project::new([particular()]).installed("claude").installed("codex");
    let [work, review] = two_calls(&project.settings(&settings).run_installed([]));
    assert!(work.contains("--model haiku"), "{work}");
    assert!(review.starts_with("codex: ") && !review.contains(" -m "), "{review}");
}

#[test]
fn the_same_program_reviews_with_another_model() {
    let settings = json!({
        "agent": {"flags": ["--add-dir", "../shared"]},
        "review": {"model": "opus", "maxTurns": 7},
    });
    let project = Project::new([particular()]).settings(&settings);
    // The program that the flag names is the same for both.
    let [work, review] = two_calls(&project.run([]));
    assert!(work.contains("--model haiku") && !work.contains("--max-turns"), "{work}");
    assert!(review.contains("--model opus") && review.contains("--max-turns 7"), "{review}");
    assert!(review.contains("--add-dir ../shared"), "{review}");
}

#[test]
fn a_reviewer_that_only_takes_fewer_turns_keeps_the_storys_model() {
    let project = Project::new([particular()]).settings(&json!({"review": {"maxTurns": 7}}));
    let [_, review] = two_calls(&project.run([]));
    assert!(review.contains("--model haiku") && review.contains("--max-turns 7"), "{review}");
}

#[test]
fn claude_reviews_under_guard_what_an_agent_without_hooks_did() {
    let project = Project::new([story("US-001")]).installed("claude");
    // --agent-program is where the worker is; the reviewer is found in PATH.
    let run = project.run(["--agent", "codex", "--review-agent", "claude"]);
    let [work, review] = two_calls(&run);
    assert!(work.starts_with("codex: ") && !work.contains("--plugin-dir"), "{work}");
    assert!(review.starts_with("claude: ") && review.contains("--plugin-dir"), "{review}");
    assert_eq!(run.guards_missing(), 0);
}

#[cfg(unix)]
#[test]
fn a_guard_is_missed_only_in_a_session_that_should_have_one() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new([story("US-001")]).installed("real").installed("codex");
    // Claude Code that loads no plugins.
    let claude = project.bin().join("claude");
    let script = "#!/bin/sh\nexec real -p --output-format stream-json --verbose\n";
    std::fs::write(&claude, script).unwrap();
    std::fs::set_permissions(&claude, std::fs::Permissions::from_mode(0o755)).unwrap();
    let run = project.run_installed(["--review-agent", "codex"]);
    two_calls(&run);
    // The one that judges its end, and the one that reads its commands.
    assert_eq!(run.guards_missing(), 2);
}
