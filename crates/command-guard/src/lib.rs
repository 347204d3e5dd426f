//! Refuses what would harm the user's machine, their data or the loop itself, before a tool does it.
//!
//! Active only in sessions of the loop. It reads what a shell would do (`shell-reading`) and holds each
//! act against the categories of harm; a wall is stronger, and this is what stands where there is none.
//! Not here: reading shell, and stopping anything that was not asked for through a tool.

mod answer;
mod arguments;
mod category;
mod code;
mod command_context;
mod contents;
mod effects;
mod git_call;
mod judge;
mod judge_write;
mod listing;
mod network;
mod on_disk;
mod own_rules;
mod pattern;
mod place;
mod refusal;
mod rules;
mod secrets;
mod surroundings;
mod view;
mod whole;

use hook_io::{HookEvent, HookInput, Verdict};
use project::{Layout, LoopEnvironment, Standing, standing};

pub use category::Category;
pub use command_context::CommandContext;
pub use judge::judge_command;
pub use judge_write::judge_write;
pub use refusal::Refusal;
pub use surroundings::Surroundings;

/// The answer of a guard that cannot give one.
pub fn broken(why: &str) -> Verdict {
    if LoopEnvironment::from_process().run_id.is_none() {
        return Verdict::silent(format!("warning: {why}"));
    }
    let mut verdict = answer::verdict(&[answer::no_answer()]);
    verdict.log.push(format!("warning: {why}"));
    verdict
}

/// Whether a tool may be used as it is about to be.
pub fn decide(input: &HookInput, surroundings: &Surroundings) -> Verdict {
    if !is_the_loops(input, surroundings) {
        return Verdict::silent("allowed: no loop session");
    }
    if input.event.is_some_and(|event| event != HookEvent::PreToolUse) {
        return Verdict::silent("allowed: no tool is about to be used");
    }
    let context = surroundings.context(input);
    let tool = &input.tool_input;
    let mut refusals = match &tool.command {
        Some(command) => {
            let since = context.rules.since;
            judge_command(command, &context, &|path| on_disk::script(path, since))
        }
        None if input.tool_name.as_deref() == Some("Bash") => vec![answer::no_command()],
        None => Vec::new(),
    };
    if let Some(file) = &tool.file {
        refusals.extend(on_disk::judge_write(file, &context));
    }
    answer::verdict(&refusals)
}

/// The environment is the runner's word; a marker speaks for sessions that were started otherwise.
fn is_the_loops(input: &HookInput, surroundings: &Surroundings) -> bool {
    surroundings.env.run_id.is_some() || {
        let layout = Layout::new(&surroundings.project_dir);
        let standing = standing(&layout, &surroundings.env, input.session_id.as_deref());
        matches!(standing, Standing::Ours(_) | Standing::Tampered(_))
    }
}
