//! What Kubernetes does with a Job like those of Ralph, without the code that submits them.

use std::thread;

use kubernetes_cluster::{Cluster, IMAGE};

/// Runs until it gets SIGTERM.
const UNTIL_TERMINATED: &str =
    "trap 'echo ended politely; exit 7' TERM; echo started; while true; do sleep 0.1; done";

const SECRET: &str = "
apiVersion: v1
kind: Secret
metadata: {name: agent}
stringData: {key: a secret}
";

/// The permissions of a user who submits such jobs.
const PERMISSIONS: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: jobs}
rules:
- {apiGroups: [batch], resources: [jobs], verbs: [create, get, list, delete]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: jobs}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: jobs}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: coordinator}]
";

/// What the first job prints: its user, the two files, its rights, two files it may not write, and the secret's mode.
const SEEN: &str = "1000
1000
a secret prepared
CapBnd:\t0000000000000000
NoNewPrivs:\t1
Seccomp:\t2
2
440 0 1000
no token";

/// A Job whose container `session` runs a shell script.
fn job(name: &str, script: &str) -> String {
    let security = "{allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}";
    let folders =
        "[{name: usr, mountPath: /usr, readOnly: true}, {name: shared, mountPath: /shared}]";
    format!(
        "
apiVersion: batch/v1
kind: Job
metadata: {{name: {name}, labels: {{test: {name}}}}}
spec:
  backoffLimit: 0
  ttlSecondsAfterFinished: 600
  template:
    metadata: {{labels: {{test: {name}}}}}
    spec:
      restartPolicy: Never
      activeDeadlineSeconds: 600
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: 20
      securityContext:
        runAsUser: 1000
        runAsGroup: 1000
        runAsNonRoot: true
        fsGroup: 1000
        seccompProfile: {{type: RuntimeDefault}}
      tolerations:
      - {{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 3}}
      - {{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 3}}
      initContainers:
      - name: prepare
        image: {IMAGE}
        imagePullPolicy: IfNotPresent
        command: [sh, -c, echo prepared >/shared/prepared]
        securityContext: {security}
        volumeMounts: {folders}
      containers:
      - name: session
        image: {IMAGE}
        imagePullPolicy: IfNotPresent
        command: [sh, -c, {script:?}]
        resources: {{requests: {{cpu: 100m, memory: 16Mi}}, limits: {{cpu: '1', memory: 256Mi}}}}
        securityContext:
          allowPrivilegeEscalation: false
          readOnlyRootFilesystem: true
          capabilities: {{drop: [ALL]}}
        volumeMounts:
        - {{name: usr, mountPath: /usr, readOnly: true}}
        - {{name: shared, mountPath: /shared}}
        - {{name: agent, mountPath: /secrets, readOnly: true}}
      - name: files
        image: {IMAGE}
        imagePullPolicy: IfNotPresent
        command: [sh, -c, 'trap exit TERM; until [ -e /shared/done ]; do sleep 0.1; done']
        securityContext: {security}
        volumeMounts: {folders}
      volumes:
      - {{name: usr, hostPath: {{path: /usr, type: Directory}}}}
      - {{name: shared, emptyDir: {{}}}}
      - {{name: agent, secret: {{secretName: agent, defaultMode: 0440}}}}
"
    )
}

/// The phase, node and name of the pods of a job, one in each line, in the order of their creation.
fn pods(cluster: &Cluster, job: &str) -> Vec<[String; 3]> {
    let label = format!("--selector=test={job}");
    let format = r#"-o=jsonpath={range .items[*]}{.status.phase} {.spec.nodeName} {.metadata.name}{"\n"}{end}"#;
    let printed =
        cluster.kubectl(&["get", "pods", &label, "--sort-by=.metadata.creationTimestamp", format]);
    printed
        .lines()
        .filter_map(|line| {
            let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
            words.try_into().ok()
        })
        .collect()
}

