//! The batch engine that runs the sessions or the checks of a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use engine::JobOptions;
use job_engines::{JobEngine, Kubernetes, KubernetesOptions, Slurm, SlurmOptions, WorkerProgram};
use run_options::{EngineKind, TimeSpan, Word};
use settings::{Executor, LoadedSettings};

use super::place;
use crate::command_error::precondition;
use crate::programs;

/// For the executor `name` of setting `key`. `None` for this machine.
pub(super) fn jobs(
    loaded: &LoadedSettings,
    key: &str,
    name: &str,
    agent_program: Option<&Path>,
) -> Result<Option<JobOptions>> {
    if name == Executor::LOCAL {
        return Ok(None);
    }
    let known = loaded.settings.executors.get(name);
    let kind = match known.and_then(|executor| executor.engine) {
        Some(kind) => Some(kind),
        None => EngineKind::from_word(name),
    };
    let Some(kind) = kind else {
        let what = match known {
            Some(_) => format!("executors.{name} names no engine"),
            None => format!("{}: no executor is called {name}", place(loaded, key)),
        };
        return Err(precondition(
            what,
            "use slurm or kubernetes, or add an executor to the settings (docs/fleet.md)",
        ));
    };
    let executor = known.cloned().unwrap_or_default();
    Ok(Some(JobOptions {
        name: name.to_owned(),
        remote: executor.remote.clone(),
        limit: executor.time.map(TimeSpan::duration),
        agent_program: agent_program.map(std::path::absolute).transpose()?,
        settings: serde_json::from_str(&loaded.for_workers)?,
        engine: engine(name, kind, executor)?,
    }))
}

fn engine(name: &str, kind: EngineKind, executor: Executor) -> Result<Arc<dyn JobEngine>> {
    match kind {
        EngineKind::Slurm => slurm(executor),
        EngineKind::Kubernetes => kubernetes(name, executor),
    }
}

fn slurm(executor: Executor) -> Result<Arc<dyn JobEngine>> {
    let Executor { partition, account, cpus, memory, args, config, program, .. } = executor;
    let path = match program {
        Some(program) => program,
        None => programs::this_program()?.to_string_lossy().into_owned(),
    };
    let (secrets, folder) = (executor.secrets, executor.folder);
    let worker = WorkerProgram { path, secrets, folder };
    let config = config.map(PathBuf::from);
    let options = SlurmOptions { partition, account, cpus, memory, extra_args: args, config };
    Ok(Arc::new(Slurm { options, worker }))
}

fn kubernetes(name: &str, executor: Executor) -> Result<Arc<dyn JobEngine>> {
    let missing = |key: &str, what: &str| {
        let fix = format!("set executors.{name}.{key} to {what} (docs/fleet.md)");
        precondition(format!("executors.{name}.{key} is not set"), fix)
    };
    let image = executor.image.ok_or_else(|| missing("image", "the image of a worker"))?;
    if executor.remote.is_none() {
        return Err(missing("remote", "a repository that pods can reach"));
    }
    let options = KubernetesOptions {
        image,
        program: executor.program.unwrap_or_else(|| "ralph-loop".to_owned()),
        namespace: executor.namespace,
        cpus: executor.cpus,
        memory: executor.memory,
        secret: executor.secret,
        git_secret: executor.git_secret,
        pod: executor.pod,
        extra_args: executor.args,
        config: executor.config.map(PathBuf::from),
    };
    Ok(Arc::new(Kubernetes { options }))
}

#[cfg(test)]
mod tests {
    use project::Layout;
    use settings::Flags;

    use crate::resolve;

    #[test]
    fn the_examples_are_complete() {
        for engine in ["slurm", "kubernetes"] {
            let dir = assert_fs::TempDir::new().unwrap();
            let layout = Layout::new(dir.path());
            std::fs::create_dir_all(layout.data_dir()).unwrap();
            let deploy = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy");
            std::fs::copy(format!("{deploy}/{engine}/settings.json"), layout.settings()).unwrap();
            let loaded = resolve::settings(&layout, &Flags::default()).unwrap();
            let jobs = super::jobs(&loaded, "on", &loaded.settings.on, None).unwrap().unwrap();
            assert_eq!(jobs.name, engine);
        }
    }

    #[test]
    fn what_kubernetes_needs_is_named() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let loaded = resolve::settings(&layout, &Flags::default()).unwrap();
        let error = super::jobs(&loaded, "on", "kubernetes", None).unwrap_err();
        assert_eq!(error.to_string(), "executors.kubernetes.image is not set");
    }
}
