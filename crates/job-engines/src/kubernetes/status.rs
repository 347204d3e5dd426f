//! Reads what `kubectl get` prints of jobs and their pods.

use std::collections::BTreeMap;

use crate::call::unreadable;
use crate::job::{EngineError, JobEnd, JobId, JobState, JobStatus, OutputId};

/// One line per object, with the fields of [`Line`] between tabs.
pub(super) const FORMAT: &str = concat!(
    r#"{range .items[*]}{.kind}{"\t"}{.metadata.labels.job-name}{"\t"}{.metadata.name}{"\t"}"#,
    r#"{.metadata.creationTimestamp}{"\t"}{.metadata.deletionTimestamp}{"\t"}"#,
    r#"{.status.phase}{"\t"}{.status.conditions[?(@.status=="True")].type}{"\t"}"#,
    r#"{.status.reason}{"\t"}{.spec.nodeName}{"\t"}"#,
    r#"{.status.containerStatuses[?(@.name=="session")].state.terminated.reason} "#,
    r#"{.status.containerStatuses[?(@.name=="session")].state.terminated.exitCode}{"\t"}"#,
    r#"{.status.initContainerStatuses[*].state.waiting.reason} "#,
    r#"{.status.containerStatuses[?(@.name=="session")].state.waiting.reason}{"\t"}"#,
    r#"{.status.conditions[?(@.reason=="Unschedulable")].message}{"\n"}{end}"#,
);

/// A job or a pod. Fields that an object does not have are empty.
struct Line<'l> {
    kind: &'l str,
    job: &'l str,
    name: &'l str,
    created: &'l str,
    deleted: &'l str,
    phase: &'l str,
    /// The types of the conditions that are true.
    conditions: &'l str,
    reason: &'l str,
    node: &'l str,
    /// How the session's container ended: reason and exit code.
    exit: &'l str,
    /// Why containers have not started.
    waits: &'l str,
    unschedulable: &'l str,
}

impl<'l> Line<'l> {
    fn read(line: &'l str) -> Option<Self> {
        let mut fields = line.splitn(12, '\t').map(str::trim);
        let mut next = || fields.next();
        Some(Self {
            kind: next()?,
            job: next()?,
            name: next()?,
            created: next()?,
            deleted: next()?,
            phase: next()?,
            conditions: next()?,
            reason: next()?,
            node: next()?,
            exit: next()?,
            waits: next()?,
            unschedulable: next()?,
        })
    }

    fn has_condition(&self, wanted: &str) -> bool {
        self.conditions.split(' ').any(|it| it == wanted)
    }

    fn waits_for(&self) -> String {
        let texts = [self.reason, self.unschedulable, self.waits];
        let reason = texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
        sanitize_line(reason)
    }

    fn failure(&self) -> String {
        let texts = [self.reason, self.exit].into_iter().filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join(", exit of the session: ")
    }
}

pub(super) fn parse(printed: &str) -> Result<BTreeMap<JobId, JobStatus>, EngineError> {
    let mut objects: BTreeMap<&str, (Option<Line<'_>>, Option<Line<'_>>)> = BTreeMap::new();
    for text in printed.lines().filter(|line| !line.is_empty()) {
        let line = Line::read(text).ok_or_else(|| unreadable("kubectl", text))?;
        let (job, newest) = objects.entry(line.job).or_default();
        match line.kind {
            "Job" => *job = Some(line),
            // A pod that is removed, for example of a lost node, may have a successor.
            _ if newest.as_ref().is_none_or(|other| rank(other) <= rank(&line)) => {
                *newest = Some(line);
            }
            _ => {}
        }
    }
    let statuses = objects.into_iter().map(|(name, (job, pod))| {
        let status = status(job.as_ref(), pod.as_ref());
        (JobId(name.to_owned()), status)
    });
    Ok(statuses.collect())
}

/// Times in this format are ordered as text.
fn rank<'l>(pod: &Line<'l>) -> (bool, &'l str) {
    (pod.deleted.is_empty(), pod.created)
}

