//! The Job that runs one worker.
//!
//! Its pod has three containers, so that the agent never sees the credentials of git: `fetch` copies the work from the
//! remote repository into one that only this pod has, `session` runs the worker with it, and `deliver` copies the result
//! back once the worker has ended.

use serde_json::{Map, Value, json};

use crate::job::{Job, Work};
use crate::kubernetes::{KubernetesOptions, SESSION};
use crate::placement::NODE_VARIABLE;
use crate::worker_command::WorkerProgram;

/// Kubernetes sets it for the pods of a job.
pub(super) const NAME_LABEL: &str = "job-name";

/// Seconds for the end of a session that is cancelled: its commit and its delivery.
const GRACE: u64 = 900;

/// Seconds after which Kubernetes removes a job that has ended.
const KEPT: u64 = 86400;

/// A user who is not root, because agents refuse to work as root.
const USER: u64 = 1000;

/// Folders of the pod: the repository that its containers share, and others.
const EXCHANGE: &str = "/ralph/exchange";
const LOCK: &str = "/ralph/exchange/worker.lock";
const WORK: &str = "/ralph/work";
const HOME: &str = "/ralph/home";
const GIT_HOME: &str = "/ralph/git";
const SECRETS: &str = "/ralph/secrets";

pub(super) fn job(options: &KubernetesOptions, job: &Job) -> Value {
    let labels = json!({
        "app.kubernetes.io/managed-by": "ralph-loop",
        NAME_LABEL: job.name.as_str(),
        "ralph-run": label(&job.run_id),
        "ralph-story": label(&job.story),
    });
    let mut pod = pod(options, job);
    merge(&mut pod, &Value::Object(options.pod.clone()));
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": { "name": job.name.as_str(), "labels": labels },
        "spec": {
            // A failed session is tried again by the run.
            "backoffLimit": 0,
            "ttlSecondsAfterFinished": KEPT,
            "template": { "metadata": { "labels": labels }, "spec": pod },
        },
    })
}

fn pod(options: &KubernetesOptions, job: &Job) -> Value {
    let mounted = |name: &str, path: &str| json!({ "name": name, "mountPath": path });
    let exchange = mounted("exchange", EXCHANGE);
    let git = options.git_secret.as_ref().map(|_| mounted("git", GIT_HOME));
    let secrets = options.secret.as_ref().map(|_| mounted("secrets", SECRETS));
    let of_git: Vec<&Value> = [Some(&exchange), git.as_ref()].into_iter().flatten().collect();
    let (work, home) = (mounted("work", WORK), mounted("home", HOME));
    let of_session = [Some(&exchange), Some(&work), Some(&home), secrets.as_ref()];
    let of_session: Vec<&Value> = of_session.into_iter().flatten().collect();
    let empty = |name: &str| json!({ "name": name, "emptyDir": {} });
    let secret = |name: &str, secret: &Option<String>| {
        let secret = json!({ "secretName": secret.as_ref()?, "defaultMode": 0o440 });
        Some(json!({ "name": name, "secret": secret }))
    };
    let volumes = [Some(empty("exchange")), Some(empty("work")), Some(empty("home"))];
    let volumes = volumes
        .into_iter()
        .chain([secret("git", &options.git_secret), secret("secrets", &options.secret)]);
    let volumes: Vec<Value> = volumes.flatten().collect();
    let node = json!({ "fieldRef": { "fieldPath": "spec.nodeName" } });
    let container = |name: &str, command: Vec<String>, mounts: &[&Value], home: &str| {
        json!({
            "name": name,
            "image": options.image,
            "command": command,
            "env": [{ "name": "HOME", "value": home }, { "name": NODE_VARIABLE, "valueFrom": node }],
            "volumeMounts": mounts,
            "securityContext": {
                "allowPrivilegeEscalation": false,
                "capabilities": { "drop": ["ALL"] },
            },
        })
    };
    let mut session = container(SESSION, session(options, &job.work), &of_session, HOME);
    session["resources"] = resources(options);
    let mut deliver = relay(options, &job.work, "deliver");
    deliver.extend(["--lock", LOCK].map(str::to_owned));
    let deliver = container("deliver", deliver, &of_git, GIT_HOME);
    json!({
        "restartPolicy": "Never",
        "automountServiceAccountToken": false,
        "enableServiceLinks": false,
        "terminationGracePeriodSeconds": GRACE,
        "activeDeadlineSeconds": job.limit.map(|limit| limit.as_secs().saturating_add(GRACE)),
        "securityContext": {
            "runAsUser": USER, "runAsGroup": USER, "fsGroup": USER, "runAsNonRoot": true,
            "seccompProfile": { "type": "RuntimeDefault" },
        },
        "volumes": volumes,
        "initContainers": [container("fetch", relay(options, &job.work, "fetch"), &of_git, GIT_HOME)],
        "containers": [session, deliver],
    })
}

fn session(options: &KubernetesOptions, work: &Work) -> Vec<String> {
    let program = WorkerProgram {
        path: options.program.clone(),
        secrets: options.secret.as_ref().map(|_| SECRETS.to_owned()),
        folder: Some(WORK.to_owned()),
    };
    let work = Work { repository: EXCHANGE.to_owned(), ..work.clone() };
    let mut command = program.command(&work);
    command.extend(["--in-container", "--lock", LOCK].map(str::to_owned));
    command
}

fn relay(options: &KubernetesOptions, work: &Work, step: &str) -> Vec<String> {
    let Work { repository, name, commit } = work;
    let flags =
        ["--exchange", EXCHANGE, "--repository", repository, "--ref", name, "--commit", commit];
    let words = [options.program.as_str(), "relay", step].into_iter().chain(flags);
    words.map(str::to_owned).collect()
}

fn resources(options: &KubernetesOptions) -> Value {
    let mut wanted = Map::new();
    wanted.extend(options.cpus.map(|cpus| ("cpu".to_owned(), json!(cpus.to_string()))));
    wanted.extend(options.memory.iter().map(|memory| ("memory".to_owned(), json!(memory))));
    json!({ "requests": wanted, "limits": wanted })
}

/// Values of labels have at most 63 letters, digits, `-`, `_` and `.`, and begin and end with a letter or digit.
fn label(text: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let text: String = text.chars().take(63).map(allowed).collect();
    text.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned()
}

/// Adds `more` to `base`. `null` removes a value. The items of two lists with the same `name` are merged; others are
/// appended.
fn merge(base: &mut Value, more: &Value) {
    match (base, more) {
        (Value::Object(base), Value::Object(more)) => {
            for (key, value) in more {
                match base.get_mut(key) {
                    _ if value.is_null() => {
                        base.remove(key);
                    }
                    Some(old) => merge(old, value),
                    None => {
                        base.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (Value::Array(base), Value::Array(more)) => {
            for item in more {
                let name = item.get("name").filter(|name| name.is_string());
                let same = base.iter_mut().find(|old| name.is_some() && old.get("name") == name);
                match same {
                    Some(old) => merge(old, item),
                    None => base.push(item.clone()),
                }
            }
        }
        (base, more) => *base = more.clone(),
    }
}

#[cfg(test)]
mod tests;
