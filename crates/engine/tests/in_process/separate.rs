//! Runs in a clone: the user's work tree stays as it is, and approved work is merged into the run's branch.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use events::{LoopEvent, RunEnd, StopSignal, StoryCommits};
use serde_json::Value;
use tasks::ReviewStatus;

use crate::in_process::agent;
use crate::in_process::processes::PlayedProcesses;
use crate::in_process::project::{BRANCH, Project, id, story};
use crate::options::RollbackOptions;
use crate::{LaneFolderState, LaneOptions, LoopResult, RunError, lane_folders};

struct Separate {
    project: Project,
    lanes: assert_fs::TempDir,
    other: assert_fs::TempDir,
}

impl Separate {
    /// On `main`, with the run's branch elsewhere.
    fn new(stories: &[Value], checks: &[&str]) -> Self {
        let lanes = assert_fs::TempDir::new().unwrap();
        let mut project = Project::with(stories, checks);
        project.git(&["switch", "-q", "main"]);
        project.options.lanes = Some(LaneOptions {
            dir: lanes.path().to_path_buf(),
            jobs: 1,
            setup: Vec::new(),
            first_port: 20_000,
            sessions: None,
            checks: None,
        });
        Self { project, lanes, other: assert_fs::TempDir::new().unwrap() }
    }

    fn clone_folder(&self) -> PathBuf {
        let mut runs = std::fs::read_dir(self.lanes.path()).unwrap();
        runs.next().unwrap().unwrap().path().join("1")
    }

    /// The agent in the clone.
    fn agent(&self) -> Project {
        self.project.in_clone(self.clone_folder())
    }

    fn work(&self) -> String {
        agent::work(&self.agent(), true)
    }

    fn finished(&self, session: impl FnMut(&str) -> String + Send) -> RunEnd {
        let finished = self.project.finished(session);
        assert!(finished.error.is_none(), "{:?}", finished.error);
        finished.end
    }

    /// Stories that were merged, with the commit.
    fn merged(&self) -> Vec<(String, String)> {
        let merged = |event| match event {
            LoopEvent::StoryMerged { story, commit, .. } => Some((story.to_string(), commit)),
            _ => None,
        };
        self.project.events.all().into_iter().filter_map(merged).collect()
    }

    fn git(&self, args: &[&str]) -> String {
        self.project.git(args)
    }

    /// A file on the run's branch.
    fn shown(&self, name: &str) -> String {
        self.git(&["show", &format!("{BRANCH}:{name}")])
    }
}

#[test]
fn approved_work_is_merged_and_the_users_work_tree_is_untouched() {
    let run = Separate::new(&[story("US-1"), story("US-2")], &["pass"]);
    run.project.write("src/mine.rs", "not committed");
    let before = (run.git(&["rev-parse", "main"]), run.git(&["status", "--porcelain"]));
    assert_eq!(run.finished(|_| run.work()), RunEnd::Complete);
    assert_eq!((run.git(&["rev-parse", "main"]), run.git(&["status", "--porcelain"])), before);
    assert!(!run.project.root().join("src/US-1.rs").exists());
    let merged = run.merged();
    let [(first, one), (second, two)] = &*merged else { unreachable!("{merged:?}") };
    assert_eq!((first.as_str(), second.as_str()), ("US-1", "US-2"));
    assert_eq!(run.git(&["rev-parse", BRANCH]), *two);
    assert_eq!(run.git(&["rev-parse", &format!("{two}^1")]), *one);
    for name in ["src/US-1.rs", "src/US-2.rs"] {
        assert_eq!(run.shown(name), "work");
    }
    let list: Value = serde_json::from_str(&run.shown("ralph/tasks.json")).unwrap();
    assert!(list["userStories"].as_array().unwrap().iter().all(|story| story["passes"] == true));
    assert_eq!(run.git(&["for-each-ref", "refs/ralph/"]), "", "the branch contains the work");
}

