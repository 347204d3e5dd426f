//! A session with the zip; the unpacked tree as a marketplace, until it is uninstalled.

use real_agents::{Home, Outcome, Session};
use simulator::{Script, ScriptedModel, Turn};

use crate::claude;
use crate::package::{self, NEXT_VERSION};

/// The program of each hook.
const ANSWERS: [(&str, &str); 4] = [
    ("SessionStart", "context-monitor: "),
    ("PreToolUse", "command-guard: "),
    ("PostToolUse", "context-monitor: "),
    ("Stop", "stop-guard: "),
];

/// A session with one command, on a machine without cargo.
fn run(home: &Home, prepare: impl FnOnce(Session<'_>) -> Session<'_>) -> Outcome {
    let model =
        ScriptedModel::start(Script::new([Turn::bash("true"), Turn::text("Done.")])).unwrap();
    let outcome =
        prepare(home.session(&model)).env("PATH", "/usr/bin:/bin").prompt("Go.").run().unwrap();
    assert_eq!(outcome.exit_code, Some(0), "{outcome:?}");
    outcome
}

#[track_caller]
fn assert_answered_natively(outcome: &Outcome) {
    for (event, program) in ANSWERS {
        let responses = outcome.hook_responses(event);
        assert!(responses.iter().all(|response| response.exit_code == Some(0)), "{responses:?}");
        let ours = responses.iter().filter(|response| response.stderr.starts_with(program));
        assert_eq!(ours.count(), 1, "{event}: {responses:?}");
    }
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn native_programs_answer_a_session_with_the_zip() {
    let home = Home::new(&claude()).unwrap();
    // Claude Code unpacks the zip there.
    let unpacked = home.path().join("temporary files");
    std::fs::create_dir(&unpacked).unwrap();
    let outcome = run(&home, |session| {
        session.plugin_dir(package::zip()).env("CLAUDE_CODE_TMPDIR", unpacked)
    });
    assert_answered_natively(&outcome);
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_unpacked_tree_is_installed_updated_and_uninstalled() {
    let home = Home::new(&claude()).unwrap();
    let (_folder, tree) = package::copied_tree();
    home.install_plugin(&tree).unwrap();
    assert_answered_natively(&run(&home, |session| session));

    package::make_next_version(&tree);
    home.update_plugin("ralph", "ralph").unwrap();
    let stops = run(&home, |session| session).hook_responses("Stop");
    assert_eq!(stops.len(), 1, "{stops:?}");
    assert_eq!(stops[0].stderr, format!("stop-guard of {NEXT_VERSION}\n"));

    home.uninstall_plugin("ralph", "ralph").unwrap();
    let outcome = run(&home, |session| session);
    for (event, _) in ANSWERS {
        assert_eq!(outcome.hook_responses(event), [], "{event}");
    }
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_tree_is_valid_for_the_plugin_directory() {
    let home = Home::new(&claude()).unwrap();
    let outcome = home.validate_plugin(&package::tree()).unwrap();
    assert_eq!(outcome.exit_code, Some(0), "{outcome}");
    for complaint in ["⚠", "✘"] {
        assert!(!outcome.stdout.contains(complaint), "{outcome}");
    }
}
