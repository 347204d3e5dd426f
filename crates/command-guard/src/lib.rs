//! Refuses tool calls that would harm the user's machine, their data or the loop.
//!
//! Active only in sessions of the loop. `shell-analysis` parses the command, and the rules check each part of it.
//! It is weaker than a sandbox, and only sees tool calls.

mod answer;
mod category;
mod code;
mod command_context;
mod command_line_facts;
mod contents;
mod effect;
mod effects;
mod environment;
mod git_call;
mod git_settings;
mod invocation_view;
mod judge;
mod judge_write;
mod listing;
mod network;
mod on_disk;
mod own_rules;
mod pattern;
mod place;
mod policy_table;
mod program_name;
mod protected_places;
mod refusal;
mod rules;
mod searched_table;
mod secrets;
mod words;

use hook_io::{HookDecision, HookEvent, HookInput};
use project::{Layout, LoopEnvironment, Membership, membership};

pub use category::Category;
pub use command_context::CommandContext;
pub use environment::Environment;
pub use judge::judge_command;
pub use judge_write::judge_write;
pub use refusal::Refusal;

/// The answer when the guard itself failed.
pub fn broken(why: &str) -> HookDecision {
    if LoopEnvironment::from_process().run_id.is_none() {
        return HookDecision::silent(format!("warning: {why}"));
    }
    let mut verdict = answer::verdict(&[answer::no_answer()]);
    verdict.log.push(format!("warning: {why}"));
    verdict
}

/// Decides about a tool call.
pub fn decide(input: &HookInput, environment: &Environment) -> HookDecision {
    if !is_the_loops(input, environment) {
        return HookDecision::silent("allowed: not a session of a loop");
    }
    if input.event.is_some_and(|event| event != HookEvent::PreToolUse) {
        return HookDecision::silent("allowed: not a PreToolUse event");
    }
    let context = environment.context(input);
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

/// By the runner's environment, else by the marker, for sessions that were started in another way.
fn is_the_loops(input: &HookInput, environment: &Environment) -> bool {
    environment.env.run_id.is_some() || {
        let layout = Layout::new(&environment.project_dir);
        let membership = membership(&layout, &environment.env, input.session_id.as_deref());
        matches!(membership, Membership::Ours(_) | Membership::Tampered(_))
    }
}
