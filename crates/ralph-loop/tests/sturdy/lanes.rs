//! Runs in several lanes: a session that is killed, signals, a refused or incomplete start, a full disk.

use std::collections::BTreeSet;
use std::path::PathBuf;

use events::{AgentOutcome, LoopEvent, RunEnd};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use rustix::process::{Pid, Signal, kill_process};
use simulator::{Act, Mode, Scenario, When};
use tasks::ReviewStatus;
use test_repo::assert_text;

use crate::disk::SmallDisk;
use crate::harness::{Finished, Project, Runner, await_none_in, read_pid, until};
use crate::lane_kill_sweep::{BRANCH, clones, list_at};

const FIRST: &str = "Ctrl-C again kills it";

/// An honest implementation that waits in between until `go_on` exists.
fn waits(project: &Project, story: &str) -> Vec<Act> {
    let go_on = project.beside("go-on");
    let pid = project.beside(&format!("pid-{story}"));
    let wait = format!(
        "echo $PPID > '{0}.new'; mv '{0}.new' '{0}'; n=0; while [ ! -e '{1}' ] && [ $n != 6000 ]; do n=$((n+1)); sleep 0.01; done",
        pid.display(),
        go_on.display()
    );
    vec![
        Act::write(format!("work/{story}.txt"), "half\n"),
        Act::bash(wait),
        Act::submit("done"),
        Act::commit("work"),
        Act::finish("ok"),
    ]
}

/// The waiting implementations go on.
pub(crate) fn go_on(project: &Project) {
    std::fs::write(project.beside("go-on"), "").unwrap();
}

/// The first implementations of these stories wait.
pub(crate) fn waiting_project(stories: usize, waiting: &[&str]) -> Project {
    let project = Project::new(stories, &["test -d work"]);
    let mut scenario = Scenario::new();
    for story in waiting {
        let when = When::mode(Mode::Implement).story(*story).visit(1);
        scenario = scenario.rule(when, waits(&project, story));
    }
    project.scenario(&scenario);
    project
}

/// The agents of these stories, once they wait.
fn agents(project: &Project, stories: &[&str]) -> Vec<u32> {
    let pid = |story: &&str| read_pid(&project.beside(&format!("pid-{story}")));
    stories.iter().map(pid).collect()
}

#[track_caller]
pub(crate) fn assert_complete(project: &Project) {
    project.assert_quiet();
    await_none_in(&project.around(), None);
    project.assert_sound_repository();
    for story in list_at(project, BRANCH).stories {
        assert!(story.passes && story.review_count > 0, "{story:?}");
        test_repo::git(
            project.root(),
            &["cat-file", "-e", &format!("{BRANCH}:work/{}.txt", story.id)],
        );
    }
    let refs = test_repo::git(project.root(), &["for-each-ref", "refs/ralph/"]);
    assert_eq!(refs, "", "no ref is left");
}

#[track_caller]
fn resumes(project: &Project, args: &[&str]) -> Finished {
    let next = project.run(args);
    next.assert_exit(0).assert_event("that it resumes", |event| {
        matches!(event, LoopEvent::RunStarted { resumed: Some(_), .. })
    });
    assert_complete(project);
    next
}

#[test]
fn killed_sessions_of_some_lanes_do_not_stop_the_others() {
    let waiting = ["US-1", "US-2"];
    let project = waiting_project(5, &waiting);
    let mut runner = project.start(&["-j", "3", "--retry-wait", "1ms"]);
    // The third lane goes on meanwhile.
    for story in ["US-3", "US-4", "US-5"] {
        runner.wait_for(
            story,
            |event| matches!(event, LoopEvent::StoryMerged { story: merged, .. } if merged.as_str() == story),
        );
    }
    for pid in agents(&project, &waiting) {
        kill_process(Pid::from_raw(pid as i32).unwrap(), Signal::KILL).unwrap();
    }
    let ended = runner.finish();
    ended.assert_exit(0);
    let failed = |event: &LoopEvent| matches!(event, LoopEvent::AgentEnded(ended) if ended.outcome == AgentOutcome::Crashed);
    assert_eq!(ended.count(failed), 2, "{:#?}", ended.events);
    assert_complete(&project);
}

/// Both lanes are in a session that waits.
fn in_the_middle(project: &Project, args: &[&str]) -> Runner {
    let mut runner = project.start(args);
    agents(project, &["US-1", "US-2"]);
    for lane in 0..2 {
        let started = |event: &LoopEvent| matches!(event, LoopEvent::ToolStarted { name, .. } if name == "Bash");
        runner.wait_for(&format!("tool {lane}"), started);
    }
    runner
}

#[test]
fn the_first_interrupt_lets_every_lane_finish_its_answer() {
    for resume in [&["-j", "2"][..], &["-j", "1", "--separate"]] {
        let project = waiting_project(4, &["US-1", "US-2"]);
        let mut runner = in_the_middle(&project, &["-j", "2"]);
        runner.signal_group(Signal::INT);
        runner.wait_for("the stop", |event| matches!(event, LoopEvent::StopRequested { .. }));
        go_on(&project);
        let ended = runner.finish();
        ended.assert_exit(130);
        let steps = ended.events.iter().filter_map(|event| match event {
            LoopEvent::StoryStatusChanged { story, to: ReviewStatus::NeedsReview, .. } => {
                Some(story.to_string())
            }
            _ => None,
        });
        let steps: BTreeSet<String> = steps.collect();
        assert_eq!(steps, ["US-1", "US-2"].map(str::to_owned).into(), "{:#?}", ended.events);
        assert_eq!(ended.count(|event| matches!(event, LoopEvent::IterationStarted { .. })), 2);
        assert_text(&ended.stderr, contains(FIRST));
        project.assert_quiet();
        assert_eq!(project.counter("iterations"), 2);
        resumes(&project, resume);
    }
}

