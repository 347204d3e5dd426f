//! Counts how often a session was blocked, and decides when to stop blocking.
//!
//! Claude Code ends a session that was blocked too often in a row, as a success, and restarts its count
//! after every tool use. So the guard has its own count within that cap. At its end it allows the stop:
//! more blocks only cost money, and the runner judges the result in any case.
//!
//! Claude Code fails a session after too many rejected structured answers. It also counts answers with a
//! wrong schema that the guard allowed. So the guard counts every answer, and always allows the last one
//! and the stop after it, where Claude Code ignores a block.

use std::io;

use hook_io::HookInput;
use project::{Claim, Marker, SessionState, SessionStore};

use crate::Environment;
use crate::end::EndAttempt;

const DEFAULT_MAX_BLOCKS: u64 = 6;

/// Claude Code's default.
const CLAUDE_BLOCK_CAP: u64 = 8;

/// Claude Code's default for structured answers.
const CLAUDE_ANSWER_LIMIT: u64 = 5;

/// The key that is claimed when the last answer is allowed.
const LAST_ANSWER: &str = "last-answer";

/// Applies when the user disabled Claude Code's cap.
const MOST_BLOCKS: u64 = 100;

pub(crate) enum BlockDecision {
    Block(Block),
    Allow { why: String },
}

/// The number of this block, and the maximum for the session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    pub(crate) number: u64,
    pub(crate) of: u64,
}

pub(crate) fn next(
    end: EndAttempt,
    marker: &Marker,
    input: &HookInput,
    environment: &Environment,
) -> BlockDecision {
    let of = max_blocks(marker.max_blocks, environment.block_cap);
    let limit = environment.answer_limit.unwrap_or(CLAUDE_ANSWER_LIMIT);
    let allowance = session(input, environment).and_then(|session| match end {
        EndAttempt::Stop if session.is_taken(LAST_ANSWER) => {
            Ok(BlockDecision::Allow { why: "its structured answer was already allowed".into() })
        }
        EndAttempt::Stop => claim(&session, of),
        EndAttempt::Answer => Ok(match answers_left(&session, limit)? {
            None => {
                session.claim(LAST_ANSWER)?;
                let why = format!("Claude Code fails a session after {limit} rejected answers");
                BlockDecision::Allow { why }
            }
            Some(further) => claim(&session, of)?.at_most(further),
        }),
    });
    allowance.unwrap_or_else(|error| without_state(&error, end, input, of))
}

/// Counts an answer without findings, because Claude Code may still reject its schema.
pub(crate) fn count_passed(end: EndAttempt, input: &HookInput, environment: &Environment) {
    if end == EndAttempt::Answer {
        let limit = environment.answer_limit.unwrap_or(CLAUDE_ANSWER_LIMIT);
        // If counting fails, `next` allows the next answer too.
        let _ = session(input, environment).and_then(|session| answers_left(&session, limit));
    }
}

/// Without saved state only the first block of a turn is safe: all others could repeat for ever. An
/// answer does not show whether it is the first.
fn without_state(error: &io::Error, end: EndAttempt, input: &HookInput, of: u64) -> BlockDecision {
    if end == EndAttempt::Stop && of > 0 && !input.stop_hook_active {
        BlockDecision::Block(Block { number: 1, of: 1 })
    } else {
        BlockDecision::Allow { why: format!("blocks cannot be counted ({error})") }
    }
}

fn max_blocks(set: Option<u64>, claude: Option<u64>) -> u64 {
    let claude = match claude.unwrap_or(CLAUDE_BLOCK_CAP) {
        0 => MOST_BLOCKS,
        cap => cap,
    };
    set.unwrap_or(DEFAULT_MAX_BLOCKS).min(claude).min(MOST_BLOCKS)
}

fn session(input: &HookInput, environment: &Environment) -> io::Result<SessionState> {
    let key = match (&input.session_id, &environment.env) {
        (Some(id), _) => format!("session {id}"),
        (None, env) => match (&env.run_id, &env.marker_sha256) {
            // The runner writes a new marker for every iteration, so its hash identifies the session.
            (Some(run), Some(marker)) => format!("run {run} marker {marker}"),
            _ => return Err(io::Error::other("the input has no session id")),
        },
    };
    Ok(SessionStore::new(environment.plugin_data.as_deref()).session(&key))
}

fn claim(session: &SessionState, of: u64) -> io::Result<BlockDecision> {
    Ok(match claim_next(session, "block", of)? {
        Some(number) => BlockDecision::Block(Block { number, of }),
        None => {
            BlockDecision::Allow { why: format!("this session was blocked {of} times already") }
        }
    })
}

/// Counts a structured answer. If it can be rejected, how many more can; `None` for the last one.
fn answers_left(session: &SessionState, limit: u64) -> io::Result<Option<u64>> {
    let rejectable = limit.min(MOST_BLOCKS).saturating_sub(1);
    Ok(claim_next(session, "answer", rejectable)?.map(|number| rejectable - number))
}

/// The first number that was free.
fn claim_next(session: &SessionState, name: &str, most: u64) -> io::Result<Option<u64>> {
    for number in 1..=most {
        if session.claim(&format!("{name}-{number}"))? == Claim::Won {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

impl BlockDecision {
    /// Lowers the maximum to this block and `further` more.
    fn at_most(self, further: u64) -> Self {
        match self {
            Self::Block(Block { number, of }) => {
                Self::Block(Block { number, of: of.min(number.saturating_add(further)) })
            }
            allow => allow,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guard_stops_blocking_before_claude_codes_cap() {
        assert_eq!(max_blocks(None, None), 6);
        assert_eq!(max_blocks(Some(3), None), 3);
        assert_eq!(max_blocks(Some(50), None), 8, "Claude Code overrides the ninth");
        assert_eq!(max_blocks(None, Some(2)), 2);
        assert_eq!(max_blocks(Some(50), Some(0)), 50, "its cap is off");
        assert_eq!(max_blocks(Some(u64::MAX), Some(0)), 100);
        assert_eq!(max_blocks(Some(0), None), 0);
    }
}