#[cfg(unix)]
#[test]
fn listed_ignored_files_are_copied_into_clones_that_others_cannot_read() {
    use std::os::unix::fs::PermissionsExt;
    let run = Separate::new(&[story("US-1")], &["has target/key"]);
    run.project.write("target/key", "secret");
    run.project.write("target/other", "x".repeat(9).as_str());
    run.project.write(".worktreeinclude", "target/key\nsrc/\n");
    assert_eq!(run.finished(|_| run.work()), RunEnd::Complete);
    let clone = run.clone_folder();
    assert_eq!(std::fs::read_to_string(clone.join("target/key")).unwrap(), "secret");
    assert!(!clone.join("target/other").exists());
    let mode = clone.parent().unwrap().metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
}

#[test]
fn a_branch_that_is_checked_out_or_has_no_list_is_refused() {
    let run = Separate::new(&[story("US-1")], &[]);
    run.git(&["switch", "-q", BRANCH]);
    let refused = |run: &Separate| match run.project.run(|_| unreachable!()) {
        Err(RunError::Precondition { what, .. }) => what,
        other => unreachable!("{other:?}"),
    };
    let what = refused(&run);
    assert!(what.starts_with(&format!("branch {BRANCH} is checked out in ")), "{what}");
    run.git(&["rm", "-q", "--cached", "-r", "ralph"]);
    run.git(&["commit", "-q", "-m", "without list"]);
    run.git(&["checkout", "-q", "--detach"]);
    let what = refused(&run);
    assert_eq!(what, format!("ralph/tasks.json is not committed on branch {BRANCH}"));
}

const MERGING_WAITS: &str = "is checked out in";

/// Checks the run's branch out during the review. Calls `react` when merging waits.
fn with_branch_checked_out(run: &Separate, react: impl FnOnce()) -> RunEnd {
    let mut sessions = 0;
    std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            run.finished(|_| {
                sessions += 1;
                if sessions == 2 {
                    run.git(&["switch", "-q", BRANCH]);
                }
                run.work()
            })
        });
        let waits = |event: &LoopEvent| matches!(event, LoopEvent::Warning { text } if text.contains(MERGING_WAITS));
        run.project.events.wait_for(waits);
        react();
        running.join().unwrap()
    })
}

#[test]
fn merging_waits_while_the_branch_is_checked_out() {
    let run = Separate::new(&[story("US-1")], &["pass"]);
    let ended = with_branch_checked_out(&run, || {
        assert_eq!(run.merged(), []);
        run.git(&["switch", "-q", "main"]);
    });
    assert_eq!((ended, run.merged().len()), (RunEnd::Complete, 1));
    let warnings = run.project.warnings();
    let [warning] = &warnings[..] else { unreachable!("{warnings:?}") };
    assert!(warning.contains(MERGING_WAITS) && warning.contains("switch --detach"), "{warning}");
}

#[test]
fn a_run_that_is_stopped_while_merging_waits_says_what_is_approved_and_merges_it_later() {
    let mut run = Separate::new(&[story("US-1")], &["pass"]);
    let ended = with_branch_checked_out(&run, || {
        run.project.switch.request(StopSignal::Interrupt);
    });
    assert_eq!((ended, run.merged().len()), (RunEnd::Interrupted, 0));
    let states = run.project.events.all().into_iter().find_map(|event| match event {
        LoopEvent::RunEnded(ended) => {
            Some((ended.stories[0].passes, ended.stories[0].review_status))
        }
        _ => None,
    });
    assert_eq!(states, Some((false, ReviewStatus::Approved)));
    let last = crate::last_run(&run.project.options.run.layout).unwrap();
    assert_eq!(last.in_lanes, [id("US-1")]);
    run.git(&["switch", "-q", "main"]);
    run.project.switch = crate::StopSwitch::new(Duration::ZERO);
    assert_eq!(run.finished(|_| panic!("no session is needed")), RunEnd::Complete);
    assert_eq!(run.merged().len(), 1);
}

