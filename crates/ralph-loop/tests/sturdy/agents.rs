//! Agents that hang, crash, linger, leave processes running or attack their supervisor.

use std::time::{Duration, Instant};

use events::{AgentOutcome, IterationStatus, LoopEvent, RunEnd};
use predicates::str::contains;
use simulator::{Act, Lingering, Mode, Scenario, When};
use test_repo::assert_text;

use crate::harness::{Finished, Project, is_running, read_pid, simulated_agent};

/// In the first implementation it does this, later it is honest.
fn at_first(acts: impl IntoIterator<Item = Act>) -> Project {
    let project = Project::new(1, &[]);
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts));
    project
}

fn and_submits(acts: impl IntoIterator<Item = Act>) -> Vec<Act> {
    let rest =
        [Act::write("work/US-1.txt", "x\n"), Act::submit("n"), Act::commit("w"), Act::finish("ok")];
    acts.into_iter().chain(rest).collect()
}

/// How the first session ended: outcome, detail and what it left running.
#[track_caller]
fn first_end(run: &Finished) -> (AgentOutcome, String, Vec<String>) {
    let end = run.events.iter().find_map(|event| match event {
        LoopEvent::AgentEnded(events::AgentEnded { outcome, detail, leftovers, .. }) => {
            Some((*outcome, detail.clone(), leftovers.clone()))
        }
        _ => None,
    });
    end.unwrap()
}

#[track_caller]
fn assert_first_status(run: &Finished, expected: IterationStatus) {
    let status = run.events.iter().find_map(|event| match event {
        LoopEvent::IterationEnded(events::IterationEnded { status, .. }) => Some(*status),
        _ => None,
    });
    assert_eq!(status, Some(expected));
}

#[test]
fn the_idle_limit_ends_a_hanging_agent() {
    let project = at_first([Act::say("Hm."), Act::Hang { ignores_signals: false }]);
    let run = project.run(&["--idle-timeout", "3s"]);
    run.assert_exit(0);
    let (outcome, detail, _) = first_end(&run);
    assert_eq!(outcome, AgentOutcome::TimedOut);
    assert!(detail.contains("printed nothing"), "{detail}");
    assert_first_status(&run, IterationStatus::TimedOut);
    project.assert_complete();
}

#[test]
fn the_time_limit_ends_a_slow_agent() {
    let talk = (0..100).flat_map(|_| [Act::say("Still."), Act::Pause { ms: 100 }]);
    let project = at_first(talk);
    let run = project.run(&["--iteration-timeout", "4s", "--idle-timeout", "3s"]);
    run.assert_exit(0);
    let (outcome, detail, _) = first_end(&run);
    assert_eq!((outcome, detail.as_str()), (AgentOutcome::TimedOut, "it exceeded its time limit"));
    project.assert_complete();
}

#[test]
fn a_hanging_agent_that_ignores_signals_is_killed() {
    let project = at_first([Act::Hang { ignores_signals: true }]);
    let run = project.run(&["--idle-timeout", "3s"]);
    run.assert_exit(0);
    assert_eq!(first_end(&run).0, AgentOutcome::TimedOut);
    project.assert_complete();
}

#[test]
fn an_agent_that_does_not_read_its_prompt_does_not_block_the_runner() {
    let acts = [Act::NotReading, Act::Pause { ms: 50 }];
    for (acts, expected) in [
        (and_submits(acts.clone()), AgentOutcome::Answered),
        ([&acts[..], &[Act::Hang { ignores_signals: false }]].concat(), AgentOutcome::TimedOut),
    ] {
        let project = at_first(acts);
        // More than any pipe holds.
        project.write("ralph/prompt.md", &"All work and no play.\n".repeat(150_000));
        test_repo::commit_all(project.root());
        let run = project.run(&["--idle-timeout", "3s"]);
        run.assert_exit(0);
        assert_eq!(first_end(&run).0, expected);
        project.assert_complete();
    }
}

#[test]
fn a_prompt_that_is_too_long_to_be_one_is_refused_and_not_replaced_in_silence() {
    let project = Project::new(1, &[]);
    project.write("ralph/prompt.md", &"All work and no play.\n".repeat(500_000));
    test_repo::commit_all(project.root());
    let run = project.run(&[]);
    run.assert_exit(2);
    assert_text(&run.stderr, contains("error: cannot read ralph/prompt.md"));
    assert_text(&run.stderr, contains("hint: shorten it"));
    project.assert_quiet();
}

