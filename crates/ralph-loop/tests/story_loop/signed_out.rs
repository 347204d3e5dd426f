//! Agents that cannot be started: not installed, or signed out. Nothing is begun.

use predicates::str::contains;
use test_repo::assert_text;

use crate::harness::{Project, program};
use crate::outcome::Outcome;
use crate::stories::story;

/// The end of a run that finds only these programs.
#[track_caller]
fn refused(project: &Project, args: &[&str], path: &std::path::Path) -> String {
    let before = project.listing();
    let mut command = project.command(&program("ralph-loop"));
    let output = command.env("PATH", path).args(["run", "--output", "json"]).args(args).output();
    let run = Outcome::of_run(project, &output.unwrap());
    run.assert_exit(2);
    assert!(run.events.is_empty(), "{args:?}: {:?}", run.events);
    assert_eq!(project.listing(), before, "{args:?}: nothing is begun");
    run.stderr
}

#[test]
fn a_missing_agent_is_reported_with_its_install_command() {
    let project = Project::new([story("US-001")]);
    for agent in agents::Agent::ALL.iter().copied().filter(|agent| agent.has_adapter()) {
        let printed = refused(&project, &["--agent", agent.name()], &project.bin());
        assert_text(&printed, contains(format!("{agent} is not in PATH")));
        let hint = agent.installed().hint;
        assert!(!hint.is_empty() && printed.contains(&format!("hint: {hint}")), "{printed}");
        assert_text(&printed, contains("--agent-program"));
        let reviews = ["--agent-program", "/bin/sh", "--review-agent", agent.name()];
        if agent != agents::Agent::Claude {
            let printed = refused(&project, &reviews, &project.bin());
            assert_text(&printed, contains(format!("{agent} is not in PATH")));
        }
    }
    let printed = refused(&project, &["--agent", "no-such-agent"], &project.bin());
    assert_text(&printed, contains("no-such-agent is not an executable program"));
    assert_text(&printed, contains("hint: "));
}

#[test]
fn an_agent_without_a_sign_in_is_not_started() {
    let project = Project::new([story("US-001")]).installed("amp");
    let printed = refused(&project, &["--agent", "amp"], &project.bin());
    assert_text(&printed, contains("amp is not signed in"));
    assert!(printed.contains("hint: ") && printed.contains("AMP_API_KEY"), "{printed}");
}
