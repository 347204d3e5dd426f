//! Commits and branches: whatever an agent does to them, nothing is lost.

use events::{IterationStatus, LoopEvent, RunEnd};
use predicates::str::contains;
use serde_json::Value;
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::cheating::{Cheat, assert_users_files};
use crate::harness::Project;
use crate::stories::{NEEDS_REVIEW, approval, commit, fields, set, story, story_at};

fn first(acts: impl IntoIterator<Item = Act>) -> Scenario {
    let when = When::mode(Mode::Implement).iteration(1);
    Scenario::new().rule(when, acts).otherwise([Act::finish("Nothing more.")])
}

#[test]
fn work_that_is_not_committed_is_kept_under_a_commit_of_the_runner() {
    let acts = [
        Act::write("src/new.txt", "new\n"),
        Act::bash("rm src/code.txt; mkdir -p deep/er; echo x > 'deep/er/ü name'"),
        Act::submit("not committed"),
    ];
    let project = Project::new([story("US-001")]).scenario(first(acts));
    project.write("mine.txt", "mine, not committed\n");
    project.write("mine/new.txt", "mine, unknown to git\n");
    let run = project.run(["-n", "1", "--allow-dirty"]);
    assert_eq!(run.statuses(), [IterationStatus::Accepted]);
    assert_eq!(
        project.log()[0],
        "ralph: commit the uncommitted work of iteration 1 (implement of US-001)"
    );
    let kept = run.events.iter().find_map(|event| match event {
        LoopEvent::WorkCommitted { paths, .. } => Some(paths.clone()),
        _ => None,
    });
    let mut kept = kept.unwrap();
    kept.sort();
    assert_eq!(kept, ["deep/er/ü name", "ralph/tasks.json", "src/code.txt", "src/new.txt"]);
    assert_eq!(project.git(&["show", "HEAD:src/new.txt"]), "new");
    assert_users_files(&project);
    run.assert_fields("US-001", &fields(false, NEEDS_REVIEW, 0, ""));
}

#[test]
fn commits_from_before_stay_in_the_history_whatever_is_amended_or_reset() {
    for rewrite in [
        "git add -A . ':!mine.txt' ':!mine' && git commit -q --amend -m rewritten",
        "git reset -q --soft HEAD~1",
        "git checkout -q --orphan fresh && git commit -q -m orphan && git branch -q -M ralph/demo",
    ] {
        let acts = [Act::write("new.txt", "new"), Act::submit("done"), Act::bash(rewrite)];
        let project = Project::new([story("US-001")]).scenario(first(acts));
        project.write("src/code.txt", "second version\n");
        test_repo::commit_all(&project.path());
        let before = project.head();
        project.write("mine.txt", "mine, not committed\n");
        project.write("mine/new.txt", "mine, unknown to git\n");
        let run = project.run(["-n", "1", "--allow-dirty"]);
        run.assert_end(RunEnd::IterationsUsed);
        project.git(&["merge-base", "--is-ancestor", &before, "HEAD"]);
        assert!(run.warnings().contains("rewrote commits"), "{rewrite}: {}", run.warnings());
        assert_eq!(project.git(&["branch", "--show-current"]), "ralph/demo", "{rewrite}");
        assert_eq!(project.read("new.txt"), "new", "{rewrite}");
        assert_users_files(&project);
        run.assert_fields("US-001", &fields(false, NEEDS_REVIEW, 0, ""));
    }
}