fn status(job: Option<&Line<'_>>, pod: Option<&Line<'_>>) -> JobStatus {
    let is_running = |pod: &Line<'_>| pod.phase != "Pending";
    let has_ended = |pod: &Line<'_>| ["Succeeded", "Failed"].contains(&pod.phase);
    let state = match (job, pod) {
        (Some(job), _) if job.has_condition("Complete") => JobState::Ended(JobEnd::Completed),
        // The objects of a job that was cancelled stay for a while.
        (Some(job), pod) if !job.deleted.is_empty() && pod.is_none_or(has_ended) => {
            JobState::Ended(JobEnd::Cancelled)
        }
        (_, Some(pod)) if pod.phase == "Failed" && pod.reason == "DeadlineExceeded" => {
            JobState::Ended(JobEnd::TimeLimit)
        }
        (Some(job), pod) if job.has_condition("Failed") => {
            let why = pod.map(Line::failure).unwrap_or_default();
            JobState::Ended(JobEnd::Failed(if why.is_empty() { "failed".into() } else { why }))
        }
        (_, Some(pod)) if is_running(pod) => JobState::Running,
        (_, Some(pod)) => JobState::Waiting { reason: pod.waits_for() },
        (Some(_) | None, None) => JobState::Waiting { reason: String::new() },
    };
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    JobStatus {
        state,
        node: pod.and_then(|pod| text(pod.node)),
        output: pod.filter(|pod| is_running(pod)).map(|pod| OutputId(pod.name.to_owned())),
    }
}

/// The engine's words for a display.
fn sanitize_line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(fields: [&str; 12]) -> String {
        fields.join("\t") + "\n"
    }

    fn job(conditions: &str, deleted: &str) -> String {
        line(["Job", "a", "a", "2026-11-01T00:00:00Z", deleted, "", conditions, "", "", "", "", ""])
    }

    fn pod(name: &str, second: u8, phase: &str, reason: &str, exit: &str) -> String {
        let created = format!("2026-11-01T00:00:{second:02}Z");
        line(["Pod", "a", name, &created, "", phase, "", reason, "n1", exit, "", ""])
    }

    fn status_of(printed: &str) -> JobStatus {
        parse(printed).unwrap().remove(&JobId("a".into())).unwrap()
    }

    #[test]
    fn a_pod_that_waits_says_why() {
        let unschedulable = "0/2 nodes are available: 2 Insufficient cpu.";
        let pod = |waits, unschedulable| {
            line([
                "Pod",
                "a",
                "a-x",
                "2026-11-01T00:00:01Z",
                "",
                "Pending",
                "",
                "",
                "",
                "",
                waits,
                unschedulable,
            ])
        };
        for (pod, reason) in [
            (pod("", unschedulable), unschedulable),
            (pod("ImagePullBackOff", ""), "ImagePullBackOff"),
        ] {
            let status = status_of(&(job("", "") + &pod));
            assert_eq!(status.state, JobState::Waiting { reason: reason.into() });
            assert_eq!(status.output, None);
        }
        assert_eq!(status_of(&job("", "")).state, JobState::Waiting { reason: String::new() });
    }

    #[test]
    fn the_newest_pod_that_is_not_removed_counts() {
        let lost = line([
            "Pod",
            "a",
            "a-3",
            "2026-11-01T00:00:03Z",
            "2026-11-01T00:01:00Z",
            "Running",
            "",
            "",
            "n2",
            "",
            "",
            "",
        ]);
        let printed =
            [pod("a-1", 1, "Failed", "", ""), pod("a-2", 2, "Running", "", ""), lost, job("", "")];
        let status = status_of(&printed.concat());
        assert_eq!(status.output, Some(OutputId("a-2".into())));
        assert_eq!((status.state, status.node), (JobState::Running, Some("n1".into())));
    }

    #[test]
    fn ends_are_told_apart() {
        let of = |job: String, pod: String| status_of(&(job + &pod)).state;
        let done = pod("a-1", 1, "Succeeded", "", "Completed 0");
        assert_eq!(of(job("Complete", ""), done.clone()), JobState::Ended(JobEnd::Completed));
        // The controller has not noticed yet.
        assert_eq!(of(job("", ""), done), JobState::Running);
        let late = pod("a-1", 1, "Failed", "DeadlineExceeded", "");
        assert_eq!(of(job("Failed", ""), late), JobState::Ended(JobEnd::TimeLimit));
        let killed = pod("a-1", 1, "Failed", "", "OOMKilled 137");
        let why = JobEnd::Failed("OOMKilled 137".into());
        assert_eq!(of(job("Failed", ""), killed), JobState::Ended(why));
        let deleted = job("", "2026-11-01T00:01:00Z");
        assert_eq!(of(deleted.clone(), String::new()), JobState::Ended(JobEnd::Cancelled));
        let running = pod("a-1", 1, "Running", "", "");
        assert_eq!(of(deleted, running.clone()), JobState::Running);
        let deleted = job("Failed", "2026-11-01T00:01:00Z");
        let stopped = pod("a-1", 1, "Failed", "", "Error 7");
        assert_eq!(of(deleted, stopped), JobState::Ended(JobEnd::Cancelled));
        // Its job was removed in another way.
        assert_eq!(status_of(&running).state, JobState::Running);
    }

    #[test]
    fn other_lines_are_an_error() {
        assert_eq!(parse("").unwrap(), BTreeMap::new());
        assert!(parse("Pod\tx").is_err());
    }
}
