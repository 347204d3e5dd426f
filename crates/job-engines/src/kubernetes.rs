//! Kubernetes Jobs, through `kubectl`.

mod manifest;
mod status;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use supervise::{ProgramOutput, ProgramRunner};

use crate::call::{call, words};
use crate::job::{
    Cancel, Delivery, EngineError, Job, JobEngine, JobId, JobName, JobStatus, OutputId,
};

const KUBECTL: &str = "kubectl";

/// The container in which the agent works.
const SESSION: &str = "session";

#[derive(Debug, Clone, Default, PartialEq)]
pub struct KubernetesOptions {
    /// With `ralph-loop`, git and the agent.
    pub image: String,
    /// The path of `ralph-loop` in the image, or its name in `PATH`.
    pub program: String,
    /// Default: that of the configuration.
    pub namespace: Option<String>,
    pub cpus: Option<u64>,
    /// As Kubernetes writes it: `4Gi`.
    pub memory: Option<String>,
    /// The Secret with variables for the agent.
    pub secret: Option<String>,
    /// The Secret with the files of git's home folder. The container of the agent does not get it.
    pub git_secret: Option<String>,
    /// Merged into the pod's specification.
    pub pod: serde_json::Map<String, serde_json::Value>,
    /// For `kubectl`, in each call.
    pub extra_args: Vec<String>,
    /// Instead of the configuration that `KUBECONFIG` or the user's home folder names.
    pub config: Option<PathBuf>,
}

#[derive(Debug, Clone)]
pub struct Kubernetes {
    pub options: KubernetesOptions,
}

impl JobEngine for Kubernetes {
    fn submit(&self, job: &Job, runner: &ProgramRunner<'_>) -> Result<JobId, EngineError> {
        let manifest = manifest::job(&self.options, job).to_string().into_bytes();
        let id = JobId(job.name.to_string());
        match self.call(&["create", "--filename=-"], manifest, runner) {
            // An earlier call succeeded whose answer was lost.
            Err(EngineError::Refused { message, .. }) if message.contains("AlreadyExists") => {
                Ok(id)
            }
            done => done.map(|_| id),
        }
    }

    fn find(
        &self,
        name: &JobName,
        runner: &ProgramRunner<'_>,
    ) -> Result<Option<JobId>, EngineError> {
        let id = JobId(name.to_string());
        Ok(self.statuses(std::slice::from_ref(&id), runner)?.contains_key(&id).then_some(id))
    }

    fn statuses(
        &self,
        ids: &[JobId],
        runner: &ProgramRunner<'_>,
    ) -> Result<BTreeMap<JobId, JobStatus>, EngineError> {
        let ids: Vec<&str> = ids.iter().map(|id| id.0.as_str()).collect();
        let selector = format!("--selector={} in ({})", manifest::NAME_LABEL, ids.join(","));
        let format = format!("--output=jsonpath={}", status::FORMAT);
        let output = self.call(&["get", "jobs,pods", &selector, &format], Vec::new(), runner)?;
        status::parse(&output.stdout)
    }

    fn cancel(
        &self,
        id: &JobId,
        how: Cancel,
        runner: &ProgramRunner<'_>,
    ) -> Result<(), EngineError> {
        // The job stays until its pod has ended, so that its output can still be read.
        let cascade = match how {
            Cancel::Politely => "--cascade=foreground",
            Cancel::Now => "--cascade=background",
        };
        self.delete(&["job", &id.0, cascade], runner)?;
        if how == Cancel::Now {
            let selector = format!("--selector={}={}", manifest::NAME_LABEL, id.0);
            self.delete(&["pod", &selector, "--grace-period=0", "--force"], runner)?;
        }
        Ok(())
    }

    fn output_program(&self, output: &OutputId) -> Option<(PathBuf, Vec<OsString>)> {
        let args = ["logs", "--follow", &output.0, "--container", SESSION];
        Some((KUBECTL.into(), self.args(&args)))
    }

    fn delivery(&self) -> Delivery {
        Delivery::AtItsEnd
    }

    fn remove(&self, id: &JobId, runner: &ProgramRunner<'_>) -> Result<(), EngineError> {
        self.delete(&["job", &id.0, "--cascade=background"], runner)
    }
}

impl Kubernetes {
    fn delete(&self, args: &[&str], runner: &ProgramRunner<'_>) -> Result<(), EngineError> {
        let args = [&["delete", "--wait=false", "--ignore-not-found"], args].concat();
        self.call(&args, Vec::new(), runner).map(drop)
    }

    fn call(
        &self,
        args: &[&str],
        input: Vec<u8>,
        runner: &ProgramRunner<'_>,
    ) -> Result<ProgramOutput, EngineError> {
        call(KUBECTL, self.args(args), Vec::new(), input, runner)
    }

    fn args(&self, args: &[&str]) -> Vec<OsString> {
        let KubernetesOptions { namespace, extra_args, config, .. } = &self.options;
        let mut all = words(args);
        if let Some(config) = config {
            all.extend(["--kubeconfig".into(), config.into()]);
        }
        all.extend(namespace.iter().map(|name| format!("--namespace={name}").into()));
        all.extend(extra_args.iter().map(OsString::from));
        all
    }
}
