//! Submits a small job to the batch engine of `--on`.

use engine::{JobOptions, NodeTrial, try_node};
use project::Layout;
use settings::LoadedSettings;
use supervise::StopRequests;

use super::check::{Check, CheckId, Fix};
use crate::{programs, resolve};

/// `None` if sessions and checks run on this machine.
pub(super) fn look(
    layout: &Layout,
    loaded: &LoadedSettings,
    agent_program: Option<&std::path::Path>,
    stop: &StopRequests,
    progress: &mut dyn FnMut(&str),
) -> Option<Check> {
    let lanes = resolve::lanes(loaded, layout, agent_program);
    let jobs = match lanes {
        Ok(lanes) => lanes.and_then(|lanes| lanes.sessions.or(lanes.checks))?,
        // Reported by the checks of the clones.
        Err(_) => return None,
    };
    progress(&format!("waiting for a job of {}", jobs.name));
    Some(submit(layout, &jobs, stop))
}

fn submit(layout: &Layout, jobs: &JobOptions, stop: &StopRequests) -> Check {
    // Nodes write it, so it is in the project. git ignores such names.
    let made = std::fs::create_dir_all(layout.data_dir()).and_then(|()| {
        tempfile::Builder::new().prefix(project::TEMPORARY_PREFIX).tempfile_in(layout.data_dir())
    });
    let (log, keeper) = match (made, programs::keeper()) {
        (Ok(log), Ok(keeper)) => (log, keeper),
        (Err(error), _) => {
            let fix = Fix::todo("make .ralph writable");
            return CheckId::Executor.problem(format!("cannot write the log: {error}"), fix);
        }
        (_, Err(error)) => return CheckId::Executor.refused(&error),
    };
    match try_node(jobs, layout, log.path(), &keeper, stop) {
        Ok(trial) => judge(&jobs.name, trial),
        Err(error) => CheckId::Executor.refused(&error.into()),
    }
}

fn judge(name: &str, trial: NodeTrial) -> Check {
    match trial {
        NodeTrial::Passed { node, agents } => {
            let found = format!("{name}: a job on {node} has everything for a session");
            Check { notes: agents, ..CheckId::Executor.ok(found) }
        }
        NodeTrial::Waits { reason } => {
            let why = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
            let found = format!("{name}: a job waited for more than a minute{why}; cancelled it");
            let fix = Fix::todo(
                "try again when the queue is shorter; a pod also waits for an image or Secret that does not exist",
            );
            CheckId::Executor.warning(found, fix)
        }
        NodeTrial::Failed { why } => {
            let fix = Fix::todo("docs/fleet.md says what a node needs");
            CheckId::Executor.problem(format!("{name}: {why}"), fix)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::CheckState;

    #[test]
    fn a_full_queue_is_no_problem() {
        let (node, agents) = ("n1".to_owned(), Vec::new());
        let passed = judge("slurm", NodeTrial::Passed { node, agents });
        let waits = judge("slurm", NodeTrial::Waits { reason: "Resources".into() });
        let failed = judge("slurm", NodeTrial::Failed { why: "claude is not in PATH".into() });
        let states = [&passed, &waits, &failed].map(|check| check.state);
        assert_eq!(states, [CheckState::Ok, CheckState::Warning, CheckState::Problem]);
        assert!(waits.found.contains("more than a minute (Resources)"), "{}", waits.found);
        assert_eq!(failed.found, "slurm: claude is not in PATH");
    }
}