#[test]
fn other_signals_end_every_lane_at_once_and_keep_the_work() {
    let second = (Signal::INT, 130, ["-j", "2"].as_slice());
    let term = (Signal::TERM, 143, ["-j", "1", "--separate"].as_slice());
    for (signal, exit_code, resume) in [second, term] {
        let project = waiting_project(3, &["US-1", "US-2"]);
        let runner = in_the_middle(&project, &["-j", "2"]);
        runner.signal_group(signal);
        if signal == Signal::INT {
            runner.wait_for_text(FIRST);
            runner.signal_group(signal);
        }
        let ended = runner.finish();
        ended.assert_exit(exit_code);
        let stopped = |event: &LoopEvent| matches!(event, LoopEvent::AgentEnded(ended) if ended.outcome == AgentOutcome::Stopped);
        assert_eq!(ended.count(stopped), 2, "{:#?}", ended.events);
        project.assert_quiet();
        await_none_in(&project.around(), None);
        assert_eq!(project.counter("iterations"), 0, "stopped iterations are not used up");
        let work: BTreeSet<String> = clones(&project)
            .iter()
            .map(|clone| {
                test_repo::git(clone, &["ls-tree", "--name-only", "HEAD:work"]).trim().to_owned()
            })
            .collect();
        assert_eq!(work, ["US-1.txt", "US-2.txt"].map(str::to_owned).into());
        resumes(&project, resume);
    }
}

/// Kills the runner while both lanes work.
fn killed(stories: usize) -> Project {
    let project = waiting_project(stories, &["US-1", "US-2"]);
    in_the_middle(&project, &["-j", "2"]).kill();
    await_none_in(&project.around(), None);
    project
}

#[test]
fn a_resume_that_is_refused_keeps_the_clones_and_their_work() {
    let project = killed(2);
    let before: Vec<PathBuf> = clones(&project);
    assert_eq!(before.len(), 2);
    let refused = project.run(&["-j", "2", "--story", "US-9"]);
    refused.assert_exit(2);
    assert_eq!(clones(&project), before, "{}", refused.stderr);
    resumes(&project, &["-j", "2"]);
}

#[test]
fn locks_of_a_killed_git_do_not_stop_the_next_run() {
    let project = killed(2);
    let lock = project.root().join(".git/refs/heads/ralph/scratch.lock");
    std::fs::write(&lock, "").unwrap();
    resumes(&project, &["-j", "2"]);
}

/// `--jobs` counts also for the lanes of an interrupted run.
#[test]
fn a_run_that_is_resumed_with_fewer_jobs_has_fewer_sessions_at_once() {
    let project = killed(6);
    go_on(&project);
    let next = resumes(&project, &["-j", "1", "--separate"]);
    let (mut open, mut most) = (BTreeSet::new(), 0);
    for event in &next.events {
        match event {
            LoopEvent::IterationStarted(started) => {
                open.insert(started.story.clone());
            }
            LoopEvent::IterationEnded(ended) => {
                open.remove(&ended.story);
            }
            _ => {}
        }
        most = most.max(open.len());
    }
    assert_eq!(most, 1, "{:#?}", next.events);
}

#[test]
fn a_full_disk_of_one_lane_ends_the_run_and_the_next_one_loses_nothing() {
    let project = waiting_project(3, &["US-1"]);
    let place = project.beside("disk");
    let Some(_disk) = SmallDisk::mount(&place, "8m") else { return };
    let fill = "cat /dev/zero > .ralph-tmp-waste; true";
    let acts = [Act::write("work/US-2.txt", "half\n"), Act::bash(fill), Act::finish("Full.")];
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement).story("US-1").visit(1), waits(&project, "US-1"))
        .rule(When::mode(Mode::Implement).story("US-2").visit(1), acts);
    project.scenario(&scenario);
    let args = ["-j", "2", "--lanes-dir", place.to_str().unwrap()];
    let runner = project.start(&args);
    agents(&project, &["US-1"]);
    let waste = || clones(&project).into_iter().map(|clone| clone.join(".ralph-tmp-waste"));
    until("the disk is full", || waste().find(|waste| waste.exists()));
    go_on(&project);
    let run = runner.finish();
    run.assert_exit(1);
    run.assert_event("the end", |event| {
        matches!(event, LoopEvent::RunEnded(events::RunEnded { end: RunEnd::DiskFailed, .. }))
    });
    assert_text(&run.stderr, contains("free some disk space"));
    assert_text(&run.stderr, contains("panicked").not());
    let again = project.run(&args);
    assert_text(&again.stderr, contains("free some disk space"));
    waste().for_each(|waste| drop(std::fs::remove_file(waste)));
    let next = project.run(&args);
    next.assert_exit(0);
    assert_complete(&project);
}
