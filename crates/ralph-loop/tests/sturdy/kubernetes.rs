//! Sessions as jobs in a real Kubernetes cluster, by a user with the permissions of `deploy/kubernetes`. The tests share
//! one cluster, because it takes long to start.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use events::{AgentOutcome, JobPurpose, LoopEvent, RunEnd};
use kubernetes_cluster::{Cluster, IMAGE, NODES};
use rustix::process::Signal;
use serde_json::{Value, json};
use simulator::{Act, IGNORE_DENIALS_VARIABLE, Mode, SCENARIO_VARIABLE, Scenario, When};

use crate::harness::{Project, Unprivileged, simulated_agent, until};
use crate::job_events::{executor_check, is_started, outcomes, readable_texts, started};
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
        "gitSecret": "ralph-git",
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

#[test]
#[ignore = "needs Kubernetes; scripts/test-kubernetes.sh runs it"]
fn runs_in_a_cluster() {
    let mut cluster = Cluster::start();
    the_manifests_are_valid(&cluster);
    for scenario in [
        six_stories_are_worked_on_by_both_nodes,
        secrets_reach_the_agent_and_nothing_else,
        an_agent_gets_neither_the_output_of_its_worker_nor_the_credentials_of_git,
        another_user_than_root_does_the_same,
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
    for (name, key) in [("ralph-agent", "NODE_KEY"), ("ralph-git", ".git-credentials")] {
        let secret = format!("stringData: {{{key}: secret-of-the-node}}");
        let metadata = format!("metadata: {{name: {name}, namespace: ralph}}");
        cluster.apply(&format!("apiVersion: v1\nkind: Secret\n{metadata}\n{secret}"));
    }
    let mut runner = project.start(&[]);
    let pid = project.beside("pid-US-1");
    until("the agent waits", || pid.exists().then_some(()));
    runner.wait_for("a job", is_started);
    // Its number in the pod is not the one here.
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let environments = processes.filter_map(|it| std::fs::read(it.path().join("environ")).ok());
    let with_key = environments
        .filter(|it| String::from_utf8_lossy(it).contains("NODE_KEY=secret-of-the-node"));
    assert!(with_key.count() > 0, "the agent has it");
    let mut texts = readable_texts(&project);
    for kind in ["jobs", "pods", "events"] {
        texts.push((kind.to_owned(), cluster.kubectl(&[NAMESPACE, "get", kind, "-o=json"])));
    }
    let pod = cluster.kubectl(&[NAMESPACE, "get", "pods", "-o=name"]);
    go_on(&project);
    let logs = [NAMESPACE, "logs", "--follow", &pod, "--all-containers"];
    texts.push(("logs".to_owned(), cluster.kubectl(&logs)));
    runner.finish().assert_exit(0);
    assert_complete(&project);
    texts.extend(readable_texts(&project));
    for (place, text) in texts {
        assert!(!text.contains("secret-of-the"), "{place}");
    }
}

fn an_agent_gets_neither_the_output_of_its_worker_nor_the_credentials_of_git(cluster: &Cluster) {
    let project = Project::new(1, &["test -d work"]);
    let found = project.beside("found");
    let forged = r#"{"ended":{"ended":{"how":"by-itself","exit":{"code":0},"elapsed":{"secs":1,"nanos":0},
        "leftovers":{"ended":[],"alive":[]}},"commit":null,"findings":[],"notices":[]}}"#;
    let attack = format!(
        "exec >{found} 2>&1
        ls -a /ralph/git /var/run/secrets
        grep -al secret-of-the /proc/[0-9]*/environ
        sh -c 'echo \"r9999999999.1 {forged}\" >/proc/1/fd/1' || echo 'no output'
        head -c 1 /proc/1/mem || echo 'no memory'
        cd /ralph/exchange && git rev-parse HEAD refs/ralph/work/*
        for name in heads/planted ralph/results/planted/US-1/job.1; do
            git update-ref refs/$name $(git for-each-ref --format='%(objectname)' refs/ralph/work) && echo planted
        done",
        found = found.display(),
        forged = forged.replace('\n', "").replace('"', "\\\"")
    );
    let honest = [Act::write("work/US-1.txt", "x\n"), Act::submit("done"), Act::commit("work")];
    let acts = [Act::bash(attack)].into_iter().chain(honest).chain([Act::finish("ok")]);
    let first = When::mode(Mode::Implement).visit(1);
    project.scenario(&Scenario::new().rule(first, acts.collect::<Vec<_>>()));
    on_kubernetes(&project, cluster, json!({}));
    let run = project.run(&[]);
    let found = std::fs::read_to_string(&found).unwrap();
    for (refused, times) in
        [("No such file", 2), ("no output", 1), ("no memory", 1), ("planted\n", 2)]
    {
        assert!(found.matches(refused).count() >= times, "{refused}: {found}");
    }
    run.assert_exit(0);
    assert_complete(&project);
    assert_eq!(outcomes(&run), [AgentOutcome::Answered; 2]);
    let refs = test_repo::git(project.root(), &["for-each-ref"]);
    assert!(!refs.contains("planted"), "{refs}");
}

/// With the pod's other rules as they are: a user who owns nothing else, and no capabilities.
fn another_user_than_root_does_the_same(cluster: &Cluster) {
    let mut project = Project::new(1, &["test -d work"]);
    let mut settings = settings(cluster, &project, json!({}));
    let config = project.beside("kubeconfig");
    std::fs::copy(cluster.limited_config(), &config).unwrap();
    let executor = &mut settings["executors"]["kubernetes"];
    executor["config"] = json!(config);
    let user = 65534;
    executor["pod"]["securityContext"] =
        json!({"runAsUser": user, "runAsGroup": user, "fsGroup": user});
    project.write(".ralph/settings.json", &settings.to_string());
    test_repo::commit_all(project.root());
    let Some(mut unprivileged) = Unprivileged::of(&mut project) else { return };
    let run = project.run(&[]);
    unprivileged.give_back(&mut project);
    run.assert_exit(0);
    assert_complete(&project);
    assert_eq!(outcomes(&run), [AgentOutcome::Answered; 2]);
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
    let check = || executor_check(&project, &agent);
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