#[test]
fn leftover_processes_are_ended_and_named() {
    let daemon = |command: &str| Act::Daemon { command: command.into(), pid_file: "../pid".into() };
    for command in ["exec sleep 600", "trap '' TERM INT HUP; while :; do sleep 1; done"] {
        let project = at_first(and_submits([daemon(command)]));
        let run = project.run(&[]);
        run.assert_exit(0);
        let (outcome, _, leftovers) = first_end(&run);
        assert_eq!(outcome, AgentOutcome::Answered);
        assert!(!leftovers.is_empty(), "nothing is named");
        assert!(!is_running(read_pid(&project.beside("pid"))), "{command} is still running");
        project.assert_complete();
    }
}

#[test]
fn an_agent_that_lingers_after_its_result_has_answered() {
    for lingering in [Lingering::Forever, Lingering::Ms(600_000)] {
        let project = at_first(and_submits([Act::Linger(lingering)]));
        let began = Instant::now();
        let run = project.run(&["--linger", "500ms"]);
        run.assert_exit(0);
        assert!(began.elapsed() < Duration::from_secs(120), "{:?}", began.elapsed());
        assert_eq!(first_end(&run).0, AgentOutcome::Answered);
        assert_first_status(&run, IterationStatus::Accepted);
        project.assert_complete();
    }
}

#[test]
fn garbage_between_its_lines_is_passed_over() {
    let project = at_first(and_submits([Act::Garbage { lines: 500 }]));
    let run = project.run(&[]);
    run.assert_exit(0);
    assert_eq!(first_end(&run).0, AgentOutcome::Answered);
    assert_first_status(&run, IterationStatus::Accepted);
    project.assert_complete();
}

#[test]
fn a_missing_agent_ends_the_run_and_is_named() {
    let project = Project::new(1, &[]);
    let agent = project.beside("agent");
    test_repo::place_program(&simulated_agent(), &agent);
    let vanish = Act::bash(format!("rm '{}'", agent.display()));
    let scenario = Scenario::new().rule(
        When::mode(Mode::Implement),
        [Act::submit("n"), Act::commit("work"), vanish, Act::finish("Bye.")],
    );
    project.scenario(&scenario);
    let args = ["--retries", "1", "--retry-wait", "1ms"];
    let run = project.start_with_agent(&agent, &args).finish();
    run.assert_exit(4);
    run.assert_event("who is missing", |event| {
        matches!(event, LoopEvent::AgentEnded(events::AgentEnded { outcome: AgentOutcome::Crashed, detail, .. })
            if detail.contains(agent.to_str().unwrap()))
    });
    run.assert_event("the end", |event| {
        matches!(event, LoopEvent::RunEnded(events::RunEnded { end: RunEnd::AgentFailed, .. }))
    });
    project.assert_quiet();
    project.run(&[]).assert_exit(0);
    project.assert_complete();
}

#[test]
fn an_agent_that_kills_its_process_group_is_retried() {
    let project = at_first([Act::bash("kill -s KILL -- -$PPID; sleep 600")]);
    let run = project.run(&["--retry-wait", "1ms"]);
    run.assert_exit(0);
    let (outcome, detail, _) = first_end(&run);
    assert_eq!(outcome, AgentOutcome::Crashed);
    assert!(detail.contains("signal 9"), "{detail}");
    project.assert_complete();
}

#[test]
fn an_agent_that_kills_its_keeper_ends_with_its_session() {
    let project = Project::new(1, &[]);
    let pids = project.beside("pids");
    let script = format!(
        "keeper=$(cut -d' ' -f4 /proc/$PPID/stat); echo $PPID >'{0}'; kill -KILL $keeper; \
         exec sleep 600",
        pids.display()
    );
    let acts = [Act::bash(script), Act::write("late.txt", "I am still here\n")];
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts));
    let mut runner = project.start(&["--retry-wait", "1ms"]);
    runner.wait_for("the end", |event| matches!(event, LoopEvent::AgentEnded { .. }));
    assert!(!is_running(read_pid(&pids)), "the agent is still running while its work is judged");
    // It may get to one more act when its tool is ended before itself; not later.
    let late = project.root().join("late.txt");
    let before_its_end = late.exists();
    let run = runner.finish();
    run.assert_exit(0);
    assert_eq!(first_end(&run).0, AgentOutcome::Crashed);
    assert!(before_its_end || !late.exists());
    project.assert_complete();
}
