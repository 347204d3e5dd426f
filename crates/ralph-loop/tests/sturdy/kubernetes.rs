//! Sessions as jobs in a real Kubernetes cluster, by a user with the permissions of `deploy/kubernetes`. The tests share
//! one cluster, because it takes long to start.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use events::{AgentOutcome, JobPurpose, LoopEvent, RunEnd};
use kubernetes_cluster::{Cluster, IMAGE, NODES};
use rustix::process::Signal;
use serde_json::{Value, json};
use simulator::{IGNORE_DENIALS_VARIABLE, SCENARIO_VARIABLE};

use crate::harness::{Finished, Project, simulated_agent, until};
use crate::lane_kill_sweep::clones;
use crate::lanes::{assert_complete, go_on, waiting_project};

const NAMESPACE: &str = "--namespace=ralph";

fn deploy() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/kubernetes")
}

/// The containers use the machine's `/usr`, the built programs and the project by their paths here.
fn settings(cluster: &Cluster, project: &Project, more: Value) -> Value {
    let programs = simulated_agent().parent().unwrap().to_path_buf();
    let around = project.around();
    let folders = [("usr", Path::new("/usr")), ("programs", &programs), ("project", &around)];
    let volume = |(name, path): (&str, &Path)| json!({"name": name, "hostPath": {"path": path}});
    let mount = |(name, path): (&str, &Path)| json!({"name": name, "mountPath": path, "readOnly": name != "project"});
    let mounts = folders.map(mount);
    let scenario = project.beside("scenario.json");
    let variables = json!([
        {"name": "IS_SANDBOX", "value": "1"},
        {"name": IGNORE_DENIALS_VARIABLE, "value": "1"},
        {"name": SCENARIO_VARIABLE, "value": scenario},
    ]);
    let soon = |taint: &str| {
        json!({"key": format!("node.kubernetes.io/{taint}"), "operator": "Exists", "effect": "NoExecute",
            "tolerationSeconds": 3})
    };
    let executor = json!({
        "image": IMAGE,
        "namespace": "ralph",
        "config": cluster.limited_config(),
        "remote": project.root(),
        "program": programs.join("ralph-loop"),
        "secret": "ralph-agent",
        "pod": {
            // The project belongs to root here.
            "securityContext": {"runAsUser": 0, "runAsGroup": 0, "fsGroup": 0, "runAsNonRoot": false},
            "tolerations": [soon("not-ready"), soon("unreachable")],
            "volumes": folders.map(volume),
            "initContainers": [{"name": "fetch", "volumeMounts": mounts}],
            "containers": [
                {"name": "session", "volumeMounts": mounts, "env": variables},
                {"name": "deliver", "volumeMounts": mounts},
            ],
        },
    });
    let retries = json!({"most": 1, "firstWait": "0s"});
    let mut settings =
        json!({"on": "kubernetes", "executors": {"kubernetes": executor}, "retries": retries});
    for (key, value) in more.as_object().unwrap() {
        settings[key] = value.clone();
    }
    settings
}

fn on_kubernetes(project: &Project, cluster: &Cluster, more: Value) {
    project.write(".ralph/settings.json", &settings(cluster, project, more).to_string());
    test_repo::commit_all(project.root());
}

/// The names of the jobs that exist.
fn jobs(cluster: &Cluster) -> Vec<String> {
    let names = cluster.kubectl(&[NAMESPACE, "get", "jobs", "-o=name"]);
    names.lines().map(str::to_owned).collect()
}

fn started(event: &LoopEvent) -> Option<(&str, u64)> {
    match event {
        LoopEvent::JobStarted { node, restart, .. } => Some((node, *restart)),
        _ => None,
    }
}

fn is_started(event: &LoopEvent) -> bool {
    started(event).is_some()
}

fn outcomes(run: &Finished) -> Vec<AgentOutcome> {
    let ended = run.events.iter().filter_map(|event| match event {
        LoopEvent::AgentEnded(ended) => Some(ended.outcome),
        _ => None,
    });
    ended.collect()
}

#[test]
#[ignore = "needs Kubernetes; scripts/test-kubernetes.sh runs it"]
fn runs_in_a_cluster() {
    let mut cluster = Cluster::start();
    the_manifests_are_valid(&cluster);
    for scenario in [
        six_stories_are_worked_on_by_both_nodes,
        secrets_reach_the_agent_and_nothing_else,
        the_jobs_of_a_killed_runner_are_found_again,
        a_stopped_run_leaves_no_job_and_loses_no_work,
        the_time_limit_holds_in_the_pod_and_not_in_the_queue,
        doctor_tries_a_job,
    ] {
        scenario(&cluster);
        assert_eq!(jobs(&cluster), Vec::<String>::new());
    }
    the_session_of_a_lost_node_runs_again_and_counts_once(&mut cluster);
}

