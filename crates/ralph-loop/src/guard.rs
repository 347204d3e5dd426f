//! The hook programs of a run's sessions: beside this program and of the same version. Without them a run starts only
//! with `--allow-missing-hooks`.

use anyhow::Result;
use engine::{HookPrograms, UnfitHook, unfit_hooks};
use supervise::StopRequests;

use crate::command_error::precondition;
use crate::programs;

/// `None` if hooks are unusable and `allow_missing`.
pub(crate) fn require_hooks(allow_missing: bool) -> Result<Option<HookPrograms>> {
    // Starting a program needs a temporary folder; without it, the hooks would be blamed.
    tempfile::tempdir().map_err(|error| {
        let place = std::env::temp_dir();
        let what = format!("cannot write to {}: {error}", place.display());
        precondition(what, "set TMPDIR to a writable folder")
    })?;
    let hooks = programs::hooks()?;
    let keeper = programs::keeper()?;
    match &unfit_hooks(&hooks, &keeper, &StopRequests::new())[..] {
        [] => Ok(Some(hooks)),
        _ if allow_missing => Ok(None),
        unfit => Err(refusal(unfit)),
    }
}

fn refusal(unfit: &[UnfitHook]) -> anyhow::Error {
    let each: Vec<String> = unfit.iter().map(ToString::to_string).collect();
    precondition(
        format!("hooks not found: {}", each.join("; ")),
        "install all four programs together (scripts/install.sh, or `cargo build --release --workspace` \
         in a clone), check them with `ralph-loop doctor`, or pass --allow-missing-hooks to start without",
    )
}
