//! A session that takes permissions away, so that the run ends before it is judged.

use events::{LoopEvent, RunEnd};
use simulator::{Act, Mode, Scenario, When};
use tasks::ReviewStatus;

use crate::harness::{Project, Unprivileged};

/// The story as an approved one.
const APPROVE: &str = r#"sed -i 's/"passes": false/"passes": true/; s/"reviewStatus": [^,]*/"reviewStatus": "approved"/;
    s/"reviewCount": 0/"reviewCount": 1/' ralph/tasks.json; git commit -qam 'review: approved'"#;

/// Runs one session that approves itself and then does `script`. Nothing where permissions mean nothing.
fn attacked(script: &str) -> Option<()> {
    let mut project = Project::new(1, &["true"]);
    let attack = Act::bash(format!("{APPROVE}; {script}"));
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement).visit(1), [attack]));
    let mut unprivileged = Unprivileged::of(&mut project)?;
    let run = project.run(&["-n", "1"]);
    run.assert_exit(1);
    unprivileged.give_back(&mut project);
    run.assert_event("what is given back", |event| {
        matches!(event, LoopEvent::Warning { text } if text.starts_with("the owner's permissions"))
    });
    run.assert_event("what is taken back", |event| {
        matches!(event, LoopEvent::ChangesReverted { .. })
    });
    // The state of the run is written before the session is judged.
    let unwritten = run
        .count(|event| matches!(event, LoopEvent::Warning { text } if text.contains("state.json")));
    assert_eq!(unwritten, 0, "{script}");
    run.assert_event("the end", |event| {
        matches!(event, LoopEvent::RunEnded(events::RunEnded { end: RunEnd::IterationsUsed, .. }))
    });
    let story = &project.list().stories[0];
    assert_eq!((story.passes, story.review_status), (false, ReviewStatus::NotSubmitted));
    Some(())
}

#[test]
fn folders_that_the_runner_writes_to_are_the_users_again() {
    for script in [
        "chmod 555 ralph",
        "chmod 555 .ralph .ralph/runs/*/ .ralph/runs/*/*/",
        "chmod 555 .git .git/objects .git/refs .git/refs/heads",
    ] {
        if attacked(script).is_none() {
            return;
        }
    }
}

#[test]
fn files_and_folders_of_the_work_are_the_users_again() {
    attacked("mkdir -p new/deep; echo x > new/deep/file; chmod 0 new/deep/file; chmod 0 new");
    attacked("mkdir -p new; echo x > new/file; chmod 555 .git/objects/*; chmod 0 new/file");
}
