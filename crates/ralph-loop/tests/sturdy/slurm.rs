//! Sessions as jobs in a real Slurm cluster: lost nodes, a runner that is killed, signals, time limits, a full queue.

mod proofs;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use events::{AgentOutcome, LoopEvent, RunEnd};
use rustix::process::Signal;
use serde_json::{Value, json};
use simulator::{Act, IGNORE_DENIALS_VARIABLE, Mode, SCENARIO_VARIABLE, Scenario, When};
use slurm_cluster::{Cluster, NODES};

use crate::harness::{Project, simulated_agent, until};
use crate::job_events::{executor_check, is_started, outcomes, readable_texts, started};
use crate::lane_kill_sweep::BRANCH;
use crate::lanes::{assert_complete, go_on, waiting_project};

/// Variables of the runner that the simulated agent needs.
fn settings(cluster: &Cluster, more: Value) -> Value {
    let kept = ["PATH", "HOME", "IS_SANDBOX", IGNORE_DENIALS_VARIABLE, SCENARIO_VARIABLE];
    let executor =
        json!({"config": cluster.config(), "args": [format!("--export={}", kept.join(","))]});
    let retries = json!({"most": 1, "firstWait": "0s"});
    let mut settings = json!({"on": "slurm", "executors": {"slurm": executor}, "retries": retries});
    for (key, value) in more.as_object().unwrap() {
        settings[key] = value.clone();
    }
    settings
}

fn on_slurm(project: &Project, cluster: &Cluster, more: Value) {
    project.write(".ralph/settings.json", &settings(cluster, more).to_string());
    test_repo::commit_all(project.root());
}

/// The jobs that wait or run.
fn queue(cluster: &Cluster) -> Vec<String> {
    cluster.run("squeue", &["-h", "-o", "%T"]).lines().map(str::to_owned).collect()
}

/// All jobs that the cluster remembers, by name.
fn jobs(cluster: &Cluster) -> Vec<String> {
    let shown = cluster.run("scontrol", &["--oneliner", "show", "job"]);
    let name = |line: &str| {
        line.split(' ').find_map(|word| word.strip_prefix("JobName=")).map(str::to_owned)
    };
    shown.lines().filter_map(name).collect()
}

#[test]
#[ignore = "needs Slurm; scripts/test.sh installs it"]
fn six_stories_are_worked_on_by_both_nodes() {
    let cluster = Cluster::start();
    let project = Project::new(6, &["test -d work"]);
    on_slurm(&project, &cluster, json!({}));
    let run = project.run(&["-j", "4"]);
    run.assert_exit(0);
    assert_complete(&project);
    let nodes: BTreeSet<&str> =
        run.events.iter().filter_map(started).map(|(node, _)| node).collect();
    assert_eq!(nodes, BTreeSet::from(NODES));
    let names = jobs(&cluster);
    assert_eq!(names.len(), 12, "{names:?}");
    assert!(names.iter().all(|name| name.starts_with("ralph-")), "{names:?}");
    assert_eq!(queue(&cluster), Vec::<String>::new());
}

#[test]
#[ignore = "needs Slurm; scripts/test.sh installs it"]
fn checks_run_on_nodes_and_sessions_here() {
    let cluster = Cluster::start();
    let project =
        Project::new(2, &["test -d work", "echo $SLURMD_NODENAME; test -n \"$SLURMD_NODENAME\""]);
    on_slurm(&project, &cluster, json!({"on": "local", "checks": {"on": "slurm"}}));
    let run = project.run(&["-j", "2"]);
    run.assert_exit(0);
    assert_complete(&project);
    let checks = run.events.iter().filter(|event| matches!(event, LoopEvent::CheckEnded(_)));
    // On the base, only the one that failed runs again.
    assert_eq!(checks.count(), 2 * jobs(&cluster).len() - 1);
    let known = run.events.iter().find_map(|event| match event {
        LoopEvent::BaseChecked { failures, .. } => Some(failures.clone()),
        _ => None,
    });
    let known: Vec<String> = known.unwrap().into_iter().map(|failure| failure.command).collect();
    assert_eq!(known, ["test -d work"]);
    let names = jobs(&cluster);
    assert!(names.iter().all(|name| name.contains("-checks-")), "{names:?}");
    assert_eq!(queue(&cluster), Vec::<String>::new());
}

