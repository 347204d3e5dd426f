//! Decides whether a session may end: schema, invariants, transitions, protected files and
//! tampering, uncommitted changes, all findings in one answer.
//!
//! It never trusts the session it judges and never blocks one that is not the loop's. Not here: the
//! rules themselves (`judgement`, `tasks`), and undoing anything (the runner's job).

mod blocks;
mod end;
mod reason;
mod surroundings;

use std::time::{Duration, Instant};

use hook_io::{HookInput, HookOutput, Verdict};
use project::{Layout, Marker, Standing, StoredMarker, VerdictIn, standing_of};
use tasks::ReviewVerdict;
use verify::{Judgement, MessageVerdict, Questions, WAITS_FOR_BACKGROUND};

use crate::blocks::{Allowance, Block};
use crate::end::End;
pub use crate::surroundings::Surroundings;

/// For all answers of git together: far longer than it needs, and well within the time that Claude
/// Code gives a hook.
const PATIENCE: Duration = Duration::from_secs(20);

fn allow(why: impl AsRef<str>) -> Verdict {
    Verdict::silent(format!("allowed: {}", why.as_ref()))
}

pub fn decide(input: &HookInput, surroundings: &Surroundings) -> Verdict {
    if input.agent_id.is_some() {
        return allow("this is a subagent's end, not the session's");
    }
    let Some(end) = End::of(input) else {
        return allow("this tool does not end the session");
    };
    let layout = Layout::new(&surroundings.project_dir);
    let stored = StoredMarker::load(&layout);
    // git takes longest: where the environment has the digest of the marker, git starts before the rest of it
    // is read, and ends again if the session turns out not to be the loop's.
    let asked = match &stored {
        Ok(Some(stored)) if stored.is_confirmed_by(&surroundings.env) => {
            Some(Questions::ask(layout.root(), stored.control_files().as_ref()))
        }
        _ => None,
    };
    match standing_of(stored, &layout, &surroundings.env, input.session_id.as_deref()) {
        Standing::NoMarker => allow("no loop is running here"),
        Standing::NotOurs { why } => allow(why),
        Standing::Corrupt { why } => allow_corrupt(&why),
        Standing::Tampered(_) | Standing::Ours(_) if input.background_tasks > 0 => {
            let tasks = input.background_tasks;
            allow(format!("{WAITS_FOR_BACKGROUND} ({tasks}) and will wake the session"))
        }
        Standing::Tampered(tampering) => {
            let judgement = verify::after_tampering(&layout, tampering);
            answer(end, judgement, &Marker::default(), input, surroundings)
        }
        Standing::Ours(marker) => {
            let layout = marker.layout(&surroundings.project_dir);
            let ask = || Questions::ask(layout.root(), marker.control_files.as_ref());
            let questions = asked.unwrap_or_else(ask);
            let deadline = Instant::now() + PATIENCE;
            let message = message_verdict(end, input, &marker);
            let judgement = verify::everything(&layout, &marker, questions, message, deadline);
            answer(end, judgement, &marker, input, surroundings)
        }
    }
}

/// The verdict in the final message of a review. A session that answers by a tool gives it
/// there; the stop after that is not the place to ask for it.
fn message_verdict(end: End, input: &HookInput, marker: &Marker) -> MessageVerdict {
    match (end, marker.verdict_in) {
        (End::Stop, Some(VerdictIn::Message)) => match &input.last_message {
            Some(message) => MessageVerdict::Known(ReviewVerdict::ending(message)),
            None => MessageVerdict::Unknown,
        },
        (End::Answer, Some(VerdictIn::Answer)) => {
            let word = input.tool_input.verdict.as_deref();
            MessageVerdict::Known(word.and_then(ReviewVerdict::from_word))
        }
        _ => MessageVerdict::NotAsked,
    }
}

fn allow_corrupt(why: &str) -> Verdict {
    allow(format!(
        "warning: .ralph-active cannot be read ({why}), and nothing says that this session is a \
         loop's"
    ))
}

/// Findings block, as long as this session has blocks left.
fn answer(
    end: End,
    judgement: Judgement,
    marker: &Marker,
    input: &HookInput,
    surroundings: &Surroundings,
) -> Verdict {
    let Judgement { findings, warnings, .. } = judgement;
    let mut log: Vec<String> =
        warnings.into_iter().map(|warning| format!("warning: {warning}")).collect();
    if findings.is_empty() {
        blocks::passed(end, input, surroundings);
        log.push("allowed: nothing to object to".into());
        return Verdict { output: HookOutput::Silent, log };
    }
    match blocks::next(end, marker, input, surroundings) {
        Allowance::Block(block) => {
            let Block { number, of } = block;
            log.push(format!("blocked ({number} of {of}): {} findings", findings.len()));
            let layout = marker.layout(&surroundings.project_dir);
            let reason = reason::block(&findings, marker, &layout, block);
            Verdict { output: end.refuse(reason), log }
        }
        Allowance::GiveIn { why } => {
            log.push(format!("allowed with {} findings: {why}", findings.len()));
            let message = reason::give_in(&findings, &why);
            Verdict { output: HookOutput::Warn { message }, log }
        }
    }
}
