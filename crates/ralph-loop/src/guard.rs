//! The hooks that guard a run's sessions: those beside this program, all of its very version. Without
//! them a run does not begin, unless the user says so.

use anyhow::Result;
use engine::{HookPrograms, UnfitHook, unfit_hooks};
use supervise::StopRequests;

use crate::command_error::precondition;
use crate::programs;

/// Whether a run may begin without anybody in its sessions who guards them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unguarded {
    Refused,
    Allowed,
}

/// None if the user allows it and they are not fit.
pub(crate) fn guard(unguarded: Unguarded) -> Result<Option<HookPrograms>> {
    // Every child is watched by way of a folder there; that it is missing is not a hook's fault.
    tempfile::tempdir().map_err(|error| {
        let place = std::env::temp_dir();
        let what = format!("nothing can be written in {}: {error}", place.display());
        precondition(what, "set TMPDIR to a folder that you can write in")
    })?;
    let hooks = programs::hooks()?;
    let keeper = programs::keeper()?;
    match (&unfit_hooks(&hooks, &keeper, &StopRequests::new())[..], unguarded) {
        ([], _) => Ok(Some(hooks)),
        (_, Unguarded::Allowed) => Ok(None),
        (unfit, Unguarded::Refused) => Err(refusal(unfit)),
    }
}

fn refusal(unfit: &[UnfitHook]) -> anyhow::Error {
    let each: Vec<String> = unfit.iter().map(ToString::to_string).collect();
    precondition(
        format!("nobody would guard the agent's sessions: {}", each.join("; ")),
        "install all four programs together (scripts/install.sh, or `cargo build --release \
         --workspace` in a clone); `ralph-loop doctor` shows what is there, and --allow-missing-hooks \
         starts all the same",
    )
}