#[test]
#[ignore = "needs Slurm; scripts/test.sh installs it"]
fn each_candidate_is_a_job_and_the_chosen_work_is_merged() {
    let cluster = Cluster::start();
    let project = Project::new(1, &["test ! -e broken"]);
    let visit = |number| When::mode(Mode::Implement).visit(number);
    let done = |text: &str| {
        let submit = [Act::submit("done"), Act::commit("work"), Act::finish("ok")];
        [vec![Act::write("work/US-1.txt", text)], submit.into()].concat()
    };
    let choice = When::any().prompt_contains("# Choose a candidate");
    let breaks = [vec![Act::write("broken", "x")], done("failed")].concat();
    project.scenario(
        &Scenario::new()
            .rule(choice, [Act::finish("<candidate>2</candidate>")])
            .rule(visit(1), breaks)
            .rule(visit(2), done("first"))
            .rule(visit(3), done("second")),
    );
    let attempts = json!({"most": 1, "strategyShifts": 0});
    on_slurm(&project, &cluster, json!({"attempts": attempts, "escalation": {"candidates": 2}}));
    let run = project.run(&[]);
    run.assert_exit(0);
    assert_complete(&project);
    let work = test_repo::git(project.root(), &["show", &format!("{BRANCH}:work/US-1.txt")]);
    assert_eq!(work.trim(), "second");
    let passing =
        |event: &LoopEvent| matches!(event, LoopEvent::CandidateEnded { passes: true, .. });
    assert_eq!(run.count(passing), 2, "{:#?}", run.events);
    // The attempt that failed, two candidates and the review of the story. The next runner finds a job by its name.
    let names = BTreeSet::from_iter(jobs(&cluster));
    assert_eq!((names.len(), run.count(is_started)), (4, 4), "{names:?}");
    assert_eq!(queue(&cluster), Vec::<String>::new());
}

#[test]
#[ignore = "needs Slurm; scripts/test.sh installs it"]
fn the_session_of_a_lost_node_runs_again_and_counts_once() {
    let mut cluster = Cluster::start();
    let project = waiting_project(1, &["US-1"]);
    on_slurm(&project, &cluster, json!({}));
    let mut runner = project.start(&[]);
    let event = runner.wait_for("a job", is_started);
    let (lost, _) = started(&event).unwrap();
    until("the agent waits", || project.beside("pid-US-1").exists().then_some(()));
    cluster.lose_node(lost);
    let again = |event: &LoopEvent| started(event).is_some_and(|(_, restart)| restart == 1);
    let event = runner.wait_for("the second start", again);
    assert_ne!(started(&event).unwrap().0, lost);
    // The processes of the lost node go on, too.
    go_on(&project);
    let run = runner.finish();
    run.assert_exit(0);
    assert_complete(&project);
    assert_eq!(outcomes(&run), [AgentOutcome::Answered; 2]);
    assert_eq!(project.counter("iterations"), 2);
}

#[test]
#[ignore = "needs Slurm; scripts/test.sh installs it"]
fn the_jobs_of_a_killed_runner_are_found_again() {
    let cluster = Cluster::start();
    for is_over in [false, true] {
        let project = waiting_project(1, &["US-1"]);
        on_slurm(&project, &cluster, json!({}));
        let before = jobs(&cluster).len();
        let mut runner = project.start(&[]);
        runner.wait_for("a job", is_started);
        until("the agent waits", || project.beside("pid-US-1").exists().then_some(()));
        runner.signal(Signal::KILL);
        runner.finish();
        if is_over {
            go_on(&project);
            cluster.wait_until(|cluster| queue(cluster).is_empty());
        }
        let mut next = project.start(&[]);
        next.wait_for("the same session", is_started);
        go_on(&project);
        let run = next.finish();
        run.assert_exit(0);
        assert_complete(&project);
        assert_eq!(outcomes(&run), [AgentOutcome::Answered; 2]);
        assert_eq!(project.counter("iterations"), 2);
        assert_eq!(jobs(&cluster).len() - before, 2, "no session ran twice");
    }
}

#[test]
#[ignore = "needs Slurm; scripts/test.sh installs it"]
fn a_run_that_is_resumed_here_says_that_a_job_had_its_session() {
    let cluster = Cluster::start();
    let project = waiting_project(1, &["US-1"]);
    on_slurm(&project, &cluster, json!({}));
    let mut runner = project.start(&[]);
    runner.wait_for("a job", is_started);
    runner.kill();
    go_on(&project);
    cluster.wait_until(|cluster| queue(cluster).is_empty());
    let run = project.run(&["--on", "local", "--separate"]);
    run.assert_exit(0).assert_event("the warning", |event| {
        matches!(event, LoopEvent::Warning { text } if text.contains("refs/ralph/results/"))
    });
    let results = test_repo::git(project.root(), &["for-each-ref", "refs/ralph/results/"]);
    assert_eq!(results.lines().count(), 1, "{results}");
}

#[test]
#[ignore = "needs Slurm; scripts/test.sh installs it"]
fn a_stopped_run_leaves_no_job() {
    let cluster = Cluster::start();
    let project = waiting_project(2, &["US-1", "US-2"]);
    on_slurm(&project, &cluster, json!({"timeLimits": {"stopGrace": "0s"}}));
    let mut runner = project.start(&["-j", "2"]);
    for story in ["US-1", "US-2"] {
        let pid = project.beside(&format!("pid-{story}"));
        until("the agent waits", || pid.exists().then_some(()));
    }
    runner.wait_for("a job", is_started);
    runner.signal(Signal::INT);
    let run = runner.finish();
    run.assert_exit(RunEnd::Interrupted.exit_code().into());
    assert_eq!(outcomes(&run), [AgentOutcome::Stopped; 2]);
    cluster.wait_until(|cluster| queue(cluster).is_empty());
    go_on(&project);
    project.run(&["-j", "2"]).assert_exit(0);
    assert_complete(&project);
}