#[test]
fn a_check_that_passes_only_with_files_of_the_agent_opens_the_story_again() {
    let run = Separate::new(&[story("US-1")], &["has target/cache"]);
    let mut sessions = 0;
    let finished = run.finished(|_| {
        sessions += 1;
        let agent = run.agent();
        match sessions {
            1 => agent.write("target/cache", "ignored by git"),
            3 => {
                let story = agent.story("US-1");
                assert_eq!(story["passes"], false);
                assert_eq!(story["reviewStatus"], "changes_requested");
                let feedback = story["reviewFeedback"].as_str().unwrap();
                assert!(feedback.contains("target/cache is missing"), "{feedback}");
                assert_eq!(run.merged(), []);
                agent.git(&["add", "-f", "target/cache"]);
            }
            _ => {}
        }
        agent::work(&agent, true)
    });
    assert_eq!((finished, sessions), (RunEnd::Complete, 4));
    assert_eq!(run.shown("target/cache"), "ignored by git");
    assert_eq!(run.merged().len(), 1);
}

#[test]
fn commits_of_another_program_on_the_runs_branch_are_kept_and_do_not_count() {
    let run = Separate::new(&[story("US-1")], &["pass"]);
    let mut sessions = 0;
    let finished = run.finished(|_| {
        sessions += 1;
        if sessions == 2 {
            let folder = run.other.path().join("w");
            run.git(&["worktree", "add", "-q", "--detach", folder.to_str().unwrap(), BRANCH]);
            let other = run.project.in_clone(folder);
            other.commit("src/unverified.rs", "not checked");
            let tip = other.git(&["rev-parse", "HEAD"]);
            run.git(&["update-ref", &format!("refs/heads/{BRANCH}"), &tip]);
        }
        run.work()
    });
    assert_eq!(finished, RunEnd::Complete);
    let names = run.git(&["ls-tree", "-r", "--name-only", BRANCH]);
    assert!(names.contains("src/US-1.rs") && !names.contains("unverified"), "{names}");
    let kept = run.git(&["for-each-ref", "--format=%(refname)", "refs/ralph/"]);
    assert!(run.git(&["ls-tree", "-r", "--name-only", &kept]).contains("unverified"), "{kept}");
    let warnings = run.project.warnings();
    assert!(warnings.iter().any(|text| text.starts_with("another program moved branch")));
}

#[test]
fn a_story_that_is_given_up_leaves_its_branch_and_others_go_on() {
    let mut run = Separate::new(&[story("US-1"), story("US-2")], &["pass"]);
    run.project.options.attempts.most = 1;
    let finished = run.finished(|_| {
        let agent = run.agent();
        match run
            .project
            .events
            .all()
            .iter()
            .any(|event| matches!(event, LoopEvent::StoryGivenUp { .. }))
        {
            false => {
                agent.commit("src/bad.rs", "bad");
                "I could not do it".to_owned()
            }
            true => agent::work_on(&agent, "US-2"),
        }
    });
    assert_eq!(finished, RunEnd::StoriesFailed);
    assert_eq!(run.merged().len(), 1);
    let outcome = |event| match event {
        LoopEvent::StoryGivenUp { given_up, .. } => Some(given_up.commits),
        _ => None,
    };
    let commits = run.project.events.all().into_iter().find_map(outcome);
    let clones = lane_folders(&run.project.options.run.layout, run.lanes.path()).unwrap();
    assert!(clones.iter().all(|clone| clone.state == LaneFolderState::Saved), "{clones:?}");
    assert_eq!(commits, Some(StoryCommits::Nothing), "the run's branch never had them");
    let notes = run.shown("ralph/progress.txt");
    assert!(notes.contains("- Its code: on wip/ralph-fail-US-1-"), "{notes}");
    let branches = run.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/wip/"]);
    assert!(branches.starts_with("wip/ralph-fail-US-1-"), "{branches}");
    assert!(run.git(&["ls-tree", "-r", "--name-only", &branches]).contains("src/bad.rs"));
    let on_branch = run.git(&["ls-tree", "-r", "--name-only", BRANCH]);
    assert!(on_branch.contains("src/US-2.rs") && !on_branch.contains("src/bad.rs"), "{on_branch}");
}

