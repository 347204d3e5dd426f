//! The user's own uncommitted files in a run that goes well.

use events::RunEnd;
use simulator::{Act, Mode, Scenario, When};

use crate::cheating::assert_users_files;
use crate::harness::Project;
use crate::stories::{commit, story};

#[test]
fn a_whole_run_leaves_them_alone() {
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement), [Act::write("a.txt", "a"), Act::submit("done")])
        .rule(When::mode(Mode::Review), [Act::approve("fine"), commit("review")]);
    let project = Project::with_checks([story("US-001")], ["test -f a.txt"]).scenario(scenario);
    project.write("mine.txt", "mine, not committed\n");
    project.write("mine/new.txt", "mine, unknown to git\n");
    let run = project.run(["--allow-dirty"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.findings(), "");
    assert_users_files(&project);
}
