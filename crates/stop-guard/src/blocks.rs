//! How often a session may be blocked.
//!
//! Claude Code ends a session that was blocked too often in a row, as a success, and counts anew
//! whenever the agent used a tool. So the guard counts by itself, stays within that cap, and then
//! gives in: going on would only cost the user money, and the runner judges the result anyway.
//!
//! A session whose structured answers were not taken too often is ended as failed instead. Claude
//! Code counts each of them, also one that the guard let pass and that has the wrong form; so does
//! the guard, and the last one it always lets pass. The stop that follows it is let pass as well:
//! Claude Code would not heed a block there.

use std::io;

use hook_io::HookInput;
use project::{Claim, Marker, SessionState, SessionStore};

use crate::Surroundings;
use crate::end::End;

const DEFAULT_MAX_BLOCKS: u64 = 6;

/// What Claude Code does unless told otherwise.
const CLAUDE_BLOCK_CAP: u64 = 8;

/// The same for answers.
const CLAUDE_ANSWER_LIMIT: u64 = 5;

/// Claimed when the last answer was let pass.
const LAST_ANSWER: &str = "last-answer";

/// Where Claude Code's cap is switched off, something still has to end it.
const MOST_BLOCKS: u64 = 100;

pub(crate) enum Allowance {
    Block(Block),
    GiveIn { why: String },
}

/// Which block of a session this is, and how many it may have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    pub(crate) number: u64,
    pub(crate) of: u64,
}

pub(crate) fn next(
    end: End,
    marker: &Marker,
    input: &HookInput,
    surroundings: &Surroundings,
) -> Allowance {
    let of = max_blocks(marker.max_blocks, surroundings.block_cap);
    let limit = surroundings.answer_limit.unwrap_or(CLAUDE_ANSWER_LIMIT);
    let allowance = session(input, surroundings).and_then(|session| match end {
        End::Stop if session.is_taken(LAST_ANSWER) => {
            Ok(Allowance::GiveIn { why: "its answer was let pass already".into() })
        }
        End::Stop => claim(&session, of),
        End::Answer => Ok(match count_answer(&session, limit)? {
            AnswersLeft::None => {
                session.claim(LAST_ANSWER)?;
                let why = format!("Claude Code gives up after {limit} answers that were not taken");
                Allowance::GiveIn { why }
            }
            AnswersLeft::Some { further } => claim(&session, of)?.at_most(further),
        }),
    });
    allowance.unwrap_or_else(|error| without_memory(&error, end, input, of))
}

/// Nothing was found, and Claude Code may still not take it.
pub(crate) fn passed(end: End, input: &HookInput, surroundings: &Surroundings) {
    if end == End::Answer {
        let limit = surroundings.answer_limit.unwrap_or(CLAUDE_ANSWER_LIMIT);
        // Where it cannot be counted, the next one is not refused either.
        let _ = session(input, surroundings).and_then(|session| count_answer(&session, limit));
    }
}

/// The first block of a turn is the only one that cannot repeat for ever. An answer does not say
/// whether it is the first.
fn without_memory(error: &io::Error, end: End, input: &HookInput, of: u64) -> Allowance {
    if end == End::Stop && of > 0 && !input.stop_hook_active {
        Allowance::Block(Block { number: 1, of: 1 })
    } else {
        Allowance::GiveIn { why: format!("blocks cannot be counted ({error})") }
    }
}

fn max_blocks(set: Option<u64>, claude: Option<u64>) -> u64 {
    let claude = match claude.unwrap_or(CLAUDE_BLOCK_CAP) {
        0 => MOST_BLOCKS,
        cap => cap,
    };
    set.unwrap_or(DEFAULT_MAX_BLOCKS).min(claude).min(MOST_BLOCKS)
}

fn session(input: &HookInput, surroundings: &Surroundings) -> io::Result<SessionState> {
    let key = match (&input.session_id, &surroundings.env) {
        (Some(id), _) => format!("session {id}"),
        (None, env) => match (&env.run_id, &env.marker_sha256) {
            // The marker is written anew for every iteration, so its hash stands for the session.
            (Some(run), Some(marker)) => format!("run {run} marker {marker}"),
            _ => return Err(io::Error::other("the session did not say who it is")),
        },
    };
    Ok(SessionStore::new(surroundings.plugin_data.as_deref()).session(&key))
}

fn claim(session: &SessionState, of: u64) -> io::Result<Allowance> {
    for number in 1..=of {
        match session.claim(&format!("block-{number}"))? {
            Claim::Won => return Ok(Allowance::Block(Block { number, of })),
            Claim::AlreadyTaken => {}
        }
    }
    Ok(Allowance::GiveIn { why: format!("this session was blocked {of} times already") })
}

/// How many answers a session may still give.
enum AnswersLeft {
    /// This is the last one.
    None,
    /// This one can be refused, and so many after it.
    Some { further: u64 },
}

fn count_answer(session: &SessionState, limit: u64) -> io::Result<AnswersLeft> {
    let limit = limit.min(MOST_BLOCKS);
    for number in 1..limit {
        match session.claim(&format!("answer-{number}"))? {
            Claim::Won => return Ok(AnswersLeft::Some { further: limit - 1 - number }),
            Claim::AlreadyTaken => {}
        }
    }
    Ok(AnswersLeft::None)
}

impl Allowance {
    /// No more than so many blocks are going to follow.
    fn at_most(self, further: u64) -> Self {
        match self {
            Self::Block(Block { number, of }) => {
                Self::Block(Block { number, of: of.min(number.saturating_add(further)) })
            }
            gives_in => gives_in,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guard_gives_in_before_claude_code_overrides_it() {
        assert_eq!(max_blocks(None, None), 6);
        assert_eq!(max_blocks(Some(3), None), 3);
        assert_eq!(max_blocks(Some(50), None), 8, "Claude Code overrides the ninth");
        assert_eq!(max_blocks(None, Some(2)), 2);
        assert_eq!(max_blocks(Some(50), Some(0)), 50, "its cap is off");
        assert_eq!(max_blocks(Some(u64::MAX), Some(0)), 100);
        assert_eq!(max_blocks(Some(0), None), 0);
    }
}
