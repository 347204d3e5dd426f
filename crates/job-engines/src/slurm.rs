//! Slurm, through `sbatch`, `squeue`, `scontrol` and `scancel`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use supervise::{ProgramOutput, ProgramRunner};

use crate::call::{call, unreadable, words};
use crate::job::{
    Cancel, EngineError, Job, JobEnd, JobEngine, JobId, JobName, JobState, JobStatus, Printed,
};
use crate::worker_command::WorkerProgram;

/// Printed of each job by `squeue`: id, state, node, exit code and reason, which may contain blanks.
const FIELDS: &str = "JobID:|,State:|,NodeList:|,exit_code:|,Reason:";

/// Seconds between the polite signal and the end of a job that reaches its limit.
const GRACE: u64 = 30;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlurmOptions {
    pub partition: Option<String>,
    pub account: Option<String>,
    pub cpus: Option<u64>,
    /// As in `--mem`: `4G`.
    pub memory: Option<String>,
    /// For `sbatch`, after the others.
    pub extra_args: Vec<String>,
    /// Instead of the configuration that `SLURM_CONF` or the installation names.
    pub config: Option<PathBuf>,
}

#[derive(Debug, Clone)]
pub struct Slurm {
    pub options: SlurmOptions,
    pub worker: WorkerProgram,
}

impl JobEngine for Slurm {
    fn submit(&self, job: &Job, runner: &ProgramRunner<'_>) -> Result<JobId, EngineError> {
        self.submit_command(job, &self.worker.command(&job.work), runner)
    }

    fn find(
        &self,
        name: &JobName,
        runner: &ProgramRunner<'_>,
    ) -> Result<Option<JobId>, EngineError> {
        let args = ["--noheader", "--me", "--format=%A", "--name", name.as_str()];
        let printed = self.call("squeue", words(&args), Vec::new(), runner)?.stdout;
        Ok(printed.lines().next_back().map(|id| JobId(id.trim().to_owned())))
    }

    fn statuses(
        &self,
        ids: &[JobId],
        runner: &ProgramRunner<'_>,
    ) -> Result<BTreeMap<JobId, JobStatus>, EngineError> {
        let ids: Vec<&str> = ids.iter().map(|id| id.0.as_str()).collect();
        let ids = ids.join(",");
        let args = ["--noheader", "--states=all", "--Format", FIELDS, "--jobs", &ids];
        let printed = match self.call("squeue", words(&args), Vec::new(), runner) {
            Ok(output) => output.stdout,
            // As for a single job that it has forgotten.
            Err(EngineError::Refused { message, .. }) if message.contains("Invalid job id") => {
                return Ok(BTreeMap::new());
            }
            Err(error) => return Err(error),
        };
        let read = |line: &str| parse(line).ok_or_else(|| unreadable("squeue", line));
        printed.lines().filter(|line| !line.trim().is_empty()).map(read).collect()
    }

    fn cancel(
        &self,
        id: &JobId,
        how: Cancel,
        runner: &ProgramRunner<'_>,
    ) -> Result<(), EngineError> {
        // A job that waits cannot get a signal. Each call leaves a job in another state alone.
        let waiting = ["--quiet", "--state=PENDING", &id.0];
        let signal = match how {
            Cancel::Politely => ["--batch", "--signal=TERM"],
            Cancel::Now => ["--full", "--signal=KILL"],
        };
        let running = [&["--quiet", "--state=RUNNING"], &signal[..], &[&id.0]].concat();
        self.scancel(&waiting, runner)?;
        self.scancel(&running, runner)
    }
}

impl Slurm {
    fn scancel(&self, args: &[&str], runner: &ProgramRunner<'_>) -> Result<(), EngineError> {
        match self.call("scancel", words(args), Vec::new(), runner) {
            // It ends with 1 and prints nothing if no job is in that state.
            Err(EngineError::Refused { printed: Printed::Nothing, .. }) => Ok(()),
            done => done.map(drop),
        }
    }

    fn call(
        &self,
        program: &str,
        args: Vec<OsString>,
        input: Vec<u8>,
        runner: &ProgramRunner<'_>,
    ) -> Result<ProgramOutput, EngineError> {
        let config = self.options.config.iter();
        let environment = config.map(|file| ("SLURM_CONF".into(), file.into())).collect();
        call(program, args, environment, input, runner)
    }

    /// Submits another command than that of the worker.
    pub fn submit_command(
        &self,
        job: &Job,
        command: &[String],
        runner: &ProgramRunner<'_>,
    ) -> Result<JobId, EngineError> {
        let input = script(command).into_bytes();
        let printed = self.call("sbatch", self.submission(job), input, runner)?.stdout;
        // `<id>` or `<id>;<cluster>`.
        let id = printed.trim().split(';').next().unwrap_or_default();
        let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
        is_id.then(|| JobId(id.to_owned())).ok_or_else(|| unreadable("sbatch", &printed))
    }

