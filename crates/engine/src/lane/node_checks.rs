//! The checks of a commit on another machine.

use std::time::Duration;

use job_engines::JobName;
use supervise::Reaction;
use tasks::StoryId;
use vcs::CommitId;

use crate::RunError;
use crate::checks::{
    GuardrailResults, GuardrailRound, GuardrailsVerdict, RoundInput, RoundProgress,
};
use crate::control::RunControl;
use crate::control::node_jobs::{NodeJob, Submission};
use crate::lane::core::Lane;
use crate::lane::node_session::{JOB_LOG, NodeTask};
use crate::options::Guardrail;
use crate::run_id::random;

impl Lane<'_> {
    /// `None` if checks run here, also because the batch engine failed.
    pub(super) fn run_round_as_job(
        &mut self,
        control: &mut RunControl<'_>,
        story: &StoryId,
        input: RoundInput<'_>,
        task_list: &str,
        head: &CommitId,
    ) -> Result<Option<(GuardrailResults, Vec<String>)>, RunError> {
        let RoundInput { guardrails, folder, .. } = input;
        let executor = control.executor;
        let Some(jobs) = executor.check_jobs() else { return Ok(None) };
        let workspace = &self.workspace;
        // A runner that is killed does not look for the checks of the one before.
        let name =
            JobName::new(&workspace.run_id, story.as_str(), &format!("checks-{}", random(8)));
        let (guardrails_sent, list) = (guardrails.to_vec(), task_list.to_owned());
        let task = NodeTask::Checks { story: story.clone(), guardrails: guardrails_sent, list };
        let options = self.options.lanes.as_ref().and_then(|lanes| lanes.checks.as_ref());
        let work = self.node_work(task, options, name.to_string(), control)?;
        let job = NodeJob {
            run_id: &workspace.run_id,
            story,
            work: &serde_json::to_vec(&work).unwrap_or_default(),
            clone: &workspace.tree,
            start: head,
            log: &folder.join(format!("{name}-{JOB_LOG}")),
            limit: control.limit_of(guardrails),
            grace: self.options.run.limits.grace,
            submission: Submission::New,
            name,
        };
        let sink = control.sink.clone();
        let instead = |why: String| {
            sink.warn(format!(
                "running the checks on this machine, because their job failed: {why}"
            ));
            Ok(None)
        };
        let running = match jobs.submit(&job, &sink)? {
            Ok(running) => running,
            Err(why) => return instead(why),
        };
        let mut round = GuardrailRound::new(input).elsewhere(&*running);
        while control.run_next_guardrail(&mut round)? == RoundProgress::Open {}
        let results = round.end();
        let is_skipped = control.orders.reaction() == Reaction::Enough;
        if results.verdict == GuardrailsVerdict::Interrupted
            && (is_skipped || control.switch.requested().is_some())
        {
            return Ok(Some((results, Vec::new())));
        }
        match running.end() {
            Ok(result) => Ok(Some((results, result.findings))),
            Err(why) => instead(why),
        }
    }
}

impl RunControl<'_> {
    /// `None` if a check has no limit.
    fn limit_of(&self, guardrails: &[Guardrail]) -> Option<Duration> {
        guardrails.iter().map(|guardrail| self.time_for(guardrail).hard).sum()
    }
}
