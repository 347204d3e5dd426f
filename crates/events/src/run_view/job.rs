//! The job of an iteration's session on another machine: where it runs, and how long it waited and ran.

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::format::duration;
use crate::working_time::seconds;
use crate::{JobPurpose, LoopEvent};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JobView {
    pub name: String,
    /// Empty if the runner that submitted it was killed.
    pub engine: String,
    pub submitted_at: DateTime<Utc>,
    /// Where it runs or ran last; `None` while it waits.
    pub node: Option<String>,
    pub started_at: Option<DateTime<Utc>>,
    pub ended_at: Option<DateTime<Utc>>,
    /// How often the engine started it again.
    pub restarts: u64,
}

impl JobView {
    /// `job` is that of the session, `checks` those of its checks.
    pub(super) fn apply(
        job: &mut Option<Self>,
        checks: &mut Vec<Self>,
        at: DateTime<Utc>,
        event: &LoopEvent,
    ) {
        match event {
            LoopEvent::JobWaiting { job: name, purpose: JobPurpose::Checks, .. }
            | LoopEvent::JobStarted { job: name, purpose: JobPurpose::Checks, .. } => {
                let is_new = checks.last().is_none_or(|last| last.name != *name);
                let mut latest = if is_new { None } else { checks.pop() };
                Self::apply_to(&mut latest, at, event);
                checks.extend(latest);
            }
            LoopEvent::ChecksJudged { .. } => {
                for job in checks {
                    job.ended_at.get_or_insert(at);
                }
            }
            _ => Self::apply_to(job, at, event),
        }
    }

    fn apply_to(job: &mut Option<Self>, at: DateTime<Utc>, event: &LoopEvent) {
        let submitted = |name: &str, engine: &str| Self {
            name: name.to_owned(),
            engine: engine.to_owned(),
            submitted_at: at,
            node: None,
            started_at: None,
            ended_at: None,
            restarts: 0,
        };
        match event {
            LoopEvent::JobWaiting { job: name, engine, .. } => match job {
                // It waits again after its node was lost.
                Some(job) if job.name == *name => (job.node, job.started_at) = (None, None),
                _ => *job = Some(submitted(name, engine)),
            },
            LoopEvent::JobStarted { job: name, node, restart, .. } => {
                let known = job.take().filter(|job| job.name == *name);
                *job = Some(Self {
                    node: Some(node.clone()),
                    started_at: Some(at),
                    restarts: *restart,
                    ..known.unwrap_or_else(|| submitted(name, ""))
                });
            }
            LoopEvent::AgentEnded(_) => {
                if let Some(job) = job {
                    job.ended_at = Some(at);
                }
            }
            _ => {}
        }
    }

    /// Until its last start; `None` while it waits.
    pub fn queued_seconds(&self) -> Option<f64> {
        Some(seconds(self.submitted_at, self.started_at?))
    }

    /// `None` until it has ended.
    pub fn run_seconds(&self) -> Option<f64> {
        Some(seconds(self.started_at?, self.ended_at?))
    }

    /// `on n1, queued 12s, ran 3m 10s`; empty while it waits.
    pub fn summary(&self) -> String {
        let Some(node) = &self.node else { return String::new() };
        let mut text = format!("on {node}");
        if let Some(queued) = self.queued_seconds() {
            text += &format!(", queued {}", duration(queued));
        }
        if let Some(ran) = self.run_seconds() {
            text += &format!(", ran {}", duration(ran));
        }
        text
    }
}
