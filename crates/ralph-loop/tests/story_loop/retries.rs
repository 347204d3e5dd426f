//! Sessions that fail for no fault of the story.

use events::{IterationStatus, RunEnd};
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};

use crate::harness::Project;
use crate::stories::{fields, story};

fn overloaded() -> Act {
    Act::ApiError { status: 529, message: "Overloaded".into() }
}

#[test]
fn each_kind_of_failure_is_tried_again_and_costs_no_iteration() {
    for trouble in [Act::Empty, Act::Crash { exit_code: 7 }, Act::Abort, overloaded()] {
        let first = When::mode(Mode::Implement).visit(1);
        let scenario = Scenario::new().rule(first, [trouble.clone()]);
        let project = Project::new([story("US-001")]).scenario(scenario);
        let run = project.run(["--retry-wait", "1ms"]);
        run.assert_end(RunEnd::Complete);
        assert_eq!(
            run.assignments(),
            ["implement US-001", "implement US-001", "review US-001"],
            "{trouble:?}"
        );
        assert_eq!(run.statuses()[0], IterationStatus::Retried, "{trouble:?}");
        assert_eq!(project.state()["counters"]["iterations"], 2, "{trouble:?}");
        assert!(run.folder(2).ends_with("001-implement-US-001-try2"), "{trouble:?}");
    }
}

#[test]
fn past_the_retries_the_agent_has_failed() {
    let scenario = Scenario::new().otherwise([Act::Crash { exit_code: 7 }]);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let run = project.run(["--retries", "2", "--retry-wait", "1ms"]);
    run.assert_end(RunEnd::AgentFailed);
    assert_eq!(run.assignments().len(), 3, "the first try and two more");
    run.assert_fields("US-001", &fields(false, json!(null), 0, ""));
    run.assert_event("ended with exit code 7");
}

#[test]
fn a_session_that_dies_after_its_work_is_not_worked_again() {
    let first = When::mode(Mode::Implement).visit(1);
    let acts = [Act::submit("done"), Act::commit("feat"), Act::Crash { exit_code: 1 }];
    let project = Project::new([story("US-001")]).scenario(Scenario::new().rule(first, acts));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.assignments(), ["implement US-001", "review US-001"]);
}

#[test]
fn a_hanging_session_is_ended_and_reported() {
    let first = When::mode(Mode::Implement).visit(1);
    let scenario = Scenario::new()
        .rule(first, [Act::write("half.txt", "half"), Act::Hang { ignores_signals: false }])
        .otherwise([Act::finish("Later.")]);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let run = project.run(["--iteration-timeout", "3s", "-n", "2"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(run.statuses(), [IterationStatus::TimedOut, IterationStatus::NoProgress]);
    assert!(run.prompt(2).contains("exceeded its time limit"), "{}", run.prompt(2));
    assert_eq!(project.git(&["show", "HEAD:half.txt"]), "half");
}
