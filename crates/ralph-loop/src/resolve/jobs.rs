//! The batch engine that runs the sessions of a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use engine::JobOptions;
use job_engines::{JobEngine, Slurm, SlurmOptions};
use run_options::{EngineKind, Word};
use settings::{Executor, LoadedSettings};

use super::place;
use crate::command_error::precondition;
use crate::programs;

/// `None` if sessions run on this machine.
pub(super) fn jobs(
    loaded: &LoadedSettings,
    agent_program: Option<&Path>,
) -> Result<Option<JobOptions>> {
    let settings = &loaded.settings;
    let name = settings.on.as_str();
    if name == Executor::LOCAL {
        return Ok(None);
    }
    let known = settings.executors.get(name);
    let kind = match known.and_then(|executor| executor.engine) {
        Some(kind) => Some(kind),
        None => EngineKind::from_word(name),
    };
    let Some(kind) = kind else {
        let what = match known {
            Some(_) => format!("executors.{name} names no engine"),
            None => format!("{}: no executor is called {name}", place(loaded, "on")),
        };
        return Err(precondition(
            what,
            "use slurm, or add an executor to the settings (docs/fleet.md)",
        ));
    };
    let executor = known.cloned().unwrap_or_default();
    let program = match &executor.program {
        Some(program) => PathBuf::from(program),
        None => programs::this_program()?,
    };
    Ok(Some(JobOptions {
        name: name.to_owned(),
        remote: executor.remote.clone(),
        program,
        secrets: executor.secrets.as_ref().map(PathBuf::from),
        folder: executor.folder.as_ref().map(PathBuf::from),
        agent_program: agent_program.map(std::path::absolute).transpose()?,
        settings: serde_json::from_str(&loaded.for_workers)?,
        engine: engine(kind, executor),
    }))
}

fn engine(kind: EngineKind, executor: Executor) -> Arc<dyn JobEngine> {
    let Executor { partition, account, cpus, memory, args, config, .. } = executor;
    match kind {
        EngineKind::Slurm => {
            let config = config.map(PathBuf::from);
            let options =
                SlurmOptions { partition, account, cpus, memory, extra_args: args, config };
            Arc::new(Slurm { options })
        }
    }
}
