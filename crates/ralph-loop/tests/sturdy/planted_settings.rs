//! An agent writes settings, and the runner is killed before it can put them back: the next one does not
//! run what they name.

use engine::LoopEvent;
use simulator::{Act, Mode, Scenario, When};

use crate::harness::{Project, await_none_in, until};

/// A project whose runner was killed in a session that wrote this file, and what the command in it makes.
fn killed_after_writing(name: &str) -> (Project, std::path::PathBuf) {
    let project = Project::new(1, &[]);
    let planted = project.beside("planted");
    let settings = serde_json::json!({
        "notifications": { "command": format!("touch '{}'", planted.display()) }
    });
    let acts = [Act::write(name, settings.to_string()), Act::Hang { deaf: false }];
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts));
    let runner = project.start(&[]);
    until("the settings are written", || project.root().join(name).exists().then_some(()));
    runner.kill();
    await_none_in(project.root(), None);
    (project, planted)
}

#[test]
fn shared_ones_are_not_obeyed_and_the_iteration_is_judged() {
    let (project, planted) = killed_after_writing(".ralph/settings.json");
    let refused = project.run(&["--fresh"]);
    refused.assert_exit(2);
    assert!(refused.stderr.contains(".ralph/settings.json changed while"), "{}", refused.stderr);
    let next = project.run(&[]);
    next.assert_exit(0);
    next.assert_told("what was put back", |event| {
        matches!(event, LoopEvent::Undone { findings, .. }
            if findings.iter().any(|finding| finding.contains(".ralph/settings.json")))
    });
    assert!(!planted.exists());
    assert!(!project.layout().settings().exists());
}

#[test]
fn local_ones_hold_the_run_up_until_their_owner_says_so() {
    let (project, planted) = killed_after_writing(".ralph/settings.local.json");
    for args in [&[][..], &["--fresh"], &["--resume"]] {
        let refused = project.run(args);
        refused.assert_exit(2);
        assert!(refused.stderr.contains("settings.local.json changed while"), "{}", refused.stderr);
        assert!(refused.stderr.contains("--trust-settings"), "{}", refused.stderr);
    }
    assert!(!planted.exists());
    project.run(&["--trust-settings"]).assert_exit(0);
    assert!(planted.exists(), "its owner wants it");
}
