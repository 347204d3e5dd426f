//! Jobs in a cluster of the test.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use job_engines::{
    Cancel, Job, JobEngine, JobId, JobName, JobState, JobStatus, Slurm, SlurmOptions, Work,
    WorkerProgram,
};
use slurm_cluster::Cluster;
use supervise::{Keeper, ProgramRunner, StopRequests};

pub(crate) struct Jobs {
    pub(crate) cluster: Cluster,
    keeper: Keeper,
    stop: StopRequests,
    slurm: Slurm,
}

impl Jobs {
    pub(crate) fn start() -> Self {
        let cluster = Cluster::start();
        let options = SlurmOptions { config: Some(cluster.config()), ..SlurmOptions::default() };
        let keeper = Keeper::at(env!("CARGO_BIN_EXE_job-engines-test-keeper"));
        Self {
            cluster,
            keeper,
            stop: StopRequests::new(),
            slurm: Slurm { options, worker: WorkerProgram::default() },
        }
    }

    fn runner(&self) -> ProgramRunner<'_> {
        ProgramRunner { keeper: &self.keeper, folder: self.cluster.folder(), stop: &self.stop }
    }

    /// Submits a job that runs `script`, with more arguments for `sbatch`.
    pub(crate) fn submit(&self, number: u64, script: &str, extra_args: &[&str]) -> JobId {
        let mut slurm = self.slurm.clone();
        slurm.options.extra_args = extra_args.iter().map(ToString::to_string).collect();
        let job = Job {
            name: name(number),
            run_id: "run".to_owned(),
            story: "US-1".to_owned(),
            work: Work { repository: String::new(), name: String::new(), commit: String::new() },
            limit: Some(Duration::from_secs(600)),
            log: self.log(number),
        };
        let command = ["/bin/sh", "-c", script].map(str::to_owned);
        slurm.submit_command(&job, &command, &self.runner()).unwrap()
    }

    fn log(&self, number: u64) -> PathBuf {
        self.cluster.folder().join(format!("job-{number}.log"))
    }

    pub(crate) fn printed(&self, number: u64) -> String {
        fs::read_to_string(self.log(number)).unwrap_or_default()
    }

    pub(crate) fn find(&self, number: u64) -> Option<JobId> {
        self.slurm.find(&name(number), &self.runner()).unwrap()
    }

    pub(crate) fn status(&self, id: &JobId) -> Option<JobStatus> {
        self.slurm.statuses(std::slice::from_ref(id), &self.runner()).unwrap().remove(id)
    }

    pub(crate) fn cancel(&self, id: &JobId, how: Cancel) {
        self.slurm.cancel(id, how, &self.runner()).unwrap();
    }

    pub(crate) fn wait_for_output(&self, number: u64, text: &str) {
        self.cluster.wait_until(|_| self.printed(number).contains(text));
    }

    /// The status at the end of the job.
    pub(crate) fn wait_for_end(&self, id: &JobId) -> JobStatus {
        let mut last = None;
        self.cluster.wait_until(|_| {
            last = self.status(id);
            matches!(last, Some(JobStatus { state: JobState::Ended(_), .. }))
        });
        last.unwrap()
    }
}

fn name(number: u64) -> JobName {
    JobName::new("20261118-225454-ab12", "US-1", &number.to_string())
}
