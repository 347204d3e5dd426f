use std::time::Duration;

use super::*;
use crate::job::JobName;

fn options() -> KubernetesOptions {
    KubernetesOptions {
        image: "example/worker:1".into(),
        program: "ralph-loop".into(),
        cpus: Some(4),
        memory: Some("8Gi".into()),
        secret: Some("agent".into()),
        git_secret: Some("git".into()),
        ..KubernetesOptions::default()
    }
}

fn manifest(options: &KubernetesOptions) -> Value {
    job(
        options,
        &Job {
            name: JobName::new("20261118-225454-ab12", "US-1", "1-1"),
            run_id: "20261118-225454-aB12".into(),
            story: "-US 1".into(),
            work: Work {
                repository: "https://git.example/project.git".into(),
                name: "refs/ralph/work/r/s/j".into(),
                commit: "0123".into(),
            },
            limit: Some(Duration::from_secs(600)),
            log: "/p/job.log".into(),
        },
    )
}

fn containers(manifest: &Value) -> Vec<Value> {
    let pod = &manifest["spec"]["template"]["spec"];
    [&pod["initContainers"], &pod["containers"]]
        .into_iter()
        .flat_map(|list| list.as_array().unwrap().clone())
        .collect()
}

/// The first three words of its command.
fn words(container: &Value) -> Vec<&str> {
    let words = container["command"].as_array().unwrap().iter().take(3);
    words.map(|word| word.as_str().unwrap()).collect()
}

fn mounts(container: &Value) -> Vec<&str> {
    let mounts = container["volumeMounts"].as_array().unwrap().iter();
    mounts.map(|mount| mount["mountPath"].as_str().unwrap()).collect()
}

#[test]
fn only_the_session_gets_the_secrets_of_the_agent_and_only_the_others_those_of_git() {
    let manifest = manifest(&options());
    let containers = containers(&manifest);
    let [fetch, session, deliver] = containers.as_slice() else { panic!("{manifest:#}") };
    for container in [fetch, deliver] {
        assert_eq!(mounts(container), [EXCHANGE, GIT_HOME]);
        assert!(container.get("resources").is_none());
    }
    assert_eq!(mounts(session), [EXCHANGE, WORK, HOME, SECRETS]);
    let wanted = json!({"cpu": "4", "memory": "8Gi"});
    assert_eq!(session["resources"], json!({"requests": wanted, "limits": wanted}));
    // The agent's container does not learn where the remote repository is.
    assert!(!session.to_string().contains("git.example"), "{session}");
    assert_eq!(words(fetch), ["ralph-loop", "relay", "fetch"]);
    assert_eq!(words(deliver), ["ralph-loop", "relay", "deliver"]);
    assert_eq!(words(session), ["ralph-loop", "worker", "--repository"]);
}

#[test]
fn labels_and_limits_are_valid() {
    let manifest = manifest(&options());
    let labels = &manifest["metadata"]["labels"];
    assert_eq!(
        (&labels["ralph-story"], &labels["ralph-run"]),
        (&json!("US-1"), &json!("20261118-225454-aB12"))
    );
    assert_eq!(labels, &manifest["spec"]["template"]["metadata"]["labels"]);
    assert_eq!(manifest["spec"]["template"]["spec"]["activeDeadlineSeconds"], json!(600 + GRACE));
}

#[test]
fn settings_are_merged_into_the_pod() {
    let Value::Object(pod) = json!({
        "nodeSelector": {"pool": "agents"},
        "securityContext": {"seccompProfile": null},
        "containers": [{"name": "session", "env": [{"name": "A", "value": "b"}]}, {"name": "proxy"}],
    }) else {
        panic!()
    };
    let manifest = manifest(&KubernetesOptions { pod, ..options() });
    let spec = &manifest["spec"]["template"]["spec"];
    assert_eq!(spec["nodeSelector"]["pool"], json!("agents"));
    assert_eq!(spec["securityContext"].get("seccompProfile"), None);
    assert_eq!(spec["securityContext"]["runAsUser"], json!(USER));
    let names: Vec<Value> = containers(&manifest).iter().map(|it| it["name"].clone()).collect();
    assert_eq!(names, ["fetch", "session", "deliver", "proxy"]);
    let variables = spec["containers"][0]["env"].as_array().unwrap();
    assert_eq!(variables.len(), 3);
}