/// Runs until `dies` returns true for a session or a check, which ends the runner at once.
fn killed(run: &Separate, dies: impl Fn(&str) -> bool + Send + Sync) {
    let act = || assert!(!dies("check"), "killed");
    let session = |_: &str| {
        let answer = run.work();
        assert!(!dies("session"), "killed");
        answer
    };
    let processes = PlayedProcesses::new(session, act);
    let ended = std::panic::catch_unwind(AssertUnwindSafe(|| run.project.run_by(&processes)));
    assert!(ended.is_err(), "{ended:?}");
}

#[test]
fn a_killed_run_is_resumed_in_its_clone_and_nothing_is_lost() {
    for (kind, number) in
        [("session", 1), ("session", 2), ("check", 1), ("check", 2), ("check", 3), ("session", 4)]
    {
        let run = Separate::new(&[story("US-1"), story("US-2")], &["act"]);
        let seen = Mutex::new(0);
        killed(&run, |what| {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            *seen += u64::from(what == kind);
            what == kind && *seen == number
        });
        let at = format!("{kind} {number}");
        let folder = run.clone_folder();
        let finished = run.project.run_by(&PlayedProcesses::new(|_| run.work(), || {})).unwrap();
        let LoopResult::Ran(finished) = finished else { unreachable!("{at}") };
        assert_eq!(finished.end, RunEnd::Complete, "{at}: {:?}", finished.error);
        assert_eq!(run.clone_folder(), folder, "{at}");
        let merged: Vec<String> = run.merged().into_iter().map(|(story, _)| story).collect();
        assert_eq!(merged, ["US-1", "US-2"], "{at}");
        for name in ["src/US-1.rs", "src/US-2.rs"] {
            assert_eq!(run.shown(name), "work", "{at}");
        }
    }
}

#[test]
fn a_run_whose_clone_is_gone_goes_on_from_what_was_kept() {
    let run = Separate::new(&[story("US-1"), story("US-2")], &["act"]);
    let sessions = Mutex::new(0);
    killed(&run, |what| {
        let mut sessions = sessions.lock().unwrap_or_else(PoisonError::into_inner);
        *sessions += u64::from(what == "session");
        *sessions == 3
    });
    std::fs::remove_dir_all(run.clone_folder()).unwrap();
    assert_eq!(run.finished(|_| run.work()), RunEnd::Complete);
    let warnings = run.project.warnings();
    assert!(
        warnings.iter().any(|text| text.starts_with("the clone of the lane is gone")),
        "{warnings:?}"
    );
    assert_eq!(run.shown("src/US-1.rs"), "work");
    assert_eq!(run.shown("src/US-2.rs"), "work");
}

#[test]
fn a_run_is_resumed_only_where_it_works() {
    let mut run = Separate::new(&[story("US-1")], &["act"]);
    killed(&run, |what| what == "session");
    let lanes = run.project.options.lanes.take();
    let in_place = run.project.run(|_| unreachable!()).unwrap_err().to_string();
    assert!(in_place.starts_with("the last run works in a clone"), "{in_place}");
    run.project.options.lanes = lanes;
    assert_eq!(run.finished(|_| run.work()), RunEnd::Complete);
}

#[test]
fn work_that_was_rolled_back_in_a_clone_is_kept_in_the_project() {
    let mut run = Separate::new(&[story("US-1")], &["has src/right.rs"]);
    run.project.options.rollback = Some(RollbackOptions { prefix: "ralph".into() });
    let mut sessions = 0;
    let end = run.finished(|_| {
        sessions += 1;
        match sessions {
            1 => run.agent().write("src/wrong.rs", "work"),
            2 => run.agent().write("src/right.rs", "work"),
            _ => {}
        }
        run.work()
    });
    assert_eq!(end, RunEnd::Complete);
    let kept = run.git(&["for-each-ref", "--format=%(refname)", "refs/ralph/"]);
    assert!(kept.lines().count() == 1 && kept.contains("/rolled-back-1-1-"), "{kept}");
    assert!(run.git(&["ls-tree", "-r", "--name-only", &kept]).contains("src/wrong.rs"));
    let clones = lane_folders(&run.project.options.run.layout, run.lanes.path()).unwrap();
    assert!(clones.iter().all(|clone| clone.state == LaneFolderState::Saved), "{clones:?}");
}