fn the_manifests_are_valid(cluster: &Cluster) {
    let folder = deploy().display().to_string();
    // Namespaces are not created by a dry run, so the others need it first.
    cluster.kubectl(&["apply", &format!("--filename={folder}/1-namespace.yaml")]);
    let args = ["--filename", &folder, "-o=name"];
    let tried = cluster.kubectl(&[&["apply", "--dry-run=server"], &args[..]].concat());
    let applied = cluster.kubectl(&[&["apply"], &args[..]].concat());
    let expected = "namespace/ralph
role.rbac.authorization.k8s.io/ralph-coordinator
rolebinding.rbac.authorization.k8s.io/ralph-coordinator
networkpolicy.networking.k8s.io/ralph
secret/ralph-agent
secret/ralph-git";
    assert_eq!((tried.as_str(), applied.as_str()), (expected, expected));
    let may = |what: &[&str]| {
        let ask = [&[NAMESPACE, "auth", "can-i"], what].concat();
        cluster.kubectl_with(&cluster.limited_config(), &ask, "") == "yes"
    };
    assert!(may(&["create", "jobs"]) && may(&["get", "pods", "--subresource=log"]));
    for forbidden in
        [&["get", "secrets"][..], &["create", "pods"], &["create", "pods", "--subresource=exec"]]
    {
        assert!(!may(forbidden), "{forbidden:?}");
    }
}

fn six_stories_are_worked_on_by_both_nodes(cluster: &Cluster) {
    let project = Project::new(6, &["test -d work"]);
    on_kubernetes(&project, cluster, json!({"checks": {"on": "kubernetes"}}));
    let run = project.run(&["-j", "4"]);
    run.assert_exit(0);
    assert_complete(&project);
    let nodes: BTreeSet<&str> =
        run.events.iter().filter_map(started).map(|(node, _)| node).collect();
    assert_eq!(nodes, BTreeSet::from(NODES));
    assert_eq!(outcomes(&run), [AgentOutcome::Answered; 12]);
    let is_of_checks = |event: &&LoopEvent| {
        matches!(event, LoopEvent::JobStarted { purpose: JobPurpose::Checks, .. })
    };
    assert!(run.events.iter().filter(is_of_checks).count() >= 12);
    let warnings = run.events.iter().filter(|event| matches!(event, LoopEvent::Warning { .. }));
    assert_eq!(warnings.collect::<Vec<_>>(), Vec::<&LoopEvent>::new());
}

fn secrets_reach_the_agent_and_nothing_else(cluster: &Cluster) {
    let project = waiting_project(1, &["US-1"]);
    on_kubernetes(&project, cluster, json!({}));
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: ralph-agent, namespace: ralph}\n\
                  stringData: {NODE_KEY: secret-of-the-node}";
    cluster.apply(secret);
    let mut runner = project.start(&[]);
    let pid = project.beside("pid-US-1");
    until("the agent waits", || pid.exists().then_some(()));
    runner.wait_for("a job", is_started);
    // Its number in the pod is not the one here.
    let environments = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let environments = processes.filter_map(|it| std::fs::read(it.path().join("environ")).ok());
        environments.map(|it| String::from_utf8_lossy(&it).into_owned()).collect::<Vec<_>>()
    };
    assert!(environments().iter().any(|it| it.contains("NODE_KEY=secret-of-the-node")));
    let spec = cluster.kubectl(&[NAMESPACE, "get", "jobs,pods", "-o=json"]);
    let pod = cluster.kubectl(&[NAMESPACE, "get", "pods", "-o=name"]);
    go_on(&project);
    let printed = cluster.kubectl(&[NAMESPACE, "logs", "--follow", &pod, "--all-containers"]);
    runner.finish().assert_exit(0);
    assert_complete(&project);
    let events = std::fs::read_dir(project.root().join(".ralph/runs")).unwrap().flatten();
    let events: Vec<String> = events
        .filter_map(|run| std::fs::read_to_string(run.path().join("events.jsonl")).ok())
        .collect();
    assert!(!spec.is_empty() && !printed.is_empty() && !events.is_empty());
    for text in [spec, printed].into_iter().chain(events) {
        assert!(!text.contains("secret-of-the"), "{text}");
    }
}

fn the_jobs_of_a_killed_runner_are_found_again(cluster: &Cluster) {
    for is_over in [false, true] {
        let project = waiting_project(1, &["US-1"]);
        on_kubernetes(&project, cluster, json!({}));
        let mut runner = project.start(&[]);
        runner.wait_for("a job", is_started);
        until("the agent waits", || project.beside("pid-US-1").exists().then_some(()));
        let first = jobs(cluster);
        runner.signal(Signal::KILL);
        runner.finish();
        if is_over {
            go_on(&project);
            let condition =
                [NAMESPACE, "get", &first[0], "-o=jsonpath={.status.conditions[*].type}"];
            cluster.wait_until(|cluster| cluster.kubectl(&condition) == "Complete");
        }
        let mut next = project.start(&[]);
        next.wait_for("the same session", is_started);
        assert_eq!(jobs(cluster), first);
        go_on(&project);
        let run = next.finish();
        run.assert_exit(0);
        assert_complete(&project);
        assert_eq!(outcomes(&run), [AgentOutcome::Answered; 2], "no session ran twice");
        assert_eq!(project.counter("iterations"), 2);
    }
}

