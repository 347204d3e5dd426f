//! Preconditions of a run that do not need the engine, for `run` and `doctor`. The engine's are in
//! `engine::StartPreconditions`.

use agents::Agent;
use anyhow::Result;
use isolation::Isolation;
use project::Layout;

use crate::command_error::precondition;
use crate::scaffold;

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

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}