    fn submission(&self, job: &Job) -> Vec<OsString> {
        let SlurmOptions { partition, account, cpus, memory, extra_args, .. } = &self.options;
        // The variables of the coordinator can contain secrets: the job gets those of a login on its node.
        let fixed = words(&["--parsable", "--requeue", "--open-mode=append", "--export=NONE"]);
        let signal = format!("--signal=B:TERM@{GRACE}");
        let name = format!("--job-name={}", job.name);
        let mut log = OsString::from("--output=");
        log.push(&job.log);
        let minutes = |limit: Duration| limit.as_secs().saturating_add(GRACE).div_ceil(60);
        let more = [
            job.limit.map(|limit| format!("--time={}", minutes(limit))),
            partition.as_ref().map(|partition| format!("--partition={partition}")),
            account.as_ref().map(|account| format!("--account={account}")),
            cpus.map(|cpus| format!("--cpus-per-task={cpus}")),
            memory.as_ref().map(|memory| format!("--mem={memory}")),
        ];
        let more = [signal, name].into_iter().chain(more.into_iter().flatten());
        let more = more.chain(extra_args.iter().cloned()).map(OsString::from);
        fixed.into_iter().chain([log]).chain(more).collect()
    }
}

/// Slurm signals the shell of a batch script, which the command replaces.
fn script(command: &[String]) -> String {
    let words: Vec<String> =
        command.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
    format!("#!/bin/sh\nexec {}\n", words.join(" "))
}

fn parse(line: &str) -> Option<(JobId, JobStatus)> {
    let mut fields = line.splitn(5, '|').map(str::trim);
    let [id, state, node, exit, reason] = [(); 5].map(|()| fields.next());
    let reason = reason?.trim_end_matches('|');
    let reason = if reason == "None" { "" } else { reason };
    let state = match state? {
        "PENDING" | "CONFIGURING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED"
        | "SPECIAL_EXIT" => JobState::Waiting { reason: reason.to_owned() },
        "RUNNING" | "COMPLETING" | "SUSPENDED" | "STOPPED" | "SIGNALING" | "STAGE_OUT"
        | "RESIZING" => JobState::Running,
        "COMPLETED" => JobState::Ended(JobEnd::Completed),
        "TIMEOUT" | "DEADLINE" => JobState::Ended(JobEnd::TimeLimit),
        "CANCELLED" => JobState::Ended(JobEnd::Cancelled),
        other => {
            let why = format!("{other}, reason {reason}, exit code {}", exit_code(exit?));
            JobState::Ended(JobEnd::Failed(why))
        }
    };
    let node = node.filter(|node| !node.is_empty() && *node != "(null)").map(str::to_owned);
    Some((JobId(id?.to_owned()), JobStatus { state, node, output: None }))
}

/// As `scontrol` writes it, `<code>:<signal>`. `squeue` may print the status of the process.
fn exit_code(printed: &str) -> String {
    match printed.parse::<u32>() {
        Ok(status) => format!("{}:{}", status >> 8, status & 0x7f),
        Err(_) => printed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Work;

    fn job() -> Job {
        Job {
            name: JobName::new("run", "US-1", "1"),
            run_id: "run".into(),
            story: "US-1".into(),
            work: Work {
                repository: "/it's here".into(),
                name: "refs/w".into(),
                commit: "01".into(),
            },
            limit: Some(Duration::from_secs(1200)),
            log: "/p/.ralph/x.log".into(),
        }
    }

    fn slurm(options: SlurmOptions) -> Slurm {
        Slurm {
            options,
            worker: WorkerProgram { path: "ralph-loop".into(), ..WorkerProgram::default() },
        }
    }

    #[test]
    fn a_submission_names_what_the_settings_ask_for_and_passes_no_variables() {
        let options = SlurmOptions {
            partition: Some("long".into()),
            account: Some("team".into()),
            cpus: Some(4),
            memory: Some("8G".into()),
            extra_args: vec!["--qos=high".into()],
            config: None,
        };
        let args = slurm(options).submission(&job());
        let args: Vec<&str> = args.iter().map(|arg| arg.to_str().unwrap()).collect();
        assert_eq!(
            args,
            [
                "--parsable",
                "--requeue",
                "--open-mode=append",
                "--export=NONE",
                "--output=/p/.ralph/x.log",
                "--signal=B:TERM@30",
                "--job-name=ralph-run-us-1-1",
                "--time=21",
                "--partition=long",
                "--account=team",
                "--cpus-per-task=4",
                "--mem=8G",
                "--qos=high"
            ]
        );
    }

    #[test]
    fn the_script_is_replaced_by_the_worker() {
        let command = slurm(SlurmOptions::default()).worker.command(&job().work);
        let words = "'ralph-loop' 'worker' '--repository' '/it'\\''s here' '--ref' 'refs/w' '--commit' '01'";
        assert_eq!(script(&command), format!("#!/bin/sh\nexec {words}\n"));
    }

    #[test]
    fn states_are_read_from_one_line() {
        let of = |line: &str| parse(line).map(|(_, status)| status.state);
        let line = "7|PENDING||0|Resources";
        let waiting = JobState::Waiting { reason: "Resources".into() };
        let status = JobStatus { state: waiting, node: None, output: None };
        assert_eq!(parse(line), Some((JobId("7".into()), status)));
        assert_eq!(parse("7|RUNNING|n2|0|None").unwrap().1.node.as_deref(), Some("n2"));
        for (state, end) in [
            ("COMPLETED", JobEnd::Completed),
            ("TIMEOUT", JobEnd::TimeLimit),
            ("CANCELLED", JobEnd::Cancelled),
        ] {
            assert_eq!(of(&format!("7|{state}|n1|0|None")), Some(JobState::Ended(end)));
        }
        let failed = of("7|FAILED|n1|768|NonZeroExitCode");
        let why = "FAILED, reason NonZeroExitCode, exit code 3:0".to_owned();
        assert_eq!(failed, Some(JobState::Ended(JobEnd::Failed(why))));
        assert_eq!(of("nothing"), None);
    }
}