/// Waits until this many pods of a job run or ran, and returns the node and the name of the newest.
fn wait_for_pod(cluster: &Cluster, job: &str, number: usize) -> [String; 2] {
    let mut found = None;
    cluster.wait_until(|cluster| {
        let pods = pods(cluster, job);
        found =
            pods.last().filter(|[phase, ..]| phase != "Pending" && pods.len() == number).cloned();
        found.is_some()
    });
    let [_, node, name] = found.unwrap_or_default();
    [node, name]
}

fn follow(cluster: &Cluster, pod: &str) -> String {
    cluster.kubectl(&["logs", "--follow", pod, "--container=session"])
}

#[test]
#[ignore = "needs Kubernetes; scripts/test-kubernetes.sh runs it"]
fn a_job_completes_and_is_cancelled_and_moves_to_another_node() {
    let mut cluster = Cluster::start();
    cluster.apply(SECRET);
    completes(&cluster);
    may_be_limited(&cluster);
    is_cancelled(&cluster);
    moves(&mut cluster);
}

fn completes(cluster: &Cluster) {
    let script = "id -u; id -G; echo $(cat /secrets/key) $(cat /shared/prepared)
        grep -E 'NoNewPrivs|CapBnd|Seccomp:' /proc/self/status
        touch /usr/x /x 2>&1 | grep -c Read-only
        stat -c '%a %u %g' /secrets/..data/key; [ -e /var/run/secrets ] || echo no token
        echo result >/dev/termination-log; touch /shared/done";
    cluster.apply(&job("first", script));
    let [_, pod] = wait_for_pod(cluster, "first", 1);
    assert_eq!(follow(cluster, &pod), SEEN);
    let conditions = "-o=jsonpath={.status.conditions[*].type}";
    cluster
        .wait_until(|cluster| cluster.kubectl(&["get", "job", "first", conditions]) == "Complete");
    let message =
        "-o=jsonpath={.status.containerStatuses[?(@.name=='session')].state.terminated.message}";
    assert_eq!(cluster.kubectl(&["get", "pod", &pod, message]), "result");
}

fn may_be_limited(cluster: &Cluster) {
    let submits = ["auth", "can-i", "create", "jobs"];
    let ask = |question: &[&str]| cluster.kubectl_with(&cluster.limited_config(), question, "");
    assert_eq!(ask(&submits), "no");
    cluster.apply(PERMISSIONS);
    cluster.wait_until(|_| ask(&submits) == "yes");
    assert_eq!(ask(&["get", "jobs", "-o=name"]), "job.batch/first");
    assert_eq!(ask(&["get", "secrets", "-o=name"]), "");
}

fn is_cancelled(cluster: &Cluster) {
    cluster.apply(&job("second", UNTIL_TERMINATED));
    let [_, pod] = wait_for_pod(cluster, "second", 1);
    thread::scope(|scope| {
        let printed = scope.spawn(|| follow(cluster, &pod));
        cluster.wait_until(|cluster| cluster.kubectl(&["logs", &pod, "session"]) == "started");
        cluster.kubectl(&["delete", "job", "second", "--cascade=foreground", "--wait=false"]);
        let printed = printed.join().unwrap_or_default();
        // A line of the container runtime may follow: the container is removed while kubectl reads.
        assert!(printed.starts_with("started\nended politely"), "{printed}");
    });
    // Kubernetes 1.20 may take longer than a minute to remove the pod.
}

fn moves(cluster: &mut Cluster) {
    cluster.apply(&job("third", UNTIL_TERMINATED));
    let [node, pod] = wait_for_pod(cluster, "third", 1);
    assert!(cluster.kubectl(&["get", "nodes", "-o=name"]).contains(&node));
    cluster.lose_node(&node);
    let [other, newer] = wait_for_pod(cluster, "third", 2);
    assert!(node != other && pod != newer, "{newer} on {other}");
    cluster.wait_until(|cluster| cluster.kubectl(&["logs", &newer, "session"]) == "started");
}
