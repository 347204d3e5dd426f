//! Preconditions of a run that do not need the engine: the plan, the user, and the hook programs. The engine's are in
//! `engine::StartPreconditions`.

use agents::Agent;
use anyhow::Result;
use engine::{AgentOptions, HookPrograms, unfit_hooks};
use isolation::Isolation;
use project::Layout;
use supervise::StopRequests;

use crate::command_error::precondition;
use crate::{programs, scaffold};

pub(crate) fn refuse_template(layout: &Layout) -> Result<()> {
    let bytes = bounded_read::read_file(&layout.tasks(), project::LARGEST_TASK_LIST);
    let list = bytes.ok().and_then(|bytes| tasks::inspect(&bytes).list);
    if !list.is_some_and(|list| scaffold::is_untouched_template(&list)) {
        return Ok(());
    }
    Err(precondition(
        format!("{} contains only the example story", layout.tasks_name()),
        "plan with `ralph-loop draft`, or edit prd.md and tasks.json; check with `ralph-loop validate`",
    ))
}

/// Claude Code refuses to skip permissions for root; refusing here saves the start.
pub(crate) fn refuse_root(agent: Agent, isolation: Isolation) -> Result<()> {
    // Claude Code accepts only this value.
    let sandboxed = || std::env::var_os("IS_SANDBOX").is_some_and(|value| value == "1");
    let elsewhere = matches!(isolation, Isolation::Docker | Isolation::Container | Isolation::Os);
    if agent != Agent::Claude || elsewhere || !is_root() || sandboxed() {
        return Ok(());
    }
    Err(precondition(
        "Claude Code does not run unattended as root",
        "run as another user; if this machine is a sandbox for it, set IS_SANDBOX=1",
    ))
}

fn is_root() -> bool {
    #[cfg(unix)]
    return rustix::process::getuid().is_root();
    #[cfg(not(unix))]
    false
}

/// The hook programs of the agents' sessions; `None` if no agent supports hooks.
pub(crate) fn hooks_for<'a>(
    agents: impl IntoIterator<Item = &'a AgentOptions>,
    allow_missing: bool,
) -> Result<Option<HookPrograms>> {
    match agents.into_iter().any(|agent| agent.agent.abilities().hooks) {
        true => require_hooks(allow_missing),
        false => Ok(None),
    }
}

/// The hooks beside this program, of the same version. `None` if they are unusable and `allow_missing`.
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
        unfit => {
            let each: Vec<String> = unfit.iter().map(ToString::to_string).collect();
            Err(precondition(
                format!("hooks not found: {}", each.join("; ")),
                "install all four programs together (scripts/install.sh, or `cargo build --release --workspace` \
                 in a clone), check them with `ralph-loop doctor`, or pass --allow-missing-hooks to start without",
            ))
        }
    }
}