#[test]
#[ignore = "needs Slurm; scripts/test.sh installs it"]
fn the_time_limit_holds_on_the_node_and_not_in_the_queue() {
    let cluster = Cluster::start();
    // All processors are taken.
    let full = ["--parsable", "-c", "2", "--output=/dev/null", "--wrap", "sleep 600"];
    let taken = [(); 2].map(|()| cluster.run("sbatch", &full));
    let project = waiting_project(1, &["US-1"]);
    on_slurm(&project, &cluster, json!({"timeLimits": {"iteration": "6s", "iterationSoft": "0s"}}));
    let mut runner = project.start(&[]);
    let waits = |event: &LoopEvent| matches!(event, LoopEvent::JobWaiting { reason, .. } if reason == "Resources");
    runner.wait_for("a full queue", waits);
    // Longer than the session may take.
    let begun = Instant::now();
    cluster.wait_until(|_| begun.elapsed() > Duration::from_secs(8));
    cluster.run("scancel", &taken.each_ref().map(String::as_str));
    let run = runner.finish();
    run.assert_exit(0);
    assert_complete(&project);
    let expected = [AgentOutcome::TimedOut, AgentOutcome::Answered, AgentOutcome::Answered];
    assert_eq!(outcomes(&run), expected);
}

/// Texts in which no secret may be, also the specifications and scripts of the jobs that wait or run.
fn readable(project: &Project, cluster: &Cluster) -> Vec<(String, String)> {
    let mut texts = readable_texts(project);
    for id in cluster.run("squeue", &["-h", "-o", "%A"]).lines() {
        texts.push((format!("job {id}"), cluster.run("scontrol", &["show", "job", id])));
        let script = ["write", "batch_script", id, "-"];
        texts.push((format!("script of {id}"), cluster.run("scontrol", &script)));
    }
    texts
}

#[test]
#[ignore = "needs Slurm; scripts/test.sh installs it"]
fn secrets_reach_the_agent_and_nothing_else() {
    let cluster = Cluster::start();
    let project = waiting_project(1, &["US-1"]);
    let secrets = project.beside("secrets");
    std::fs::write(&secrets, "# for the agent\nNODE_KEY=secret-of-the-node\n").unwrap();
    let mut settings = settings(&cluster, json!({}));
    settings["executors"]["slurm"]["secrets"] = json!(secrets);
    project.write(".ralph/settings.json", &settings.to_string());
    test_repo::commit_all(project.root());
    let local = json!({"env": {"OWN_KEY": "secret-of-the-user"}});
    project.write(".ralph/settings.local.json", &local.to_string());

    let refused = project.run(&["-n", "1"]);
    let text = refused.stderr.clone() + &format!("{:?}", refused.events);
    assert!(text.contains("other users can read it"), "{text}");
    std::fs::set_permissions(&secrets, std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .unwrap();

    let mut runner = project.start(&["--fresh"]);
    let pid = project.beside("pid-US-1");
    until("the agent waits", || pid.exists().then_some(()));
    runner.wait_for("a job", is_started);
    let agent = std::fs::read_to_string(&pid).unwrap();
    let environment = std::fs::read(format!("/proc/{}/environ", agent.trim())).unwrap();
    let environment = String::from_utf8_lossy(&environment).into_owned();
    assert!(environment.contains("NODE_KEY=secret-of-the-node"), "{environment}");
    assert!(!environment.contains("secret-of-the-user"), "{environment}");
    let found = readable(&project, &cluster);
    go_on(&project);
    runner.finish().assert_exit(0);
    for (place, text) in found.into_iter().chain(readable(&project, &cluster)) {
        assert!(!text.contains("secret-of-the"), "{place}");
    }
}

#[test]
#[ignore = "needs Slurm; scripts/test.sh installs it"]
fn doctor_tries_a_job() {
    let cluster = Cluster::start();
    let project = Project::new(1, &["true"]);
    on_slurm(&project, &cluster, json!({"isolation": {"kind": "guard"}}));
    let agent = simulated_agent();
    let check = || executor_check(&project, &agent);
    let (state, found) = check();
    assert_eq!(state, "ok", "{found}");
    assert!(found.starts_with("slurm: a job on n"), "{found}");
    assert!(found.contains("2.1.325"), "the agent on the node: {found}");
    assert_eq!(test_repo::git(project.root(), &["for-each-ref", "refs/ralph/"]), "");

    let mut settings = settings(&cluster, json!({}));
    settings["executors"]["slurm"]["secrets"] = json!("/nonexistent/secrets");
    project.write(".ralph/settings.json", &settings.to_string());
    let (state, found) = check();
    assert_eq!(state, "problem");
    assert!(found.contains("secrets file /nonexistent/secrets"), "{found}");
    settings["executors"]["slurm"]["program"] = json!("/nonexistent/ralph-loop");
    project.write(".ralph/settings.json", &settings.to_string());
    let (state, found) = check();
    assert_eq!(state, "problem");
    assert!(found.contains("exit code"), "{found}");
}
