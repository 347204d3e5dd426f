//! Slurm, through `sbatch`, `squeue`, `scontrol` and `scancel`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use supervise::{ProgramCall, ProgramOutput, ProgramRunner};

use crate::job::{
    Cancel, EngineError, Job, JobEnd, JobEngine, JobId, JobName, JobState, JobStatus, Printed,
};

/// Of one call; a busy controller answers late.
const TIMEOUT: Duration = Duration::from_secs(60);

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
}

impl JobEngine for Slurm {
    fn submit(&self, job: &Job, runner: &ProgramRunner<'_>) -> Result<JobId, EngineError> {
        let input = script(&job.command).into_bytes();
        let printed = self.call("sbatch", self.submission(job), input, runner)?.stdout;
        // `<id>` or `<id>;<cluster>`.
        let id = printed.trim().split(';').next().unwrap_or_default();
        let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
        is_id.then(|| JobId(id.to_owned())).ok_or_else(|| unreadable("sbatch", &printed))
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

    fn status(
        &self,
        id: &JobId,
        runner: &ProgramRunner<'_>,
    ) -> Result<Option<JobStatus>, EngineError> {
        let args = words(&["--oneliner", "show", "job", &id.0]);
        match self.call("scontrol", args, Vec::new(), runner) {
            Ok(output) => parse(&output.stdout)
                .map(Some)
                .ok_or_else(|| unreadable("scontrol", &output.stdout)),
            Err(EngineError::Refused { message, .. }) if message.contains("Invalid job id") => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
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
        let call = ProgramCall::new(Path::new(program), args, TIMEOUT);
        let program = program.to_owned();
        match runner.run(ProgramCall { input, environment, ..call }) {
            Ok(output) if output.succeeded() => Ok(output),
            Ok(output) => {
                let has_text = [&output.stdout, &output.stderr].iter().any(|text| !text.is_empty());
                let printed = if has_text { Printed::Text } else { Printed::Nothing };
                Err(EngineError::Refused { program, message: output.error_text(), printed })
            }
            Err(error) => Err(EngineError::NotRun { program, error }),
        }
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

fn parse(printed: &str) -> Option<JobStatus> {
    let field = |name: &str| {
        printed.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    };
    let reason = field("Reason").filter(|reason| *reason != "None").unwrap_or_default();
    let ended = |end| Some(JobState::Ended(end));
    let state = match field("JobState")? {
        "PENDING" | "CONFIGURING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED"
        | "SPECIAL_EXIT" => Some(JobState::Waiting { reason: reason.to_owned() }),
        "RUNNING" | "COMPLETING" | "SUSPENDED" | "STOPPED" | "SIGNALING" | "STAGE_OUT"
        | "RESIZING" => Some(JobState::Running),
        "COMPLETED" => ended(JobEnd::Completed),
        "TIMEOUT" | "DEADLINE" => ended(JobEnd::TimeLimit),
        "CANCELLED" => ended(JobEnd::Cancelled),
        other => {
            let exit = field("ExitCode").unwrap_or_default();
            ended(JobEnd::Failed(format!("{other}, reason {reason}, exit code {exit}")))
        }
    };
    let node = field("NodeList").filter(|node| !node.is_empty() && *node != "(null)");
    let restarts = field("Restarts").and_then(|count| count.parse().ok()).unwrap_or_default();
    Some(JobStatus { state: state?, node: node.map(str::to_owned), restarts })
}

fn unreadable(program: &str, printed: &str) -> EngineError {
    let printed = printed.chars().take(200).collect();
    EngineError::Unreadable { program: program.to_owned(), printed }
}

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        Job {
            name: JobName::new("run", "US-1", "1"),
            command: vec!["/opt/it's here/ralph-loop".into(), "worker".into()],
            limit: Some(Duration::from_secs(1200)),
            log: "/p/.ralph/x.log".into(),
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
        let args = Slurm { options }.submission(&job());
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
    fn the_script_is_replaced_by_the_command() {
        let script = script(&job().command);
        assert_eq!(script, "#!/bin/sh\nexec '/opt/it'\\''s here/ralph-loop' 'worker'\n");
    }

    #[test]
    fn states_are_read_from_one_line() {
        let of = |line: &str| parse(line).map(|status| status.state);
        let line = "JobId=7 JobName=ralph-x JobState=PENDING Reason=Resources Restarts=1 NodeList=(null) ExitCode=0:0";
        let waiting = JobState::Waiting { reason: "Resources".into() };
        assert_eq!(parse(line), Some(JobStatus { state: waiting, node: None, restarts: 1 }));
        let line = "JobState=RUNNING Reason=None Restarts=0 NodeList=n2";
        assert_eq!(parse(line).unwrap().node.as_deref(), Some("n2"));
        for (state, end) in [
            ("COMPLETED", JobEnd::Completed),
            ("TIMEOUT", JobEnd::TimeLimit),
            ("CANCELLED", JobEnd::Cancelled),
        ] {
            assert_eq!(of(&format!("JobState={state} Reason=None")), Some(JobState::Ended(end)));
        }
        let failed = of("JobState=FAILED Reason=NonZeroExitCode ExitCode=3:0");
        let why = "FAILED, reason NonZeroExitCode, exit code 3:0".to_owned();
        assert_eq!(failed, Some(JobState::Ended(JobEnd::Failed(why))));
        assert_eq!(of("nothing"), None);
    }
}
