//! Files whose names are not UTF-8: a project that has them works as any other.

use events::{LoopEvent, RunEnd};
use simulator::{Act, Mode, Scenario, When};

use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::{commit, story};

const CHECK: &str = "test ! -f broken && cat caf*.txt";

/// In a shell, and as the runner shows it.
const NAME: &str = "\"$(printf 'caf\\351.txt')\"";
const SHOWN: &str = "caf\\351.txt";

/// One such file is tracked, one ignored, and one the user has not committed.
fn project() -> Project {
    let project =
        Project::with_checks([story("US-001")], [CHECK]).flags(["--allow-dirty", "--handoffs"]);
    project.write(".gitignore", project.read(".gitignore") + "ignored*\n");
    write(&project, SHOWN, "tracked\n");
    test_repo::commit_all(&project.path());
    write(&project, "ignored\\351", "ignored\n");
    write(&project, "mine/\\351", "not committed\n");
    project
}

fn write(project: &Project, name: &str, text: &str) {
    let path = vcs::on_disk(&project.path(), name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn read(project: &Project, name: &str) -> Option<String> {
    std::fs::read_to_string(vcs::on_disk(&project.path(), name)).ok()
}

#[track_caller]
fn users_files_are_as_they_were(project: &Project) {
    assert_eq!(read(project, "ignored\\351").as_deref(), Some("ignored\n"));
    assert_eq!(read(project, "mine/\\351").as_deref(), Some("not committed\n"));
    let status = project.git(&["status", "--porcelain", "-uall"]);
    assert_eq!(status, "?? \"mine/\\351\"", "the others are committed");
}

fn report(run: &Outcome<'_>) -> String {
    let report = run.project.call(&["report", "--format", "html", "--out", "-"]).stdout;
    let text = run.project.call(&["report"]).stdout;
    String::from_utf8([report, text].concat()).unwrap()
}

/// Changes the tracked file and makes another one.
fn works() -> [Act; 3] {
    [
        Act::bash(format!("echo changed > {NAME} && echo new > \"$(printf 'new\\351')\"")),
        Act::submit("done"),
        commit("feat: US-001"),
    ]
}

fn fails() -> Vec<Act> {
    [Act::write("broken", "x")].into_iter().chain(works()).collect()
}

#[test]
fn work_on_them_is_done_and_shown() {
    let scenario = Scenario::new().rule(When::mode(Mode::Implement), works());
    let project = project().scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(read(&project, SHOWN).as_deref(), Some("changed\n"));
    users_files_are_as_they_were(&project);
    let report = report(&run);
    assert!(report.contains(SHOWN) && report.contains("new\\351"), "{report}");
}

/// The runner commits the work of a session.
#[test]
fn work_that_the_session_did_not_commit_is_kept() {
    let acts = works().into_iter().take(2);
    let project = project().scenario(Scenario::new().rule(When::mode(Mode::Implement), acts));
    project.run([]).assert_end(RunEnd::Complete);
    users_files_are_as_they_were(&project);
    let tracked = project.git(&["ls-files"]);
    assert!(tracked.contains("\"new\\351\""), "{tracked}");
}

#[test]
fn a_failed_iteration_is_rolled_back() {
    let scenario = Scenario::new().rule(When::mode(Mode::Implement).visit(1), fails());
    let project = project().flags(["--rollback"]).scenario(scenario);
    let run = project.run(["-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(read(&project, SHOWN).as_deref(), Some("tracked\n"));
    assert_eq!(read(&project, "new\\351"), None);
    users_files_are_as_they_were(&project);
    let left = run.events.iter().find_map(|event| match event {
        LoopEvent::RolledBack(events::RolledBack { left, .. }) => Some(left),
        _ => None,
    });
    assert_eq!(left.unwrap(), &[""; 0], "{:#?}", run.events);
}

#[test]
fn a_failed_story_is_given_up_with_them() {
    let scenario = Scenario::new().rule(When::mode(Mode::Implement), fails());
    let project = project().flags(["--max-attempts", "1"]).scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_eq!(read(&project, SHOWN).as_deref(), Some("tracked\n"), "{:#?}", run.events);
    assert_eq!(read(&project, "new\\351"), None);
    users_files_are_as_they_were(&project);
    let branch = run.events.iter().find_map(|event| match event {
        LoopEvent::StoryGivenUp { given_up, .. } => given_up.branch.clone(),
        _ => None,
    });
    let kept = project.git(&["ls-tree", "--name-only", &branch.unwrap()]);
    assert!(kept.contains("\"new\\351\""), "{kept}");
}

/// A review may not change them, and what a check leaves of them goes.
#[test]
fn other_changes_are_reverted() {
    let review = [
        Act::bash(format!("echo review > {NAME}")),
        Act::approve("good"),
        commit("review: approved"),
    ];
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement), works())
        .rule(When::mode(Mode::Review).visit(1), review);
    let project = project().scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert!(run.findings().contains(SHOWN), "{}", run.findings());
    assert_eq!(read(&project, SHOWN).as_deref(), Some("changed\n"));
    users_files_are_as_they_were(&project);
}

/// Agents could not work there.
#[test]
fn a_project_in_such_a_folder_is_refused_before_anything_begins() {
    let project = Project::new([story("US-001")]);
    let folder = vcs::on_disk(&project.path(), "apps\\351");
    std::fs::create_dir(&folder).unwrap();
    for command in ["run", "status", "doctor"] {
        let program = crate::harness::program("ralph-loop");
        let output = project.command(&program).current_dir(&folder).arg(command).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{command}: {printed}");
        assert!(printed.contains("the path is not UTF-8"), "{command}: {printed}");
    }
}
