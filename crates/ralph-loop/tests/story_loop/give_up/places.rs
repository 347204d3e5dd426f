//! Projects that are not laid out as usual, and files that are hard to move.

use events::RunEnd;
use simulator::{Act, Mode, Scenario, When};

use super::{CHECK, ONCE, assert_rewound, branch_of, branches, failing, fails, in_commit, project};
use crate::harness::Project;
use crate::stories::{list, story};

/// A repository whose folder `app` is the project, beside another one.
fn in_sub_folder() -> Project {
    let project = Project::empty();
    let mut list = list(["US-001", "US-002"].map(story));
    list["verifyCommands"] = serde_json::json!([CHECK]);
    project.write("app/ralph/tasks.json", format!("{list:#}\n"));
    project.write("app/src/code.txt", "code\n");
    project.write("other/theirs.txt", "theirs\n");
    project.repository();
    project.flags(["--project-dir", "app"]).flags(ONCE)
}

#[test]
fn a_project_in_a_folder_of_its_repository() {
    let acts = [
        Act::append("src/code.txt", "half\n"),
        Act::bash("echo changed >../other/theirs.txt; echo new >../other/new.txt"),
    ];
    let claim = [
        Act::write("broken", "x"),
        Act::submit("it works"),
        Act::bash("git add -A .. && git commit -q -m 'feat: broken'"),
    ];
    let rule = When::mode(Mode::Implement).story("US-001");
    let scenario = Scenario::new().rule(rule, acts.into_iter().chain(claim));
    let project = in_sub_folder().scenario(scenario);
    let output = project.run(["--output", "json"]);
    assert_eq!(output.code, Some(1), "{}", output.stderr);
    let branch = branch_of(&output, "US-001");
    assert_eq!(in_commit(&project, &branch, "app/broken"), "x");
    assert_eq!(in_commit(&project, &branch, "other/new.txt"), "new");
    let diagnostics = in_commit(&project, &branch, "app/ralph/failure-US-001.md");
    assert!(diagnostics.contains("tests"), "{diagnostics}");
    assert_eq!(project.read("app/src/code.txt"), "code\n");
    assert_eq!(project.read("other/theirs.txt"), "theirs\n");
    assert!(!project.has("app/broken") && !project.has("other/new.txt"));
    assert!(project.has("app/work/US-002.txt"));
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_ralph_folder_with_another_name() {
    let project = project(["US-001", "US-002"].map(story)).scenario(fails("US-001", []));
    project.git(&["mv", "ralph", "plan"]);
    test_repo::commit_all(&project.path());
    let run = project.run(["--ralph-dir", "plan"]);
    run.assert_end(RunEnd::StoriesFailed);
    let diagnostics = in_commit(&project, &branch_of(&run, "US-001"), "plan/failure-US-001.md");
    assert!(diagnostics.contains("test ! -e broken"), "{diagnostics}");
    assert!(!project.has("broken") && project.has("work/US-002.txt"));
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_task_list_that_git_ignores() {
    let project = project(["US-001", "US-002"].map(story)).scenario(fails("US-001", []));
    project.write(".gitignore", format!("{}ralph/\n", project.read(".gitignore")));
    project.git(&["rm", "-r", "-q", "--cached", "ralph"]);
    test_repo::commit_all(&project.path());
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_rewound(&run, "US-001");
    assert_eq!(project.story("US-002")["passes"], true);
    assert_eq!(project.story("US-001")["reviewStatus"], serde_json::json!(null));
    assert_eq!(project.git(&["ls-files", "ralph"]), "", "it is not tracked all of a sudden");
}

#[test]
#[cfg(unix)]
fn names_and_modes_that_are_hard_to_handle() {
    let project = project([story("US-001")]);
    let odd =
        ["-dash", "two words.txt", "ü.txt", "new\nline", "tab\there", "'quote\"s'", ":(top)x"];
    for name in odd {
        project.write(name, "before\n");
    }
    project.write("read-only.txt", "before\n");
    project.write("folder/inside.txt", "before\n");
    std::os::unix::fs::symlink("src/code.txt", project.path().join("link")).unwrap();
    test_repo::commit_all(&project.path());
    let before = project.listing();
    let acts = [
        Act::bash(
            "for f in ./*; do [ -f \"$f\" ] && [ ! -L \"$f\" ] && echo after >>\"$f\"; done; true",
        ),
        Act::bash("rm link && ln -s broken link; chmod +x src/code.txt; chmod a-w read-only.txt"),
        Act::bash("rm -r folder && echo file >folder; mkdir 'new dir' && echo n >'new dir/-n\n'"),
        Act::bash("chmod a-w 'new dir'/*"),
    ];
    let project = project.scenario(fails("US-001", acts));
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_rewound(&run, "US-001");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    let changed: Vec<_> = without_run(&project.listing(), &project);
    assert_eq!(changed, without_run(&before, &project));
    assert_eq!(
        std::fs::read_link(project.path().join("link")).unwrap().to_str(),
        Some("src/code.txt")
    );
}

type Files = Vec<(std::path::PathBuf, Vec<u8>)>;

/// Files outside of the loop.
fn without_run(files: &Files, project: &Project) -> Files {
    let own = ["ralph", ".ralph"].map(|name| project.path().join(name));
    let theirs = files.iter().filter(|(path, _)| !own.iter().any(|own| path.starts_with(own)));
    theirs.cloned().collect()
}

/// Another branch is checked out between two runs.
#[test]
fn a_branch_that_is_not_checked_out() {
    let project = project(["US-001", "US-002"].map(story));
    let rule = When::mode(Mode::Implement).story("US-001");
    let beginning = [Act::write("first.txt", "1"), Act::commit("feat: a beginning")];
    let scenario = Scenario::new()
        .rule(rule.clone().visit(1), beginning)
        .rule(rule, failing([Act::write("second.txt", "2")]));
    let project = project.scenario(scenario);
    project.run(["-n", "1"]).assert_end(RunEnd::IterationsUsed);
    project.git(&["switch", "-q", "main"]);
    let main = project.head();
    let run = project.run(["--resume", "-n", "9"]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_eq!(project.git(&["symbolic-ref", "--short", "HEAD"]), "ralph/demo");
    assert_eq!(project.git(&["rev-parse", "main"]), main);
    let branch = branch_of(&run, "US-001");
    assert_eq!(branches(&project), [branch.as_str()]);
    in_commit(&project, &branch, "first.txt");
    in_commit(&project, &branch, "second.txt");
    assert!(!project.has("first.txt") && !project.has("second.txt"));
}

/// The agent leaves the run's branch, and its work with it.
#[test]
fn a_branch_that_the_agent_switched_away_from() {
    let acts = [Act::bash("git switch -q -c own"), Act::write("own.txt", "o"), Act::commit("own")];
    let project = project(["US-001", "US-002"].map(story));
    let project = project.scenario(fails("US-001", acts));
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_eq!(project.git(&["symbolic-ref", "--short", "HEAD"]), "ralph/demo");
    assert_eq!(project.git(&["show", "own:own.txt"]), "o", "its own branch stays");
    assert!(!project.has("own.txt") && !project.has("broken"));
    assert_eq!(project.story("US-002")["passes"], true);
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}
