//! One project, one runner.

use events::LoopEvent;
use predicates::str::contains;
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::harness::Project;

#[test]
fn the_second_is_refused_with_the_pid_of_the_first_which_continues() {
    let project = Project::new(1, &[]);
    let gate = project.beside("go-on");
    let wait = format!("while [ ! -e '{}' ]; do sleep 0.01; done", gate.display());
    let patient = [Act::bash(wait), Act::submit("done"), Act::commit("work"), Act::finish("ok")];
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement), patient));
    let mut first = project.start(&[]);
    first.wait_for("a tool", |event| matches!(event, LoopEvent::ToolStarted { .. }));
    let marker = std::fs::read(project.layout().marker()).unwrap();

    for args in [&[][..], &["--fresh"], &["--resume"]] {
        let second = project.run(args);
        second.assert_exit(2);
        assert!(second.events.is_empty(), "{:#?}", second.events);
        let named = format!("another ralph-loop is running here (pid {})", first.pid());
        assert_text(&second.stderr, contains(&named));
        assert_text(&second.stderr, contains("hint: "));
    }

    assert_eq!(std::fs::read(project.layout().marker()).unwrap(), marker);
    std::fs::write(gate, "").unwrap();
    first.finish().assert_exit(0);
    project.assert_complete();
}
