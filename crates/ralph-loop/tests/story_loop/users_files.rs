//! Uncommitted files of the user, and files written during the loop, survive every repair of the
//! runner.

use events::RunEnd;
use simulator::{Act, Mode, Scenario, When};

use crate::harness::Project;
use crate::stories::{NEEDS_REVIEW, commit, fields, story, story_at};

/// Takes everything along that lies about.
const COMMIT_ALL: &str = "git add -A && git commit -q -m all";

fn dirty(project: Project) -> Project {
    project.write("mine.txt", "committed\nin work\n");
    project.write("mine", "untracked\n");
    project.flags(["--allow-dirty"])
}

/// On disk as the user left them, and in no accepted commit.
#[track_caller]
fn assert_users(project: &Project, contents: &str) {
    assert_eq!(project.read("mine.txt"), contents);
    assert_eq!(project.read("mine"), "untracked\n");
    assert_eq!(project.git(&["status", "--porcelain"]), " M mine.txt\n?? mine".trim_start());
    assert_eq!(project.git(&["show", "HEAD:mine.txt"]), "committed");
}

#[test]
fn a_review_that_commits_them_is_none_the_worse_and_the_files_stay() {
    let edited = "echo meanwhile >> mine.txt";
    let acts = [Act::approve("fine"), Act::bash(COMMIT_ALL), Act::bash(edited)];
    let scenario = Scenario::new().rule(When::mode(Mode::Review), acts);
    let project = dirty(Project::new([story_at("US-001", NEEDS_REVIEW, 0)])).scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
    assert_eq!(run.findings(), "");
    assert!(
        run.warnings().contains("removed them from the commit: mine, mine.txt"),
        "{}",
        run.warnings()
    );
    assert_users(&project, "committed\nin work\nmeanwhile\n");
}

#[test]
fn a_review_that_changes_code_too_is_undone_without_them() {
    let acts = [Act::write("src/code.txt", "better\n"), Act::bash(COMMIT_ALL)];
    let scenario = Scenario::new().rule(When::mode(Mode::Review), acts);
    let project = dirty(Project::new([story_at("US-001", NEEDS_REVIEW, 0)])).scenario(scenario);
    let run = project.run(["-n", "1"]);
    assert!(run.findings().contains("changed src/code.txt"), "{}", run.findings());
    assert_eq!(project.read("src/code.txt"), "code\n");
    assert_users(&project, "committed\nin work\n");
}

#[test]
fn a_check_or_a_look_at_the_quality_that_commits_them_is_undone_without_them() {
    let elsewhere = format!("git checkout -q -b other && {COMMIT_ALL}");
    for command in [COMMIT_ALL, &elsewhere] {
        let check = format!("test -e checked || {{ touch checked; {command}; }}");
        let project = dirty(Project::with_checks([story("US-001")], [&*check]));
        project.write(".git/info/exclude", "checked\n");
        let acts = [Act::write("own.txt", "x"), Act::submit("done"), commit("feat")];
        let scenario = Scenario::new()
            .rule(When::mode(Mode::Implement), acts)
            .rule(When::mode(Mode::Review), [Act::approve("fine"), commit("review")])
            .rule(
                When::any().prompt_contains("# Quality check of"),
                [Act::bash(command.replace("-b other", "-b another")), Act::finish("NO WARNINGS")],
            );
        let project = project.scenario(scenario);
        let run = project.run(["--quality"]);
        run.assert_end(RunEnd::Complete);
        assert!(run.findings().contains("a check "), "{command}: {}", run.findings());
        assert!(run.warnings().contains("the quality check "), "{command}: {}", run.warnings());
        assert_eq!(project.git(&["branch", "--show-current"]), "ralph/demo");
        assert_users(&project, "committed\nin work\n");
    }
}

/// The commit that a warning names.
#[track_caller]
fn kept(warnings: &str) -> String {
    let (_, rest) = warnings.split_once("backed up as ").unwrap_or_else(|| panic!("{warnings}"));
    rest.split([':', '\n']).next().unwrap().to_owned()
}

#[test]
fn files_written_during_a_check_or_quality_check_are_kept() {
    let edits = "echo 'an hour of work' > src/code.txt";
    let check = Project::with_checks([story("US-001")], [edits]);
    let acts = [Act::bash(edits), Act::finish("NO WARNINGS")];
    let scenario = Scenario::new().rule(When::any().prompt_contains("# Quality check of"), acts);
    let quality = Project::new([story("US-001")]).flags(["--quality"]).scenario(scenario);
    for project in [check, quality] {
        let run = project.run([]);
        run.assert_end(RunEnd::Complete);
        assert_eq!(project.read("src/code.txt"), "code\n", "checks are about what is committed");
        let kept = kept(&run.warnings());
        assert_eq!(project.git(&["show", &format!("{kept}:src/code.txt")]), "an hour of work");
        let history = project.git(&["log", "--format=%H", "--", "src/code.txt"]);
        assert_eq!(history.lines().count(), 1, "and only there");
    }
}

#[test]
fn after_a_branch_switch_commits_and_files_are_kept_and_the_run_continues() {
    let in_the_way = "git checkout -q -b other; echo o > src/code.txt; git commit -qam o; \
                      echo dirty > src/code.txt";
    let detached = "git checkout -q --detach; echo dirty > src/code.txt; git commit -qam d";
    let deleted = "git checkout -q -b other; git branch -D ralph/demo; echo dirty > src/code.txt";
    for away in [in_the_way, detached, deleted] {
        let acts = [Act::bash(away), Act::finish("NO WARNINGS")];
        let scenario =
            Scenario::new().rule(When::any().prompt_contains("# Quality check of"), acts);
        let project = Project::new([story("US-001")]).flags(["--quality"]).scenario(scenario);
        let run = project.run([]);
        run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
        assert_eq!(project.git(&["branch", "--show-current"]), "ralph/demo");
        assert_eq!(project.git(&["status", "--porcelain"]), "", "{away}");
        assert_eq!(project.read("src/code.txt"), "code\n", "{away}");
        let kept = kept(&run.warnings());
        assert_eq!(project.git(&["show", &format!("{kept}:src/code.txt")]), "dirty", "{away}");
    }
}

#[test]
fn a_look_at_the_quality_that_ends_on_a_branch_without_a_commit_holds_nothing_up() {
    let acts = [Act::bash("git checkout -q --orphan lone && git rm -rfq ."), Act::finish("Done.")];
    let scenario = Scenario::new().rule(When::any().prompt_contains("# Quality check of"), acts);
    let project = Project::new([story("US-001")]).flags(["--quality"]).scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
    assert_eq!(project.git(&["status", "--porcelain", "--branch"]), "## ralph/demo");
}

#[test]
fn a_repository_within_the_project_that_is_committed_holds_nothing_up() {
    let nested = "git init -q sub && cd sub && git -c user.name=s -c user.email=s@localhost commit \
                  -q --allow-empty -m x && cd .. && git add sub && git commit -qm sub";
    let acts = [Act::bash(nested), Act::finish("NO WARNINGS")];
    let scenario = Scenario::new().rule(When::any().prompt_contains("# Quality check of"), acts);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let run = project.run(["--quality"]);
    run.assert_end(RunEnd::Complete);
    assert!(
        run.warnings().contains("left a nested git repository as it is: sub"),
        "{}",
        run.warnings()
    );
    let files = project.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
    assert!(!files.lines().any(|file| file == "sub"), "{files}");
    assert!(project.has("sub/.git"));
}