#[test]
fn a_hard_reset_takes_no_approval_with_it() {
    let project = Project::new([story("US-001"), story("US-002")]);
    project.run(["-n", "2"]).assert_fields("US-001", &fields(true, "approved", 1, ""));
    let before = project.head();
    let project = project.scenario(
        Scenario::new()
            .rule(When::any().story("US-002"), [Act::bash("git reset -q --hard HEAD~2")])
            .otherwise([Act::finish("Nothing more.")]),
    );
    let run = project.run(["--resume", "-n", "3"]);
    assert_eq!(run.statuses(), [IterationStatus::NoProgress], "{:#?}", run.events);
    assert!(run.warnings().contains("rewrote commits"), "{}", run.warnings());
    run.assert_fields("US-001", &fields(true, "approved", 1, ""));
    project.git(&["merge-base", "--is-ancestor", &before, "HEAD"]);
    assert_eq!(project.read("work/US-001.txt").lines().count(), 4, "its code is back");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn an_agent_that_changes_the_branch_is_brought_back() {
    let acts = [
        Act::bash("git switch -q -c elsewhere"),
        Act::write("new.txt", "new"),
        Act::submit("done"),
        commit("elsewhere"),
    ];
    let project = Project::new([story("US-001")]).scenario(first(acts));
    project.write("mine.txt", "mine, not committed\n");
    project.write("mine/new.txt", "mine, unknown to git\n");
    let run = project.run(["-n", "2", "--allow-dirty"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(project.git(&["branch", "--show-current"]), "ralph/demo");
    assert!(run.warnings().contains("ended on elsewhere"), "{}", run.warnings());
    assert_eq!(project.git(&["show", "elsewhere:new.txt"]), "new");
    let backup = project.git(&["for-each-ref", "--format=%(refname)", "refs/ralph"]);
    assert_eq!(project.git(&["show", &format!("{backup}:new.txt")]), "new");
    run.assert_fields("US-001", &fields(false, Value::Null, 0, ""));
    assert_users_files(&project);
}

#[test]
fn an_agent_that_detaches_the_head_is_brought_back() {
    let acts = [Act::bash("git checkout -q --detach"), Act::write("new.txt", "new"), commit("x")];
    let project = Project::new([story("US-001")]).scenario(first(acts));
    let run = project.run(["-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(project.git(&["branch", "--show-current"]), "ralph/demo");
    let backup = project.git(&["for-each-ref", "--format=%(refname)", "refs/ralph"]);
    assert_eq!(project.git(&["show", &format!("{backup}:new.txt")]), "new");
}

#[test]
fn a_cheat_that_outlasts_the_guard_is_undone_all_the_same() {
    let acts = [Act::write("work.txt", "work"), approval("US-001"), commit("approved by myself")];
    let project = Project::new([story("US-001")]).scenario(first(acts));
    let run = project.run(["-n", "1"]);
    let blocks = run.events.iter().filter(|event| {
        matches!(event, LoopEvent::HookAnswered { answer: events::HookAnswerKind::Blocked, .. })
    });
    assert_eq!(blocks.count(), 6);
    assert_eq!(run.statuses(), [IterationStatus::Reverted]);
    run.assert_fields("US-001", &fields(false, Value::Null, 0, ""));
    assert!(project.log().contains(&"approved by myself".to_owned()), "what it did is on record");
}

#[test]
fn a_cheat_by_an_agent_that_crashes_is_undone_too() {
    let cheat = [approval("US-001"), commit("feat"), Act::Crash { exit_code: 1 }];
    let project = Cheat::in_mode(Mode::Implement, [story("US-001")])
        .does(cheat)
        .for_what("implement iterations cannot set passes=true");
    assert_eq!(project.fields("US-001"), fields(false, Value::Null, 0, ""));
}

#[test]
fn a_review_on_another_branch_approves_nothing() {
    let acts = [
        Act::bash("git switch -q -c elsewhere"),
        Act::approve("fine"),
        Act::write("src/code.txt", "x"),
        commit("elsewhere"),
    ];
    let scenario = Scenario::new().rule(When::mode(Mode::Review).iteration(1), acts);
    let project = Project::new([story_at("US-001", NEEDS_REVIEW, 0)]).scenario(scenario);
    let run = project.run(["-n", "1"]);
    run.assert_fields("US-001", &fields(false, NEEDS_REVIEW, 0, ""));
    assert_eq!(project.read("src/code.txt"), "code\n");
}

#[test]
fn an_operation_that_is_left_in_progress_is_ended_with_nothing_lost() {
    let acts = [
        Act::write("src/code.txt", "one"),
        Act::bash("git add -A; git commit -qm one; git switch -qc other HEAD~1"),
        Act::write("src/code.txt", "two"),
        Act::bash("git add -A; git commit -qm two; git switch -q ralph/demo; git merge -q other"),
    ];
    let project = Project::new([story("US-001")]).scenario(first(acts));
    let run = project.run(["-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert!(run.warnings().contains("left an unfinished merge"), "{}", run.warnings());
    let conflict = project.read("src/code.txt");
    assert!(conflict.contains("one") && conflict.contains("two"), "{conflict}");
    assert_eq!(project.git(&["status", "--porcelain"]), "", "kept by the runner");
    assert_eq!(project.git(&["log", "-1", "--format=%s", "other"]), "two");
}

#[test]
fn an_unfinished_git_operation_is_ended_and_the_run_continues() {
    let acts = [
        Act::bash("git switch -qc other; echo two > src/code.txt; git commit -qam two"),
        Act::bash("git switch -q ralph/demo; echo one > src/code.txt; git commit -qam one"),
        Act::bash("git format-patch -1 other --stdout | git am -3; true"),
    ];
    let project = Project::new([story("US-001")]).scenario(first(acts));
    let run = project.run(["-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert!(run.warnings().contains("patches (git am); ended it"), "{}", run.warnings());
    assert!(!project.has(".git/rebase-apply"));
}

#[test]
fn a_sparse_checkout_of_a_session_deletes_nothing() {
    let acts = [Act::bash("git sparse-checkout set ralph"), Act::submit("done"), commit("done")];
    let project = Project::new([story("US-001")]).scenario(first(acts));
    let run = project.run(["-n", "1"]);
    assert_eq!(run.statuses(), [IterationStatus::Reverted]);
    assert!(run.findings().contains("src/code.txt: hidden from git"), "{}", run.findings());
    assert!(run.findings().contains(".git/info/sparse-checkout"), "{}", run.findings());
    assert_eq!(project.read("src/code.txt"), "code\n");
    assert_eq!(project.git(&["show", "HEAD:src/code.txt"]), "code");
}

#[test]
fn a_branch_that_was_renamed_into_its_own_way_is_made_again() {
    let acts = [
        Act::bash("git branch -m ralph/demo ralph"),
        Act::write("src/new.txt", "new\n"),
        Act::submit("done"),
        commit("done"),
    ];
    let project = Project::new([story("US-001")]).scenario(first(acts));
    let run = project.run(["-n", "1"]);
    assert_eq!(run.statuses(), [IterationStatus::Accepted]);
    assert!(run.warnings().contains("branch ralph blocked ralph/demo"), "{:?}", run.warnings());
    assert_eq!(project.git(&["branch", "--show-current"]), "ralph/demo");
    assert_eq!(project.git(&["show", "HEAD:src/new.txt"]), "new");
}

#[test]
fn your_files_that_block_the_branch_are_kept_and_a_hint_is_printed() {
    for (yours, way_out) in [
        (&["branch", "ralph"][..], "git branch -m"),
        (&["worktree", "add", "-q", "-b", "ralph/demo", ".git/wt"], "git switch --detach"),
    ] {
        let project = Project::new([story("US-001")]);
        project.git(yours);
        let run = project.run([]);
        run.assert_exit(5);
        assert_text(&run.stderr, contains(way_out));
        assert_eq!(project.git(&["branch", "--show-current"]), "main");
    }
}

#[test]
fn a_work_tree_on_the_runs_branch_does_not_keep_the_run_from_it() {
    let acts = [
        Act::submit("done"),
        commit("done"),
        Act::bash("git switch -qc side; git worktree add -q .git/wt ralph/demo"),
    ];
    let project = Project::new([story("US-001")]).scenario(first(acts));
    let run = project.run(["-n", "1"]);
    assert_eq!(run.statuses(), [IterationStatus::Accepted]);
    assert!(run.warnings().contains("also has ralph/demo checked out"), "{}", run.warnings());
    assert_eq!(project.git(&["branch", "--show-current"]), "ralph/demo");
}

#[test]
fn a_nested_repository_is_unchanged() {
    let acts = [
        Act::bash(
            "git init -q sub && cd sub && echo x > x && git add x && \
                   git -c user.name=s -c user.email=s@localhost commit -qm x",
        ),
        Act::submit("done"),
    ];
    let review = [Act::approve("fine"), Act::bash("git commit -qam review")];
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement), acts)
        .rule(When::mode(Mode::Review), review);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let run = project.run(["-n", "2"]);
    run.assert_end(RunEnd::Complete);
    assert!(run.warnings().contains("left alone: sub/"), "{}", run.warnings());
    assert!(project.has("sub/x"));
}

#[test]
fn an_agent_that_cleans_everything_away_is_judged_all_the_same() {
    for clean in ["git clean -fdxq", "rm -rf .ralph"] {
        let acts = [
            set("US-001", [("passes", true.into()), ("reviewStatus", "approved".into())]),
            set("US-001", [("reviewCount", 1.into()), ("notes", "me".into())]),
            commit("done"),
            Act::bash(clean),
        ];
        let project = Project::new([story("US-001")]).scenario(first(acts));
        let run = project.run(["-n", "1"]);
        run.assert_end(RunEnd::IterationsUsed);
        assert_eq!(run.statuses(), [IterationStatus::Reverted], "{clean}");
        assert!(run.warnings().contains("created it again"), "the lock too: {}", run.warnings());
        run.assert_fields("US-001", &fields(false, serde_json::Value::Null, 0, ""));
    }
}

#[test]
fn a_run_whose_state_was_taken_away_is_not_believed() {
    let project = Project::new([story("US-001")]);
    project.run(["-n", "1"]);
    // As an agent leaves it that removed the state and killed the runner.
    project.write(".ralph-active", r#"{"runId":"20260101-000000-dead","pid":1}"#);
    std::fs::remove_file(project.path().join(".ralph/state.json")).unwrap();
    let run = project.run([]);
    run.assert_exit(2);
    assert_text(&run.stderr, contains("its last iteration was not judged"));
    project.run(["--fresh"]).assert_end(RunEnd::Complete);
}

#[test]
fn work_that_was_left_on_another_branch_is_kept_on_the_runs_own() {
    let acts = [
        Act::bash("git checkout -q -b elsewhere"),
        Act::write("src/new.txt", "left"),
        Act::finish("Done."),
    ];
    let project = Project::new([story("US-001")]).scenario(first(acts));
    let run = project.run(["-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(project.git(&["branch", "--show-current"]), "ralph/demo");
    assert_eq!(project.read("src/new.txt"), "left");
    assert!(
        project.git(&["log", "-1", "--format=%s"]).starts_with("ralph: commit the uncommitted")
    );
    assert!(
        !project
            .git(&["log", "-1", "--format=%s", "elsewhere"])
            .starts_with("ralph: commit the uncommitted")
    );
}

#[test]
fn a_resumed_run_stays_on_its_branch() {
    let project = Project::new([story("US-001")]);
    project.run(["-n", "1"]);
    let mut tasks = project.tasks();
    tasks["branchName"] = "main".into();
    project.write("ralph/tasks.json", format!("{tasks:#}\n"));
    test_repo::commit_all(&project.path());
    let run = project.run(["--resume", "-n", "2"]);
    assert!(run.warnings().contains("stays on"), "{}", run.warnings());
    assert_eq!(project.git(&["branch", "--show-current"]), "ralph/demo");
}

#[test]
fn a_filter_that_only_git_knows_of_does_not_change_what_is_committed() {
    let filter = "echo 'code.txt filter=z' >.git/info/attributes; \
                  git config filter.z.clean 'echo bad; cat >/dev/null'";
    let acts = [
        Act::bash(filter),
        Act::write("code.txt", "good\n"),
        Act::submit("done"),
        Act::commit("feat: something else"),
    ];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement), acts);
    let check = "test \"$(git show HEAD:code.txt)\" = \"$(cat code.txt)\"";
    let project = Project::with_checks([story("US-001")], [check]).scenario(scenario);
    let run = project.run(["-n", "1"]);
    assert_eq!(run.statuses(), [IterationStatus::Reverted]);
    assert!(run.findings().contains(".git/info/attributes"), "{}", run.findings());
    assert_eq!(project.git(&["show", "HEAD:code.txt"]), project.read("code.txt").trim());
}

#[test]
fn a_submodule_with_changes_does_not_block_the_run() {
    let project = Project::with_checks([story("US-001")], ["true", "true"]);
    let other = project.path().with_file_name("other");
    std::fs::create_dir(&other).unwrap();
    test_repo::init(&other);
    std::fs::write(other.join("file"), "x").unwrap();
    test_repo::commit_all(&other);
    let allow = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"];
    project.git(&[&allow[..], &[other.to_str().unwrap(), "sm"]].concat());
    test_repo::commit_all(&project.path());
    let acts = [Act::write("sm/left.txt", "x"), Act::submit("done"), Act::commit("feat: done")];
    let project = project.scenario(Scenario::new().rule(When::mode(Mode::Implement), acts));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(std::fs::read_to_string(project.path().join("sm/left.txt")).unwrap(), "x");
}
