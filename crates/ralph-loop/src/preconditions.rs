//! What a run refuses before the engine is asked, for the run itself and for `doctor`. What the engine
//! refuses: `engine::Beginning`.

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
        format!("{} still holds only the example story", layout.tasks_name()),
        "describe what you want in prd.md and the stories in tasks.json; `ralph-loop \
         validate` says whether they are fit to be run",
    ))
}

/// Claude Code itself refuses to skip permissions for root, after a start for nothing.
pub(crate) fn refuse_root(agent: Agent, isolation: Isolation) -> Result<()> {
    // Claude Code takes no other value for a yes.
    let sandboxed = || std::env::var_os("IS_SANDBOX").is_some_and(|value| value == "1");
    let elsewhere = matches!(isolation, Isolation::Docker | Isolation::Container | Isolation::Os);
    if agent != Agent::Claude || elsewhere || !is_root() || sandboxed() {
        return Ok(());
    }
    Err(precondition(
        "Claude Code does not run unattended as root",
        "run as another user; or, if this machine is a sandbox made for it, set IS_SANDBOX=1",
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