fn a_stopped_run_leaves_no_job_and_loses_no_work(cluster: &Cluster) {
    let project = waiting_project(2, &["US-1", "US-2"]);
    on_kubernetes(&project, cluster, json!({"timeLimits": {"stopGrace": "0s"}}));
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
    let pods = [NAMESPACE, "get", "jobs,pods", "-o=name"];
    cluster.wait_until(|cluster| cluster.kubectl(&pods).is_empty());
    // What the agents had written came back.
    let halves = clones(&project).into_iter().filter(|clone| {
        ["US-1.txt", "US-2.txt"].iter().any(|name| clone.join("work").join(name).exists())
    });
    assert_eq!(halves.count(), 2);
    go_on(&project);
    project.run(&["-j", "2"]).assert_exit(0);
    assert_complete(&project);
}

fn the_time_limit_holds_in_the_pod_and_not_in_the_queue(cluster: &Cluster) {
    for node in NODES {
        cluster.kubectl(&["cordon", node]);
    }
    let project = waiting_project(1, &["US-1"]);
    let limits = json!({"timeLimits": {"iteration": "6s", "iterationSoft": "0s"}});
    on_kubernetes(&project, cluster, limits);
    let mut runner = project.start(&[]);
    let waits = |event: &LoopEvent| matches!(event, LoopEvent::JobWaiting { reason, .. } if reason.contains("unschedulable"));
    runner.wait_for("a full cluster", waits);
    // Longer than the session may take.
    let begun = Instant::now();
    cluster.wait_until(|_| begun.elapsed() > Duration::from_secs(8));
    for node in NODES {
        cluster.kubectl(&["uncordon", node]);
    }
    let run = runner.finish();
    run.assert_exit(0);
    assert_complete(&project);
    let expected = [AgentOutcome::TimedOut, AgentOutcome::Answered, AgentOutcome::Answered];
    assert_eq!(outcomes(&run), expected);
}

fn doctor_tries_a_job(cluster: &Cluster) {
    let project = Project::new(1, &["true"]);
    on_kubernetes(&project, cluster, json!({}));
    let agent = simulated_agent();
    let check = || {
        let agent = agent.to_str().unwrap();
        let output =
            project.call(&["doctor", "--json", "--no-self-test", "--agent-program", agent]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap().clone();
        let check = checks.into_iter().find(|check| check["id"] == "executor").unwrap();
        (check["state"].as_str().unwrap().to_owned(), check["found"].as_str().unwrap().to_owned())
    };
    let (state, found) = check();
    assert_eq!(state, "ok", "{found}");
    assert!(found.starts_with("kubernetes: a job on n"), "{found}");
    assert_eq!(test_repo::git(project.root(), &["for-each-ref", "refs/ralph/"]), "");

    let mut settings = settings(cluster, &project, json!({}));
    settings["executors"]["kubernetes"]["program"] = json!("/nonexistent/ralph-loop");
    project.write(".ralph/settings.json", &settings.to_string());
    let (state, found) = check();
    assert_eq!(state, "problem", "{found}");
    settings["executors"]["kubernetes"]["namespace"] = json!("kube-system");
    project.write(".ralph/settings.json", &settings.to_string());
    let (state, found) = check();
    assert_eq!(state, "problem");
    assert!(found.contains("forbidden"), "{found}");
    for job in jobs(cluster) {
        cluster.kubectl(&[NAMESPACE, "delete", &job]);
    }
}

fn the_session_of_a_lost_node_runs_again_and_counts_once(cluster: &mut Cluster) {
    let project = waiting_project(1, &["US-1"]);
    on_kubernetes(&project, cluster, json!({}));
    let mut runner = project.start(&[]);
    let event = runner.wait_for("a job", is_started);
    let (lost, _) = started(&event).unwrap();
    until("the agent waits", || project.beside("pid-US-1").exists().then_some(()));
    cluster.lose_node(lost);
    let again = |event: &LoopEvent| started(event).is_some_and(|(_, restart)| restart == 1);
    let event = runner.wait_for("the second start", again);
    assert_ne!(started(&event).unwrap().0, lost);
    go_on(&project);
    let run = runner.finish();
    run.assert_exit(0);
    assert_complete(&project);
    assert_eq!(outcomes(&run), [AgentOutcome::Answered; 2]);
    assert_eq!(project.counter("iterations"), 2);
}
