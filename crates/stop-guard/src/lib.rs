//! Decides whether a session of a loop may end. Checks the schema, invariants and transitions of the task
//! list, protected files, the marker and uncommitted changes, and reports all findings at once.
//!
//! The rules are in `verify` and `tasks`. Reverting changes is the runner's job.

mod blocks;
mod end;
mod environment;
mod reason;

use std::fmt::Display;
use std::time::{Duration, Instant};

use hook_io::{HookDecision, HookInput, HookOutput};
use project::{Layout, Marker, Membership, StoredMarker, VerdictIn, membership_of};
use tasks::ReviewVerdict;
use verify::{GitQuestions, Judgement, MessageVerdict, WAITS_FOR_BACKGROUND};

use crate::blocks::{Block, BlockDecision};
use crate::end::EndAttempt;
pub use crate::environment::Environment;

/// For all git commands together; shorter than Claude Code's timeout for a hook.
const GIT_TIMEOUT: Duration = Duration::from_secs(20);

fn allow(why: impl Display) -> HookDecision {
    HookDecision::silent(format!("allowed: {why}"))
}

pub fn decide(input: &HookInput, environment: &Environment) -> HookDecision {
    if input.agent_id.is_some() {
        return allow("a subagent ends, not the session");
    }
    let Some(end) = EndAttempt::of(input) else {
        return allow("this tool does not end the session");
    };
    let layout = Layout::new(&environment.project_dir);
    let stored = StoredMarker::load(&layout);
    // git takes longest. If the environment confirms the marker's digest, start git before parsing the marker.
    // It is stopped if the session is not the loop's.
    let asked = match &stored {
        Ok(Some(stored)) if stored.is_confirmed_by(&environment.env) => {
            Some(GitQuestions::ask(layout.root(), stored.control_files().as_ref()))
        }
        _ => None,
    };
    match membership_of(stored, &layout, &environment.env, input.session_id.as_deref()) {
        Membership::NoMarker => allow("no loop is running here"),
        Membership::NotOurs { why } => allow(why),
        Membership::Corrupt { why } => allow(format!(
            "warning: cannot read .ralph-active ({why}), and the environment names no run of a loop"
        )),
        Membership::Tampered(_) | Membership::Ours(_) if input.background_tasks > 0 => {
            let tasks = input.background_tasks;
            allow(format!("{WAITS_FOR_BACKGROUND} ({tasks}) and will wake the session"))
        }
        Membership::Tampered(tampering) => {
            let judgement = verify::after_tampering(&layout, tampering);
            answer(end, judgement, &Marker::default(), input, environment)
        }
        Membership::Ours(marker) => {
            let layout = marker.layout(&environment.project_dir);
            let ask = || GitQuestions::ask(layout.root(), marker.control_files.as_ref());
            let questions = asked.unwrap_or_else(ask);
            let deadline = Instant::now() + GIT_TIMEOUT;
            let message = message_verdict(end, input, &marker);
            let judgement = verify::check_iteration(&layout, &marker, questions, message, deadline);
            answer(end, judgement, &marker, input, environment)
        }
    }
}

/// The verdict in a review's final message. A session that answers by a tool has its verdict there, so
/// its later stop needs none.
fn message_verdict(end: EndAttempt, input: &HookInput, marker: &Marker) -> MessageVerdict {
    match (end, marker.verdict_in) {
        (EndAttempt::Stop, Some(VerdictIn::Message)) => match &input.last_message {
            Some(message) => MessageVerdict::Known(ReviewVerdict::ending(message)),
            None => MessageVerdict::Unknown,
        },
        (EndAttempt::Answer, Some(VerdictIn::Answer)) => {
            let word = input.tool_input.verdict.as_deref();
            MessageVerdict::Known(word.and_then(ReviewVerdict::from_word))
        }
        _ => MessageVerdict::NotAsked,
    }
}

/// Findings block the session until its blocks are used up.
fn answer(
    end: EndAttempt,
    judgement: Judgement,
    marker: &Marker,
    input: &HookInput,
    environment: &Environment,
) -> HookDecision {
    let Judgement { findings, warnings, .. } = judgement;
    let mut log: Vec<String> =
        warnings.into_iter().map(|warning| format!("warning: {warning}")).collect();
    if findings.is_empty() {
        blocks::count_passed(end, input, environment);
        log.push("allowed: no findings".into());
        return HookDecision { output: HookOutput::Silent, log };
    }
    match blocks::next(end, marker, input, environment) {
        BlockDecision::Block(block) => {
            let Block { number, of } = block;
            log.push(format!("blocked ({number} of {of}): {} findings", findings.len()));
            let layout = marker.layout(&environment.project_dir);
            let reason = reason::block(&findings, marker, &layout, block);
            HookDecision { output: end.refuse(reason), log }
        }
        BlockDecision::Allow { why } => {
            log.push(format!("allowed with {} findings: {why}", findings.len()));
            let message = reason::allow_with_findings(&findings, &why);
            HookDecision { output: HookOutput::Warn { message }, log }
        }
    }
}
